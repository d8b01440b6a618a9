// SPDX-License-Identifier: Apache-2.0
//
// How a GPU counts what is not zero: by the plain agent, bytes by words.
#pragma once

#include "tally/aggregate/logic.hpp"
#include "tally/device/input/packed.cuh"
#include "tally/device/reduce/agent/agent.cuh"

namespace tally::device {

template <element T, class Lower>
struct block_zeros : detail::zeros_seen_as<T, Lower> {
  using typename zeros<T>::state;
  template <class Batch, class Index, class IsThere>
    requires(narrow_integer<T> && sizeof(T) == 1 && Batch::in_words)
  __device__ void add(state& s, Batch const& x, Index, IsThere) const {
    s.count += unsigned(Batch::size);
    s.zero += unsigned(Batch::size - nonzero_bytes(x));
  }
};

template <element T, class Lower>
struct agent_for<detail::zeros_seen_as<T, Lower>> {
  static plain_agent<block_zeros<T, Lower>> make(auto const&, bool skips_nan) {
    return {skips_nan, {}};
  }
};

}  // namespace tally::device
