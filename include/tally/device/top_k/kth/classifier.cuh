// SPDX-License-Identifier: Apache-2.0
//
// Which class of numbers, between splitters that rise, an element is in: by a search in a tree
// without branches (P. Sanders and S. Winkel, "Super scalar sample sort", 2004), several elements
// at a time, so that loads do not wait for one another.
#pragma once

#include "tally/cuda/shared_cursor.cuh"
#include "tally/device/top_k/kth/class_memory.cuh"
#include "tally/device/top_k/select/numbers.cuh"

namespace tally::device {

template <class Numbers>
class classifier {
 public:
  using number = typename Numbers::number;

  // For so many splitters, which are in shared_classes(). `wanted` has a bit for each class.
  __device__ classifier(Numbers const& numbers, unsigned splitters, std::uint64_t wanted)
      : numbers_(numbers), wanted_(wanted) {
    while (splitters >> depth_) ++depth_;
  }

  template <class Bits>
  __device__ unsigned class_of(Bits x) const {
    number const v[1] = {numbers_.of(x)};
    cursor at[1] = {cursor(splitters())};
    search(v, at);
    return at[0].from(splitters());
  }
  // Whether an element that count() has told of is wanted.
  template <class Bits>
  __device__ bool keeps(Bits) const {
    return true;
  }

  // Counts what a thread has loaded. Returns which of them are wanted.
  template <class Batch>
  __device__ unsigned count(Batch const& x) const {
    constexpr int some = Batch::items < 8 ? Batch::items : 8;
    auto* const counts = counts_of_lane();
    unsigned found = 0;
#pragma unroll
    for (int j = 0; j < Batch::items; j += some) {
      number v[some];
      cursor at[some];
#pragma unroll
      for (int i = 0; i < some; ++i) v[i] = numbers_.of(x.x[j + i]), at[i] = cursor(splitters());
      search(v, at);
      if constexpr (Numbers::has_nan) count_nans(v);
#pragma unroll
      for (int i = 0; i < some; ++i) {
        unsigned const c = at[i].from(splitters());
        atomicAdd(counts + row_of(c), 1u);
        found = __funnelshift_r(found, unsigned(wanted_ >> c), 1);
      }
    }
    return Batch::items == 32 ? found : found >> (32 - Batch::items);
  }

 private:
  using cursor = shared_cursor<number>;

  __device__ static number const* splitters() {
    return shared_classes().template splitters_as<number>();
  }

  template <int Some>
  __device__ void search(number const (&v)[Some], cursor (&at)[Some]) const {
    switch (depth_) {
      case 6: step<32>(v, at); [[fallthrough]];
      case 5: step<16>(v, at); [[fallthrough]];
      case 4: step<8>(v, at); [[fallthrough]];
      case 3: step<4>(v, at); [[fallthrough]];
      case 2: step<2>(v, at); [[fallthrough]];
      case 1: step<1>(v, at);
    }
  }
  template <unsigned Step, int Some>
  __device__ static void step(number const (&v)[Some], cursor (&at)[Some]) {
#pragma unroll
    for (int i = 0; i < Some; ++i)
      at[i].template advance_if<Step>(Numbers::is_above(v[i], at[i].template ahead<Step - 1>()));
  }

  // NaNs, which are above no splitter, are counted in their own class instead. Their sum tells
  // whether there are any, or infinities.
  template <int Some>
  __device__ static void count_nans(number const (&v)[Some]) {
    number sum = 0;
#pragma unroll
    for (int i = 0; i < Some; ++i) sum += v[i] * number(0);
    if (sum == sum) return;
    unsigned nans = 0;
#pragma unroll
    for (int i = 0; i < Some; ++i) nans += v[i] != v[i];
    atomicAdd(counts_of_lane() + row_of(class_of_nans), nans);
    atomicAdd(counts_of_lane() + row_of(0), 0u - nans);
  }

  Numbers const numbers_;
  std::uint64_t const wanted_;
  unsigned depth_ = 0;  // of the tree
};

}  // namespace tally::device
