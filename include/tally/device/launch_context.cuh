// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>

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

// What a kernel does, and how it is started.
struct launch_plan {
  char const* kernel;
  unsigned blocks, threads;  // of a block
};
inline std::string to_text(launch_plan const& plan) {
  return std::string(plan.kernel) + ", by " + std::to_string(plan.blocks) +
         (plan.blocks == 1 ? " block of " : " blocks of ") + std::to_string(plan.threads) +
         " threads";
}

// Tells whoever has asked (gpu::explain_to) what has been started as planned, beside so many bytes
// of scratch. A context need not listen.
template <class Context, class Plan>
void explain(Context& context, Plan const& plan, std::size_t scratch_bytes) {
  if constexpr (requires { context.explanation; }) {
    if (!context.explanation) return;
    auto& text = *context.explanation;
    text += (text.empty() ? "" : "; ") + to_text(plan);
    if (scratch_bytes > 0) text += ", " + std::to_string(scratch_bytes) + " bytes of scratch";
  }
}

}  // namespace tally::detail
