// SPDX-License-Identifier: Apache-2.0
#include "spaces.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <system_error>

#include "symbols.hpp"

namespace simt {
namespace {

constexpr std::size_t device_bytes = std::size_t(16) << 30, gap = 256;

std::uintptr_t reserve(std::size_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "device memory");
  return std::uintptr_t(at);
}

// The variable that begins last at or before the place.
template <class Sorted>
auto find_last(Sorted& sorted, std::uintptr_t at) {
  return std::ranges::upper_bound(sorted, at, {}, [](auto const& v) { return v.begin; }) - 1;
}

}  // namespace

device_memory::device_memory() : record_(device_bytes) {
  base = reserve(device_bytes);
  size = device_bytes;
  states = reinterpret_cast<std::uint8_t*>(reserve(device_bytes));
  races = &record_;
}

void* device_memory::allocate(std::size_t bytes) {
  auto const at = place(bytes);
  if (!at) return nullptr;
  live_[*at] = *at + bytes;
  std::memset(states + *at, allocated, bytes);
  return reinterpret_cast<void*>(base + *at);
}

// The next place after the last one, in a window that grows when it is full.
std::optional<std::size_t> device_memory::place(std::size_t bytes) {
  for (bool wrapped = false;; wrapped = true) {
    std::size_t at = cursor_;
    for (auto next = live_.lower_bound(at); next != live_.end() && next->first < at + bytes + gap;
         ++next) {
      at = (next->second + 2 * gap - 1) / gap * gap;
    }
    if (at + bytes + gap <= window_) {
      cursor_ = (at + bytes + 2 * gap - 1) / gap * gap;
      std::memset(states + at - gap, nothing, gap);
      std::memset(states + at, nothing, cursor_ - at);
      return at;
    }
    if (wrapped && window_ == device_bytes) return {};
    if (wrapped || bytes > window_) window_ = std::min(2 * std::max(window_, bytes), device_bytes);
    cursor_ = gap;
  }
}

bool device_memory::release(void* address) {
  auto const found = live_.find(std::uintptr_t(address) - base);
  if (found == live_.end()) return false;
  auto const [begin, end] = *found;
  live_.erase(found);
  std::memset(states + begin, freed, end - begin);
  if (end - begin >= 64 << 10) {
    // Whole pages only: the last one may be the next array's, too.
    std::size_t const first = (begin + 4095) & ~std::size_t(4095), last = end & ~std::size_t(4095);
    madvise(reinterpret_cast<void*>(base + first), last - first, MADV_DONTNEED);
    record_.release(begin, end);
  }
  return true;
}

bool device_memory::may_copy(void const* address, std::size_t bytes) const {
  if (!contains(std::uintptr_t(address), bytes)) return true;
  auto const* const first = states + (std::uintptr_t(address) - base);
  return std::all_of(first, first + bytes, [](unsigned s) { return s & allocated; });
}

void device_memory::copied(void const* to, void const* from, std::size_t bytes) {
  if (!contains(std::uintptr_t(to), bytes)) return;
  auto* const first = states + (std::uintptr_t(to) - base);
  if (contains(std::uintptr_t(from), bytes)) {
    std::memmove(first, states + (std::uintptr_t(from) - base), bytes);
  } else {
    std::memset(first, initialised, bytes);
  }
}

std::string device_memory::describe(std::uintptr_t address) const {
  std::size_t const at = address - base;
  if (states[at] == freed) return "freed global memory";
  auto const after = live_.upper_bound(at);
  auto const size = [](auto a) { return std::to_string(a->second - a->first) + " bytes"; };
  if (after != live_.begin()) {
    auto const before = std::prev(after);
    if (at < before->second) return "global memory";
    if (after == live_.end() || at - before->second < after->first - at) {
      return std::to_string(at - before->second) + " bytes behind an allocation of " + size(before);
    }
  }
  if (after == live_.end()) return "no allocation";
  return std::to_string(after->first - at) + " bytes before an allocation of " + size(after);
}

device_memory& global_memory() {
  static device_memory all;
  return all;
}

program_memory::program_memory() : record_(writable_data().end - writable_data().begin) {
  base = writable_data().begin;
  size = writable_data().end - base;
  known_.resize(size);
  states = known_.data();
  races = &record_;
}

void program_memory::find_variable(std::uintptr_t address) {
  auto const& all = global_variables();
  auto const at = find_last(all, address);
  if (at < all.begin() || address >= at->end || !contains(at->begin, at->end - at->begin)) return;
  std::memset(states + (at->begin - base), initialised, at->end - at->begin);
}

program_memory& program_variables() {
  static program_memory all;
  return all;
}

bool is_program_constant(std::uintptr_t address) {
  static range const all = program();
  return address - all.begin < all.end - all.begin;
}

shared_memory::shared_memory() : record_(thread_variables().end - thread_variables().begin) {
  size = thread_variables().end - thread_variables().begin;
  known_.resize(size + 16);
  saved_.resize(size);
  states = known_.data();
  races = &record_;
  for (auto const& v : thread_local_variables()) {
    if (v.begin % 64) continue;  // not one that __shared__ declares: cuda_runtime.h
    if (v.name == "tally_dynamic_shared") dynamic_ = extents_.size();
    extents_.push_back({v.begin, v.end, v.name});
    std::memset(states + v.begin, allocated, v.end - v.begin);
  }
  touched_.resize(extents_.size());
}

void shared_memory::begin_block(std::size_t dynamic_bytes) {
  base = thread_variables().begin;
  extent& dynamic = extents_.at(dynamic_);
  if (dynamic.end != dynamic.begin + dynamic_bytes) {
    std::memset(states + dynamic.begin, nothing, dynamic.end - dynamic.begin);
    dynamic.end = dynamic.begin + dynamic_bytes;
    std::memset(states + dynamic.begin, allocated, dynamic_bytes);
  }
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    auto const& e = extents_[i];
    if (touched_[i]) std::memset(states + e.begin, allocated, e.end - e.begin);
    touched_[i] = false;
  }
  begin_launch();
}

void shared_memory::leave() {
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    auto const& e = extents_[i];
    auto const* const from = reinterpret_cast<unsigned char*>(base) + e.begin;
    if (touched_[i]) std::memcpy(saved_.data() + e.begin, from, e.end - e.begin);
  }
}

void shared_memory::enter() {
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    auto const& e = extents_[i];
    auto* const to = reinterpret_cast<unsigned char*>(base) + e.begin;
    if (touched_[i]) std::memcpy(to, saved_.data() + e.begin, e.end - e.begin);
  }
}

void shared_memory::first_write(std::uintptr_t address) {
  auto const at = find_last(extents_, address - base);
  if (at >= extents_.begin()) touched_[std::size_t(at - extents_.begin())] = true;
}

void shared_memory::lose_value(std::uintptr_t address, std::size_t bytes) {
  std::memset(states + (address - base), allocated, bytes);
}

std::string shared_memory::describe(std::uintptr_t address) const {
  std::size_t const offset = address - base;
  auto const at = find_last(extents_, offset);
  if (at < extents_.begin()) return "shared memory";
  if (offset < at->end) return at->name + " + " + std::to_string(offset - at->begin) + " bytes";
  return std::to_string(offset - at->end) + " bytes behind the shared variable " + at->name +
         " of " + std::to_string(at->end - at->begin) + " bytes";
}

shared_memory& shared_space(std::size_t index) {
  static std::deque<shared_memory> all;
  while (all.size() <= index) all.emplace_back();
  return all[index];
}

}  // namespace simt
