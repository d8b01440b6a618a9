// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "tally/aggregate/vector.hpp"
#include "tally/cpu/instruction_set.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/devices.hpp"

namespace tally {
namespace {

constexpr std::size_t piece = 1 << 20;
constexpr int repeats = 9;

// Bytes in pages of 2 MB where the system grants them, all touched.
class buffer {
 public:
  explicit buffer(std::size_t bytes) : bytes_(bytes) {
    auto* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(at);
    madvise(at, bytes, MADV_HUGEPAGE);
  }
  buffer(buffer const&) = delete;
  ~buffer() { munmap(data_, bytes_); }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

std::uint64_t bits_in(std::byte const* from) {
  std::uint64_t found = 0;
  detail::run_vectorised([&](auto width) __attribute__((always_inline)) {
    constexpr int lanes = width.value / 8, in_flight = 8;
    using vector = detail::vec<std::uint64_t, lanes>;
    auto const* const x = reinterpret_cast<std::uint64_t const*>(from);
    vector bits[in_flight] = {};
    for (std::size_t i = 0; i < piece / 8; i += in_flight * lanes)
      for (int j = 0; j < in_flight; ++j) bits[j] |= detail::load<vector>(x + i + j * lanes);
    for (auto const& b : bits) found |= detail::fold_lanes(b, [](auto p, auto q) { return p | q; });
  });
  return found;
}

// The shortest of several runs, in seconds.
template <class F>
double shortest(F&& run) {
  using clock = std::chrono::steady_clock;
  auto best = clock::duration::max();
  for (int i = 0; i < repeats; ++i) {
    auto const begin = clock::now();
    run();
    best = std::min(best, clock::now() - begin);
  }
  return std::chrono::duration<double>(best).count();
}

}  // namespace

memory_lines measure_memory(cpu where) {
  int const threads = detail::thread_count(where);
  std::size_t const wanted = std::max<std::size_t>(5 * this_cpu().l3_bytes, 256 << 20);
  std::size_t const pieces = (wanted + piece - 1) / piece;
  std::size_t const bytes = pieces * piece;
  buffer const in(bytes), out(bytes);

  auto const each_piece = [&](auto&& run) {
    detail::parallel_for(threads, pieces, [&](std::size_t i) { run(i * piece); });
  };
  each_piece([&](std::size_t at) {
    std::memset(in.data() + at, 1, piece);
    std::memset(out.data() + at, 2, piece);
  });
  double const read = shortest([&] {
    each_piece([&](std::size_t at) {
      auto const bits = bits_in(in.data() + at);
      asm volatile("" ::"r"(bits));  // used
    });
  });
  // In small pieces, and in large ones, which the C library writes past the caches.
  double const copy_pieces = shortest([&] {
    each_piece([&](std::size_t at) { std::memcpy(out.data() + at, in.data() + at, piece); });
  });
  std::size_t const share = bytes / threads;
  double const copy_shares = shortest([&] {
    detail::parallel_for(threads, threads, [&](std::size_t i) {
      std::memcpy(out.data() + i * share, in.data() + i * share, share);
    });
  });
  double const copy = std::min(copy_pieces, copy_shares * double(bytes) / double(share * threads));
  return {bytes, double(bytes) / read / 1e9, 2 * double(bytes) / copy / 1e9};
}

}  // namespace tally
