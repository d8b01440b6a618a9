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

inline constexpr int reduce_threads = 512, reduce_blocks_a_multiprocessor = 2;

// Of an any-order aggregate, by its form (plain.cuh says what that is).
template <class Form>
struct any_order_call {
  Form form;
  typename Form::element const* in;
  std::uint64_t n;
  answer<typename Form::result> out;
  workspace w;
};

// Each block takes as many rows as the next; all but the first publish their totals, and the first
// one waits for them.
template <class Form>
__global__ void __launch_bounds__(reduce_threads, reduce_blocks_a_multiprocessor)
    reduce_any_order(any_order_call<Form> call) {
  auto const& [form, in, n, out, w] = call;
  using reader = row_reader<typename Form::element>;
  __shared__ typename Form::shared shared;
  typename Form::accumulator acc;
  std::uint32_t const epoch = gridDim.x > 1 ? this_epoch(w) : 0;
  reader const from(in, n);
  std::uint64_t const rows = from.rows(), last = rows * (blockIdx.x + 1) / gridDim.x;
  std::uint64_t row = rows * blockIdx.x / gridDim.x;
  typename Form::element x[reader::size];
  std::uint64_t live = from.load(row, last, x);
  form.start(acc, shared);  // while the first elements are on their way
  for (;;) {
    form.add(acc, shared, x, live, [&](int k) { return from.index(row, k); });
    row += loads_in_flight;
    if (row >= last) break;
    live = from.load(row, last, x);
  }
  form.close(acc, shared);

  if (blockIdx.x > 0) {
    form.publish(acc, shared, w.slots + (blockIdx.x - 1) * Form::words, epoch);
    return;
  }
  if (gridDim.x > 1) {
    form.collect(acc, shared, w.slots, gridDim.x - 1, epoch);
    if (threadIdx.x == 0) end_epoch(w, epoch, std::uint64_t(gridDim.x - 1) * Form::words);
  }
  bool const found = form.finish(acc, shared, n, out.result);
  if (threadIdx.x == 0 && out.found) *out.found = found;
}

}  // namespace tally::device
