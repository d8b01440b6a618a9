// SPDX-License-Identifier: Apache-2.0
//
// Random calls of every element type, on cores and on a GPU.
#pragma once

#include "recording/inputs.hpp"
#include "recording/outcome.hpp"
#include "recording/places.hpp"

namespace recording {

// What a random call is given, and where its bits go.
template <tally::element T, class Place>
struct given {
  generator& random;
  Place const& place;
  outcome& out;
  tally::nan_policy nan;
  host_array<T> const& host;
  std::span<T const> x;  // the same, in memory of the place

  void is(std::string what, recording::mark mark = mark::none) {
    out.what = std::move(what);
    out.mark = mark;
  }
  bool flip() { return below(random, 2) == 0; }
  std::size_t middle() { return std::size_t(below(random, x.size() + 1)); }
  std::size_t offset() { return std::size_t(below(random, 9)); }
  // The first n elements of an array.
  template <class U>
  void take(array<Place, U>& from, std::size_t n) {
    auto const host = from.to_host(n);
    out.bits.take(std::span<U const>(host.get(), n));
  }
};

// One of so many.
inline constexpr uint64_t reductions = 26, scans = 7, selections = 13;
template <tally::element T, class Place>
void random_reduction(given<T, Place>& g);
template <tally::element T, class Place>
void random_scan(given<T, Place>& g);
template <tally::element T, class Place>
void random_selection(given<T, Place>& g);

// In the source that has one of these.
#define RECORDING_OF(CALL, T)                                            \
  template void recording::CALL(recording::given<T, recording::cores>&); \
  template void recording::CALL(recording::given<T, recording::on_gpu>&);

}  // namespace recording
