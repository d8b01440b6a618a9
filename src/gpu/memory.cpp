// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <utility>

#include "tally/error.hpp"
#include "tally/gpu/allocation.hpp"
#include "tally/gpu/arguments.hpp"
#include "tally/gpu/copy.hpp"
#include "tally/gpu/output.hpp"

namespace tally {
namespace detail {

void require_reach(gpu_context const& context, char const* call, char const* argument,
                   void const* data) {
  if (data == nullptr || context.reaches(data)) return;
  std::ostringstream text;
  text << call << ": " << argument << " = " << data
       << " is memory of the host, out of reach of gpu:" << context.device()
       << ": tally::gpu_copy and tally::gpu_output are in its own";
  throw error(text.str());
}

gpu_allocation::gpu_allocation(gpu_context& where, std::size_t bytes) : where_(&where) {
  if (bytes == 0) return;
  data_ = static_cast<std::byte*>(entered_gpu(where)->allocate(bytes));
  bytes_ = bytes;
}

gpu_allocation::gpu_allocation(gpu_allocation&& other) noexcept { *this = std::move(other); }

gpu_allocation& gpu_allocation::operator=(gpu_allocation&& other) noexcept {
  std::swap(where_, other.where_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

gpu_allocation::~gpu_allocation() {
  if (!data_) return;
  try {
    entered_gpu(*where_)->release(data_, bytes_);
  } catch (error const&) {  // the device failed, which a call will say
  }
}

}  // namespace detail

gpu_copy::gpu_copy(gpu& where, std::size_t bytes)
    : where_(where.context()), memory_(where_, bytes) {}

void gpu_copy::append(std::span<std::byte const> piece) {
  if (piece.size() > memory_.bytes() - bytes_)
    grow(std::max(bytes_ + piece.size(), 2 * memory_.bytes()));
  detail::entered_gpu(where_)->send(memory_.data() + bytes_, piece);
  bytes_ += piece.size();
}

void gpu_copy::grow(std::size_t bytes) {
  detail::gpu_allocation more(where_, bytes);
  if (bytes_) detail::entered_gpu(where_)->copy(more.data(), memory_.data(), bytes_);
  memory_ = std::move(more);
}

gpu_output::gpu_output(gpu& where, std::size_t bytes)
    : where_(where.context()), memory_(where_, bytes) {}

void gpu_output::read(std::size_t first, std::span<std::byte> to) const {
  if (first > bytes() || to.size() > bytes() - first)
    throw error("gpu_output: read " + std::to_string(to.size()) + " bytes from " +
                std::to_string(first) + " on, where there are " + std::to_string(bytes()));
  if (!to.empty()) detail::entered_gpu(where_)->receive(to, memory_.data() + first);
}

}  // namespace tally
