// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of kth_value and quantile are told of their outputs. Needs no CUDA toolkit.
#pragma once

#include "tally/device/top_k_shape.hpp"
#include "tally/dtype.hpp"
#include "tally/interpolation.hpp"

namespace tally::detail {

// The k-th of each row goes to values[row] and indices[row]; where there is none, `missing` and -1.
template <class Bits>
struct gpu_kth {
  std::uint64_t k;
  Bits missing;
  Bits* values;
  std::int64_t* indices;
};

// `count` quantiles of each row go to `out`, which has `places` for each, from the place `first`
// on.
struct gpu_quantiles {
  static constexpr unsigned most = 32;  // of one launch

  dtype elements;
  interpolation method;
  bool skips_nan;
  unsigned count;
  quantile_place q[most];
  void* out;  // of quantile_of the elements
  std::uint64_t first, places;
};

}  // namespace tally::detail
