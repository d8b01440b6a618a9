// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a reduction of rows: by groups of lanes where sums take few words, by blocks
// what these leave in doubt and what takes more, in order what has one.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "tally/device/input/sources.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/device/reduce/launch.cuh"
#include "tally/device/reduce/rows/by_block.cuh"
#include "tally/device/reduce/rows/by_lanes.cuh"
#include "tally/device/reduce/rows/in_order.cuh"
#include "tally/device/reduce/rows/lanes.cuh"
#include "tally/device/reduce/rows/plan.cuh"
#include "tally/device/reduce/rows/segments.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/rows.hpp"

namespace tally::detail {

// What a reduction by lanes has beside its words: sums of parts, and of pieces of long rows in
// doubt.
template <class Sum, class Again>
struct lanes_scratch {
  Sum* sums;
  std::uint64_t* doubtful;
  Again* pieces;
  unsigned* tried;

  lanes_scratch(device::arena& from, std::uint64_t sums_there, std::uint64_t rows,
                std::uint64_t pieces_there)
      : sums(from.take<Sum>(sums_there)),
        doubtful(from.take<std::uint64_t>(rows)),
        pieces(pieces_there ? from.take<Again>(pieces_there) : nullptr),
        tried(pieces_there ? from.take<unsigned>(rows) : nullptr) {}
};

template <class Agent, launch_context Context>
std::uint64_t blocks_of_rows(Context const& context) {
  return std::uint64_t(context.multiprocessors()) * Agent::blocks_a_multiprocessor;
}

template <launch_context Context, aggregate A, class In, class Again>
void reduce_rows_by_block_on_device(Context& context, A const& a, bool skips_nan, In const& in,
                                    rows<typename A::result> const& out, Again const& again,
                                    unsigned group, device::doubtful_rows const& doubt,
                                    unsigned long long* ended,
                                    typename device::sum_again<Again>::type* pieces) {
  auto const agent = device::make_agent(a, skips_nan);
  using agent_type = std::remove_const_t<decltype(agent)>;
  auto const most = blocks_of_rows<agent_type>(context);
  launch_plan const plan{doubt.count ? "rows in doubt again" : "a block a row",
                         unsigned(pieces ? most : std::min(in.layout().count, most)),
                         agent_type::threads};
  launch_early<device::reduce_rows_by_block<agent_type, Again, In>>(
      plan.blocks, plan.threads, agent_type::dynamic_bytes,
      context.stream())(device::rows_call<agent_type, Again, In>{
      in, out, agent, again, !is_apart(in), group, doubt, ended, pieces});
  explain(context, plan, 0);
}

// Rows of an array whose elements are cut into vectors.
template <class In>
inline constexpr bool may_be_segments = false;
template <class T>
inline constexpr bool may_be_segments<rows<T>> = device::vector_bytes % sizeof(T) == 0;

// How lanes share the rows. Of segments no more is told than how many elements there are: long ones
// are cut as if they were twice as long as on average, into more parts, of which some are empty.
template <class In>
lanes_plan plan_for(In const& in, unsigned each, int multiprocessors, unsigned resident) {
  if constexpr (may_be_segments<In>) {
    constexpr std::uint64_t long_segments = 4096;
    if (auto const mean = mean_length(in); mean > long_segments) {
      row_layout all = in.layout();
      all.length = std::min(all.length, 2 * mean);
      return plan_rows(all, row_shape::any, each, 4 * multiprocessors);
    } else if (mean > 0) {
      return plan_segments(in.count, mean, each);
    }
  }
  return plan_lanes(in.layout(), shape_of(in, each), each, multiprocessors, resident);
}

// Starts the kernel of a plan.
template <launch_context Context, class Lanes, class In>
void start_lanes(Context& context, lanes_plan const& how, device::lanes_call<Lanes, In> const& call,
                 std::size_t scratch) {
  launch_plan const plan{to_text(how.kernel, how.parts), how.blocks, device::lanes_threads};
  auto const start = [&]<auto kernel>() {
    launch_early<kernel>(plan.blocks, plan.threads, 0, context.stream())(call);
  };
  switch (how.kernel) {
    case lanes_kernel::columns:
      start.template operator()<device::reduce_columns_by_lanes<Lanes, In>>();
      break;
    case lanes_kernel::even_rows:
      start.template operator()<device::reduce_even_rows_by_lanes<Lanes, In>>();
      break;
    case lanes_kernel::segments:
      if constexpr (may_be_segments<In>)
        start.template operator()<device::reduce_segments_by_lanes<Lanes, In>>();
      break;
    case lanes_kernel::rows: start.template operator()<device::reduce_rows_by_lanes<Lanes, In>>();
  }
  explain(context, plan, scratch);
}

// Puts the parts of rows together: many rows by a group each, few by a block.
template <launch_context Context, class Lanes, class In>
void start_combining(Context& context, device::lanes_call<Lanes, In> call) {
  constexpr std::uint64_t many = 4096;
  std::uint64_t const count = call.in.layout().count;
  auto const most = count < many ? std::uint64_t(device::lanes_threads) : std::uint64_t(warp_size);
  call.group = unsigned(std::bit_ceil(std::min(call.parts, most)));
  if (call.group > warp_size) call.group = device::lanes_threads;
  std::uint64_t const blocks =
      (count * call.group + device::lanes_threads - 1) / device::lanes_threads;
  launch_early<device::combine_parts_of_rows<Lanes, In>>(unsigned(blocks), device::lanes_threads, 0,
                                                         context.stream())(call);
}

template <memory_context Context, aggregate A, class In>
void reduce_rows_by_lanes_on_device(Context& context, A const& a, bool skips_nan, In const& in,
                                    rows<typename A::result> const& out) {
  auto const lanes = device::make_lanes(a, skips_nan);
  using lanes_type = std::remove_const_t<decltype(lanes)>;
  using sum = typename lanes_type::sum;
  constexpr unsigned each = device::row_source<In>::each;
  std::uint64_t const count = in.layout().count;
  auto const how =
      plan_for(in, each, context.multiprocessors(), device::lanes_blocks<lanes_type, int(each)>);
  std::uint64_t const sums = how.parts > 1 ? count * how.parts : 0;
  bool const certain = device::are_certain<lanes_type>(in.layout().length);
  std::uint64_t const doubtful = certain ? 0 : count;
  auto const again = device::lanes_again(lanes);
  using again_type = std::remove_const_t<decltype(again)>;
  constexpr bool tries = !lanes_type::is_certain && !std::is_same_v<again_type, device::no_lanes>;
  using agent_type = std::remove_const_t<decltype(device::make_agent(a, skips_nan))>;
  std::uint64_t const pieces = tries && in.layout().length > device::longest_tried_again
                                   ? blocks_of_rows<agent_type>(context)
                                   : 0;
  using scratch_type = lanes_scratch<sum, typename device::sum_again<again_type>::type>;
  auto const bytes = device::bytes_of<scratch_type>(sums, doubtful, pieces);
  auto const memory = context.memory(1, bytes);
  device::arena from(memory.scratch);
  scratch_type const scratch(from, sums, doubtful, pieces);
  auto* const counts = reinterpret_cast<unsigned long long*>(memory.w.sums());
  device::lanes_call<lanes_type, In> const call{in,
                                                out,
                                                lanes,
                                                !is_apart(in),
                                                how.group,
                                                how.parts,
                                                how.part,
                                                scratch.sums,
                                                {counts, scratch.doubtful, scratch.tried}};
  start_lanes(context, how, call, bytes);
  if (how.parts > 1) start_combining(context, call);
  if constexpr (!lanes_type::is_certain)
    if (!certain)
      reduce_rows_by_block_on_device(
          context, a, skips_nan, in, out, again,
          std::clamp(how.group, device::rows_at_once, unsigned(warp_size)), call.doubt, counts + 1,
          scratch.pieces);
}

// The nodes over the parts of rows.
template <class State>
struct nodes_scratch {
  State* nodes;
  nodes_scratch(device::arena& from, std::uint64_t count) : nodes(from.take<State>(count)) {}
};

template <aggregate A, class In>
ordered_plan plan_in_order_for(In const& in, int multiprocessors) {
  constexpr auto most_parts = device::most_parts_in_order;
  if (are_columns(in.layout()))
    return plan_columns_in_order(in.layout(), multiprocessors,
                                 device::column_chunk<typename A::state>, most_parts);
  std::uint64_t mean = 0;
  if constexpr (may_be_segments<In>) mean = mean_length(in);
  return plan_rows_in_order(in.layout(), mean, multiprocessors, device::row_source<In>::each,
                            device::vectors_in_order<A, In>, most_parts);
}

template <memory_context Context, aggregate A, class In>
void reduce_rows_in_order_on_device(Context& context, A const& a, bool skips_nan, In const& in,
                                    rows<typename A::result> const& out) {
  auto const op = device::ordered_on_device(a);
  using op_type = std::remove_const_t<decltype(op)>;
  using state = typename op_type::state;
  std::uint64_t const count = in.layout().count;
  bool const columns = are_columns(in.layout());
  auto const how = plan_in_order_for<op_type>(in, context.multiprocessors());
  std::uint64_t const nodes = how.parts > 1 ? count * how.parts : 0;
  auto const bytes = device::bytes_of<nodes_scratch<state>>(nodes);
  auto const memory = context.memory(1, bytes);
  device::arena from(memory.scratch);
  nodes_scratch<state> const scratch(from, nodes);
  device::ordered_rows_call<op_type, In> const call{in,
                                                    out,
                                                    op,
                                                    skips_nan,
                                                    !is_apart(in),
                                                    unsigned(std::countr_zero(how.group)),
                                                    unsigned(std::countr_zero(how.rows_at_once)),
                                                    how.parts,
                                                    how.part,
                                                    scratch.nodes};
  auto const start = [&]<auto kernel>(std::uint64_t lanes, unsigned threads) {
    auto const blocks = std::min<std::uint64_t>((lanes + threads - 1) / threads, 0x7fffffff);
    launch_early<kernel>(unsigned(blocks), threads, 0, context.stream())(call);
    return unsigned(blocks);
  };
  std::uint64_t const groups = (count * how.parts + how.rows_at_once - 1) / how.rows_at_once;
  constexpr unsigned threads = device::threads_in_order, wide = device::lanes_threads;
  launch_plan plan{
      columns ? "lanes a column, along a fixed tree" : "lanes a row, along a fixed tree", 0,
      columns ? wide : threads};
  if (columns)
    plan.blocks =
        start.template operator()<device::reduce_columns_in_order<op_type, In>>(groups, wide);
  else if (how.rows_at_once > 1)
    plan.blocks = start.template operator()<device::reduce_short_rows_in_order<op_type, In>>(
        groups * how.group, threads);
  else
    plan.blocks = start.template operator()<device::reduce_rows_in_order<op_type, In>>(
        groups * how.group, threads);
  if (how.parts > 1)
    start.template operator()<device::combine_parts_in_order<op_type, In>>(
        count * (wide / device::rows_put_together), wide);
  explain(context, plan, bytes);
}

// Whether rows are stretches of arrays, or of pairs of two: as many elements side by side in each.
template <class In>
bool are_stretches(In const& in) {
  bool all = true;
  in.for_memory([&](auto const& x) { all = all && !x.is_apart() && !x.starts && !x.lengths; });
  return all;
}
// Few long ones go one by one, each as an array does, by all blocks; in order, where they can be
// cut as well, those that take longer than a launch.
inline constexpr std::uint64_t few_rows = 64, long_row = 1 << 18, long_row_in_order = 1 << 24;
template <class In>
bool are_few_and_long(In const& in, std::uint64_t length = long_row) {
  return in.layout().count <= few_rows && in.layout().length >= length && are_stretches(in);
}
// One row is an array; but lanes take less time for many pairs of doubles.
template <class In>
bool is_an_array(In const& in) {
  constexpr std::uint64_t many = 1 << 22;
  bool const by_lanes = sizeof(typename In::element) > sizeof(double) && in.layout().length >= many;
  return in.layout().count == 1 && are_stretches(in) && !by_lanes;
}
template <launch_context Context, aggregate A, class In>
void reduce_rows_one_by_one(Context& context, A const& a, nan_policy nan, In const& in,
                            rows<typename A::result> const& out) {
  for (std::uint64_t r = 0; r < in.layout().count; ++r)
    reduce_on_gpu(context, a, nan, device::side_by_side(in.row(r)), out.data + out.begin(r),
                  nullptr);
}

// Reduces each row of `in`, in memory that the device can read, to its place in `out`;
// asynchronously. A row without elements that count has the result of none.
template <memory_context Context, aggregate A, class In>
void reduce_rows_on_gpu(Context& context, A const& a, nan_policy nan, In const& in,
                        rows<typename A::result> const& out) {
  if (in.layout().count == 0) return;
  bool const skips = nan == skip && has_nan<typename A::element>;
  if (is_an_array(in) || (in.layout().length >> 32 && are_few_and_long(in)))
    return reduce_rows_one_by_one(context, a, nan, in, out);
  if constexpr (takes_any_order<A> && device::has_lanes<A>)
    return reduce_rows_by_lanes_on_device(context, a, skips, in, out);
  else if (are_few_and_long(in, takes_any_order<A> ? long_row : long_row_in_order))
    return reduce_rows_one_by_one(context, a, nan, in, out);
  else if constexpr (!takes_any_order<A>)
    reduce_rows_in_order_on_device(context, a, skips, in, out);
  else
    reduce_rows_by_block_on_device(context, a, skips, in, out, device::no_lanes{}, 1, {}, nullptr,
                                   nullptr);
}

}  // namespace tally::detail
