// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/fast_sum.hpp"

namespace tally {

struct product;

// Products of floating-point numbers in the type itself (float16 and bfloat16: in float), in the
// order of the aligned tree, rounded at every step: the same bits everywhere.
template <floating T>
struct tree_product : tree_sum<T> {
  using typename tree_sum<T>::state;
  using parts = tree_product;
  static constexpr char const* name = "product";

  TALLY_FN state identity() const { return state(1); }
  template <class S>
  TALLY_FN S combine(S left, S right) const {
    return left * right;
  }
  TALLY_HD T lower(state s) const { return convert<T>(s); }
  static void pack(auto& out, state s) { out.put(is_nan(s) ? quiet_nan<state>() : s); }
};

// The product of integers modulo 2^64.
template <integer T>
struct integer_product : integer_sum<T> {
  using typename integer_sum<T>::state;
  using parts = integer_product;
  static constexpr char const* name = "product";

  TALLY_FN state identity() const { return 1; }
  TALLY_FN state combine(state left, state right) const { return left * right; }
  using told_by = detail::asked<product>;
};

// product{}: as above. Of nothing, 1.
struct product {
  static constexpr char const* name = "product";
  static constexpr char const* summary =
      "the product, rounded at every step; of integers modulo 2^64";
  template <element T>
  using result = detail::sum_result<T, void>;

  template <element T>
  auto on() const {
    if constexpr (integer<T>)
      return integer_product<T>{};
    else
      return tree_product<T>{};
  }
  // Scans are of the widest integers: narrower ones are converted to them first.
  template <element In, std::same_as<In> Out>
    requires(floating<In> || std::is_same_v<In, result<In>>)
  auto scanning() const {
    return on<In>();
  }
};

}  // namespace tally
