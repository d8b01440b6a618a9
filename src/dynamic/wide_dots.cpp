// SPDX-License-Identifier: Apache-2.0
//
// The exact sums of the products of pairs of integers.
#include "rows.hpp"
#include "tally/cpu_operators.hpp"

namespace tally::detail {
namespace {

// An integer of 192 bits: products have 128, and there are less than 2^63.
struct product_sum {
  std::uint64_t limb[3] = {};
};

template <integer T>
struct exact_integer_dot {
  using element = zipped<T, T>;
  using state = product_sum;
  using result = wide_integer;
  static constexpr bool any_order = true;
  static constexpr char const* name = dot::name;

  state identity() const { return {}; }
  TALLY_FN state lift(element x, std::uint64_t) const {
    using wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    wide const product = wide(x.first) * wide(x.second);
    return {{std::uint64_t(product), std::uint64_t(product >> 64),
             std::is_signed_v<T> && product < 0 ? ~std::uint64_t(0) : 0}};
  }
  TALLY_FN state combine(state const& left, state const& right) const {
    state out;
    unsigned __int128 sum = 0;
    for (int i = 0; i < 3; ++i) {
      sum = (sum >> 64) + left.limb[i] + right.limb[i];
      out.limb[i] = std::uint64_t(sum);
    }
    return out;
  }
  wide_integer lower(state const& s) const {
    return {{s.limb[0], s.limb[1], s.limb[2], s.limb[2] >> 63 ? ~std::uint64_t(0) : 0}};
  }
  static void write(auto& out, state const& s) {
    for (auto const limb : s.limb) out.put(limb);
  }
  static state read(auto& in) {
    state s;
    for (auto& limb : s.limb) limb = in.template get<std::uint64_t>();
    return s;
  }
};

// The same as users name an aggregate.
struct wide_dot {
  static constexpr char const* name = dot::name;
  template <class Pair>
  using result = wide_integer;
  template <class Pair>
  auto on() const {
    return exact_integer_dot<typename Pair::first_type>{};
  }
};

template <integer T>
struct functions_of {
  using here = compiled_here<wide_dot, pair<T>>;

  static any_result results() {
    any_result out;
    put_wide<T>(out, {});
    return out;
  }
  static void at_once(aggregate_options const&, cpu where, any_input const& in, nan_policy nan,
                      any_result& out) {
    auto const x = input_of(dot::name, "in", arrays_of<pair<T>>::in(in));
    put_wide<T>(out, here::at_once({}, where, elements_of(x), x.size(), nan));
  }
  static void* start(aggregate_options const&) { return here::start({}).release(); }
  static void finish(aggregate_options const&, void const* known, any_result& out) {
    put_wide<T>(out, here::finish({}, *static_cast<running<pair<T>> const*>(known)));
  }
};

template <integer T>
constexpr aggregate_row wide_row() {
  using functions = functions_of<T>;
  return {dot::name,
          dot::summary,
          dtype_of<T>,
          true,
          false,
          functions::results,
          functions::at_once,
          nullptr,
          functions::start,
          functions::finish,
          true};
}

}  // namespace

#define TALLY_ROW(O, T) wide_row<T>(),

std::span<aggregate_row const> wide_dot_rows() {
  static constexpr aggregate_row rows[] = {TALLY_EACH_integer(TALLY_ROW, dot)};
  return rows;
}

}  // namespace tally::detail
