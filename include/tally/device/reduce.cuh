// SPDX-License-Identifier: Apache-2.0
//
// Reductions of whole arrays on a device, one kernel a call. Names no aggregate.
#pragma once

#include "tally/device/load.cuh"
#include "tally/device/slots.cuh"
#include "tally/thread_index.cuh"

namespace tally::device {

// The answer, in memory that the device can write: the result, and whether there is one (there is
// none of an array without elements that count, where the aggregate has no answer to that).
template <class Result>
struct answer {
  Result* result;
  bool* found;  // or null
};

// Of an any-order aggregate, by its form (plain.cuh says what that is).
template <class Form, class Source>
struct any_order_call {
  Source in;
  std::uint64_t n;
  cut parts;
  answer<typename Form::result> out;
  workspace w;
  Form form;
};

// add(x, live, index) of what was read; computed first, where need be, as much at once as registers
// hold. Bit j of `live` tells whether there is the j-th vector.
template <class Source, class Batch, class Index, class Add>
__device__ void for_values(Source const& from, Batch& read, unsigned live, Index index, Add add) {
  if constexpr (!Source::computes) {
    add(read, live, index);
  } else {
    using element = typename Source::element;
    constexpr int each = Source::each, fit = 64 / int(each * sizeof(element));
    constexpr int some = fit >= Source::loads ? Source::loads : fit >= 2 ? 2 : 1;
#pragma unroll
    for (int first = 0; first < Source::loads; first += some) {
      batch<element, some, each> x;
#pragma unroll
      for (int k = 0; k < some * each; ++k)
        x.set(k, live >> (first + k / each) & 1 ? from.value(read, first * each + k) : element{});
      add(x, live >> first & ((1u << some) - 1), [&](int k) { return index(first * each + k); });
    }
  }
}

// Forms of many instructions an element have the next elements on their way while they are at it:
// where there are not the warps to do that for one another.
template <class Form>
inline constexpr bool loads_ahead = [] {
  if constexpr (requires { Form::loads_ahead; }) return Form::loads_ahead;
  return false;
}();

// Each block reads its rows, all but the first publish their totals, and the first one waits for
// them. It also has the elements beside the whole vectors.
template <class Form, class Source>
__global__ void __launch_bounds__(Form::threads, Form::blocks_a_multiprocessor)
    reduce_any_order(any_order_call<Form, Source> const call) {
  using reader = row_reader<Source>;
  __shared__ typename Form::shared shared;
  Form const& form = call.form;
  typename Form::accumulator acc;
  std::uint32_t const epoch = gridDim.x > 1 ? this_epoch(call.w) : 0;

  reader from(call.in, call.parts);
  typename reader::batch_type x;
  unsigned live = from.load(x);
  form.start(acc, shared);  // while the first elements are on their way
  while (!from.done()) {
    typename reader::batch_type next;
    reader const here = from;
    unsigned next_live = 0;
    if constexpr (loads_ahead<Form>) {
      from.advance();
      next_live = from.load(next);
    }
    for_values(
        call.in, x, live, [&](int k) { return here.index(k); },
        [&](auto& x, unsigned live, auto index) { form.add(acc, shared, x, live, index); });
    if constexpr (!loads_ahead<Form>) {
      from.advance();
      next_live = from.load(next);
    }
    x = next;
    live = next_live;
  }

  if (blockIdx.x > 0) {
    form.close(acc, shared);
    form.publish(acc, shared, call.w.slots, epoch);
    return;
  }
  unsigned const head = call.parts.head, beside = head + call.parts.tail;
  for (unsigned k = threadIdx.x; k < beside; k += blockDim.x) {
    std::uint64_t const i = k < head ? k : call.n - beside + k;
    form.add(acc, shared, call.in[i], i);
  }
  form.close(acc, shared);
  if (gridDim.x > 1) {
    form.collect(acc, shared, call.w.slots, gridDim.x - 1, epoch);
    if (threadIdx.x == 0) end_epoch(call.w, epoch);
  }
  bool const found = form.finish(acc, shared, call.n, call.out.result);
  if (threadIdx.x == 0 && call.out.found) *call.out.found = found;
}

}  // namespace tally::device
