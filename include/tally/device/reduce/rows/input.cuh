// SPDX-License-Identifier: Apache-2.0
//
// How kernels read the elements of a row: in vectors where they lie side by side, else one by one.
#pragma once

#include "tally/device/input/sources.cuh"
#include "tally/rows.hpp"

namespace tally::device {

template <class In>
using row_of_input = decltype(std::declval<In const&>().row(0));
template <class In>
using row_source = decltype(source_of(side_by_side(std::declval<row_of_input<In> const&>())));

// The j-th vector of what was read, as values.
template <class Source, class Batch>
__device__ auto values_of_vector(Source const& from, Batch const& read, int j) {
  batch<typename Source::element, 1, Source::each> x;
#pragma unroll
  for (int k = 0; k < Source::each; ++k) x.set(k, from.value(read, j * Source::each + k));
  return x;
}

// Calls many(source, first, vectors) with a source of a row's elements [first, last) whose vectors
// can be loaded, and one(i) for each of those beside them that is the thread's: the `reader`-th of
// so many readers.
template <class Row, class Many, class One>
__device__ void for_vectors(Row const& row, bool together, std::uint64_t begin, std::uint64_t end,
                            unsigned reader, unsigned readers, Many many, One one) {
  auto const read = [&](auto const& source) {
    constexpr unsigned each = std::remove_cvref_t<decltype(source)>::each;
    std::uint64_t const n = end - begin, head = source.head() < n ? source.head() : n;
    std::uint64_t const vectors = (n - head) / each, behind = begin + head + vectors * each;
    many(source.from(head), begin + head, vectors);
    for (std::uint64_t i = begin + reader; i < begin + head; i += readers) one(i);
    for (std::uint64_t i = behind + reader; i < end; i += readers) one(i);
  };
  if (together) {
    auto const source = source_of(side_by_side(row)).from(begin);
    if (source.is_aligned(source.head())) return read(source);
  }
  read(source_of(row).from(begin));
}

}  // namespace tally::device
