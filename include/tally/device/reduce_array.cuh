// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a reduction of a whole array: which kernel, how many blocks.
#pragma once

#include <algorithm>

#include "tally/device/bins.cuh"
#include "tally/device/call.hpp"
#include "tally/device/plain.cuh"
#include "tally/device/reduce.cuh"
#include "tally/device/reduce_ordered.cuh"
#include "tally/launch.cuh"
#include "tally/partial.hpp"

namespace tally::detail {

// What blocks do with an aggregate that takes any order.
template <aggregate A>
auto form_on_device(A const& a, bool skips_nan) {
  if constexpr (requires { a.on_device(); })
    return form_on_device(a.on_device(), skips_nan);
  else
    return typename device::form_for<A>::type{skips_nan, a};
}

template <aggregate A>
auto ordered_on_device(A const& a) {
  if constexpr (has_identity<A>)
    return a;
  else
    return device::with_identity<A>{a};
}

// How many blocks, of how many threads, for rows of 16 bytes a thread: few elements make one block,
// and none needs more than it can read at once.
struct geometry {
  unsigned blocks, threads;
};
template <class Form>
geometry geometry_of(std::uint64_t bytes, int multiprocessors) {
  constexpr std::uint64_t alone = 16 << 10, each = 16 * Form::threads * device::loads_in_flight;
  if (bytes <= alone) {
    auto const threads = (bytes + 511) / 512 * 32;  // a vector each
    return {1, unsigned(std::clamp<std::uint64_t>(threads, 32, Form::threads))};
  }
  auto const most = std::uint64_t(multiprocessors) * Form::blocks_a_multiprocessor;
  return {unsigned(std::min((bytes + each - 1) / each, most)), Form::threads};
}

// The levels of a run (reduce_ordered.cuh): as few as leave not more than `most` runs.
inline int run_levels(std::uint64_t strips, std::uint64_t most) {
  int levels = 0;
  while (levels < device::most_levels && (strips >> levels) > most * device::ordered_warps)
    ++levels;
  return levels;
}

template <aggregate A>
void reduce_any_order_on_device(gpu_call& call, A const& a, bool skips_nan,
                                typename A::element const* in, std::uint64_t n,
                                device::answer<typename A::result> out) {
  auto const form = form_on_device(a, skips_nan);
  using form_type = std::remove_const_t<decltype(form)>;
  auto const [blocks, threads] = geometry_of<form_type>(n * sizeof(*in), call.multiprocessors());
  auto const memory = call.workspace(std::size_t(blocks - 1) * form_type::words);
  launch(device::reduce_any_order<form_type>, blocks, threads, form_type::dynamic_bytes(threads),
         call.stream())({in,
                         n,
                         device::cut_for(in, n, blocks, threads),
                         out,
                         {memory.epoch, static_cast<device::slot*>(memory.slots)},
                         form});
}

template <aggregate A>
void reduce_in_order_on_device(gpu_call& call, A const& a, bool skips_nan,
                               typename A::element const* in, std::uint64_t n,
                               device::answer<typename A::result> out) {
  auto const op = ordered_on_device(a);
  using op_type = std::remove_const_t<decltype(op)>;
  using state = typename op_type::state;
  auto const size = device::strip_size<typename A::element>;
  std::uint64_t const strips = (n + size - 1) / size;
  auto const resident =
      std::uint64_t(call.multiprocessors()) * device::ordered_blocks_a_multiprocessor;
  int const levels = run_levels(strips, resident);
  std::uint64_t const run = std::uint64_t(device::ordered_warps) << levels;
  auto const runs = unsigned(std::max<std::uint64_t>((strips + run - 1) / run, 1));
  auto const slots = runs > 1 ? std::size_t(runs) * device::words_of_state<state> : 0;
  auto const memory = call.workspace(slots);
  launch(device::reduce_in_order<op_type>, unsigned(std::min<std::uint64_t>(runs, resident)),
         device::ordered_threads, 0,
         call.stream())({skips_nan,
                         device::is_aligned(in),
                         levels,
                         runs,
                         in,
                         n,
                         out,
                         {memory.epoch, static_cast<device::slot*>(memory.slots)},
                         op});
}

// The elements of in[0, n), in memory that the device can read, into *result; asynchronous. *found
// (or null) tells whether there is an answer.
template <aggregate A>
void reduce_on_gpu(gpu_call& call, A const& a, nan_policy nan, typename A::element const* in,
                   std::uint64_t n, typename A::result* result, bool* found) {
  bool const skips = nan == skip && floating<typename A::element>;
  if constexpr (takes_any_order<A>)
    reduce_any_order_on_device(call, a, skips, in, n, {result, found});
  else
    reduce_in_order_on_device(call, a, skips, in, n, {result, found});
}

}  // namespace tally::detail
