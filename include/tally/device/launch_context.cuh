// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include "tally/device/grid/workspace.hpp"

struct CUstream_st;

namespace tally::detail {

// What a launch needs of the GPU that it runs on; gpu_context (gpu/context.hpp) has it.
template <class C>
concept launch_context = requires(C& context, std::size_t words) {
  { context.stream() } -> std::same_as<CUstream_st*>;
  { context.multiprocessors() } -> std::convertible_to<int>;
  // Kept between launches, with room for so many status words; zero when it is new.
  { context.workspace(words) } -> std::same_as<device::workspace>;
};

// What one needs that keeps more than status words.
template <class C>
concept memory_context = launch_context<C> && requires(C& context, std::size_t n) {
  { context.memory(n, n) } -> std::same_as<device::call_memory>;
};

// And one that sorts: so that larger keys come first, of which only the low `bits` differ, and
// equal ones stay in their order. sort() returns which of the pairs' two places has them then.
template <class C>
concept sorting_context =
    memory_context<C> && requires(C& context, device::pairs_to_sort<std::uint32_t> const& narrow,
                                  device::pairs_to_sort<std::uint64_t> const& wide,
                                  std::byte* scratch, std::size_t n, int bits) {
      // How many bytes of scratch it needs for n pairs whose keys have so many bytes.
      { context.sort_scratch(n, n) } -> std::same_as<std::size_t>;
      { context.sort(narrow, bits, scratch, n) } -> std::same_as<int>;
      { context.sort(wide, bits, scratch, n) } -> std::same_as<int>;
    };

}  // namespace tally::detail
