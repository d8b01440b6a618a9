// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute describe{}: what it is made of in one read, put together at the end.
#pragma once

#include "tally/definition/describe.hpp"
#include "tally/device/agent/ends.cuh"
#include "tally/device/agent/together.cuh"

namespace tally::device {

template <element T, class Pieces, class Joint>
struct described_agent : Joint {
  using element = T;
  using result = description<T>;
  using typename Joint::accumulator;
  using typename Joint::shared;

  __device__ bool finish(accumulator const& acc, shared& s, std::uint64_t n, result* out) const {
    alignas(Pieces) __shared__ unsigned char memory[sizeof(Pieces)];
    auto* const pieces = reinterpret_cast<Pieces*>(memory);  // no constructor runs
    bool const found = Joint::finish(acc, s, n, pieces);
    __syncthreads();
    if (threadIdx.x == 0) *out = put_together(*pieces);
    return found;
  }

 private:
  static __device__ result put_together(Pieces const& p) {
    auto const n = get<0>(p);
    auto const ends = get<4>(p);
    return {n.count,      n.nan_count,  get<1>(p),       get<2>(p),      get<3>(p),
            ends.minimum, ends.maximum, ends.minimum_at, ends.maximum_at};
  }
};

template <element T>
struct agent_for<detail::described<T>> {
  static auto make(detail::described<T> const& a, bool skips_nan) {
    auto const pieces = detail::bind_all<T>(count_elements<T>{}, tally::sum{}, tally::mean{},
                                            tally::standard_deviation{a.ddof}, single_ends<T>{});
    auto const joint = make_joint_agent(list_of(pieces), skips_nan);
    return described_agent<T, typename decltype(pieces)::result,
                           std::remove_const_t<decltype(joint)>>{joint};
  }
};

}  // namespace tally::device
