// SPDX-License-Identifier: Apache-2.0
//
// The rows of a selection, one after the other, and their places in the outputs.
#pragma once

#include "tally/device/rows/row.cuh"
#include "tally/device/top_k/request.hpp"

namespace tally::device {

// Where the best of a row go.
template <class Row>
struct row_output {
  using bits = typename Row::bits;
  Row row;
  rank_order<bits> const& order;
  detail::gpu_selection<bits> const& how;
  std::uint64_t first;

  __device__ void put(std::uint64_t place, bits element, std::int64_t index) const {
    how.put(first + place, element, index);
  }
  // An element is made of its key, unless others have this key, too.
  __device__ void put_key(std::uint64_t place, bits key, std::int64_t index) const {
    put(place, order.is_of_several(key) ? row[std::uint64_t(index)] : order.element_of(key), index);
  }
};

// Fills the places that a row has no elements for, by thread `thread` of so many.
template <class Bits>
__device__ void finish_row(detail::gpu_selection<Bits> const& how, std::uint64_t r,
                           std::uint64_t count, unsigned thread, unsigned threads) {
#pragma unroll 1
  for (std::uint64_t i = count + thread; i < how.most; i += threads)
    how.put(r * how.most + i, how.missing, -1);
  if (thread == 0 && how.counts) how.counts[r] = count;
}

// The row r, and its places.
template <class In>
__device__ auto output_of(top_k_request<In> const& call, std::uint64_t r) {
  auto const row = row_of(call.in, std::uint64_t(call.rows.begin(r)), call.rows.size(r));
  return row_output<std::remove_const_t<decltype(row)>>{row, call.order, call.how,
                                                        r * call.how.most};
}

template <class In>
using output_for = decltype(output_of(std::declval<top_k_request<In> const&>(), 0));

// Calls select(k, out) for the row r, if any of it are asked for; it returns how many it has put
// out. By thread `thread` of so many.
template <class In, class Select>
__device__ void select_row(top_k_request<In> const& call, std::uint64_t r, unsigned thread,
                           unsigned threads, Select select) {
  auto const out = output_of(call, r);
  std::uint64_t const k = call.how.k_of(r, out.row.count);
  finish_row(call.how, r, k > 0 ? select(unsigned(k), out) : 0, thread, threads);
}

// By a thread of all that have the row: counts what became of it, for tests.
template <class Bits>
__device__ void note(detail::gpu_selection<Bits> const& how, detail::top_k_path path) {
  if (how.paths) atomicAdd(how.paths + unsigned(path), 1u);
}

}  // namespace tally::device
