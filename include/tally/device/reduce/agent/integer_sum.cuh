// SPDX-License-Identifier: Apache-2.0
//
// How a GPU adds up integers and products of pairs of them, and multiplies them: by the plain
// agent.
#pragma once

#include "tally/aggregate/dot.hpp"
#include "tally/aggregate/product.hpp"
#include "tally/aggregate/sum.hpp"
#include "tally/device/input/packed.cuh"
#include "tally/device/reduce/agent/agent.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

template <integer T, integer R>
struct block_integer_sum : integer_sum<T, R> {
  using typename integer_sum<T, R>::state;

  __device__ state fold_warp(state s) const { return warp::reduce(s, plus{}); }

  // The sum of a batch of narrow elements fits 32 bits; zeros stand where there is no element.
  template <class Batch, class Index, class IsThere>
  __device__ void add(state& s, Batch const& x, Index, IsThere) const {
    if constexpr (narrow<T> && Batch::in_words) {
      s += state(sum_of_words<T>(x));
    } else {
#pragma unroll
      for (int k = 0; k < x.size; ++k) s += state(x[k]);
    }
  }
};

template <integer T>
struct block_integer_product : integer_product<T> {
  using typename integer_product<T>::state;
  template <class Batch, class Index, class IsThere>
    requires(narrow<T> && Batch::in_words)
  __device__ void add(state& s, Batch const& x, Index, IsThere) const {
    s *= product_of_words<T>(x);
  }
};

template <integer T, integer R>
struct block_integer_dot : integer_dot<T, R> {
  using typename integer_dot<T, R>::state;
  __device__ state fold_warp(state s) const { return warp::reduce(s, plus{}); }

  template <class Batch, class Index, class IsThere>
    requires(narrow<T> && pairs_in_words<Batch>)
  __device__ void add(state& s, Batch const& x, Index, IsThere) const {
    s += products_of_words<T>(x.first, x.second);
  }
};

template <integer T, integer R>
struct agent_for<integer_sum<T, R>> {
  static plain_agent<block_integer_sum<T, R>> make(auto const&, bool skips_nan) {
    return {skips_nan, {}};
  }
};
template <integer T>
struct agent_for<integer_product<T>> {
  static plain_agent<block_integer_product<T>> make(auto const&, bool skips_nan) {
    return {skips_nan, {}};
  }
};
template <integer T, integer R>
struct agent_for<integer_dot<T, R>> {
  static plain_agent<block_integer_dot<T, R>> make(auto const&, bool skips_nan) {
    return {skips_nan, {}};
  }
};

}  // namespace tally::device
