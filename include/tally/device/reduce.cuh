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
template <class Form>
struct any_order_call {
  typename Form::element const* in;
  std::uint64_t n;
  cut parts;
  answer<typename Form::result> out;
  workspace w;
  Form form;
};

// Each block reads its rows, all but the first publish their totals, and the first one waits for
// them. It also has the elements beside the whole vectors.
template <class Form>
__global__ void __launch_bounds__(Form::threads, Form::blocks_a_multiprocessor)
    reduce_any_order(any_order_call<Form> const call) {
  using reader = row_reader<typename Form::element>;
  __shared__ typename Form::shared shared;
  Form const& form = call.form;
  typename Form::accumulator acc;
  std::uint32_t const epoch = gridDim.x > 1 ? this_epoch(call.w) : 0;

  reader from(call.in, call.parts);
  typename reader::batch_type x;
  unsigned live = from.load(x);
  form.start(acc, shared);  // while the first elements are on their way
  while (!from.done()) {
    form.add(acc, shared, x, live, [&](int k) { return from.index(k); });
    from.advance();
    live = from.load(x);
  }

  if (blockIdx.x > 0) {
    form.close(acc, shared);
    form.publish(acc, shared, call.w.slots + (blockIdx.x - 1) * Form::words, epoch);
    return;
  }
  if (threadIdx.x < call.parts.head + call.parts.tail) {
    bool const before = threadIdx.x < call.parts.head;
    auto const i = before ? threadIdx.x : call.n - call.parts.tail + threadIdx.x - call.parts.head;
    form.add(acc, shared, call.in[i], i);
  }
  form.close(acc, shared);
  if (gridDim.x > 1) {
    form.collect(acc, shared, call.w.slots, gridDim.x - 1, epoch);
    if (threadIdx.x == 0) end_epoch(call.w, epoch, std::uint64_t(gridDim.x - 1) * Form::words);
  }
  bool const found = form.finish(acc, shared, call.n, call.out.result);
  if (threadIdx.x == 0 && call.out.found) *call.out.found = found;
}

}  // namespace tally::device
