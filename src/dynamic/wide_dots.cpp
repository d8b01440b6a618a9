// SPDX-License-Identifier: Apache-2.0
//
// The exact sums of the products of pairs of integers.
#include "table.hpp"
#include "tally/cpu_operators.hpp"

namespace tally::detail {
namespace {

// An integer of 192 bits in two's complement: products have 128, and there are less than 2^63.
struct product_sum {
  std::uint64_t limb[3] = {};

  product_sum() = default;
  // x * 2^(64 * shift)
  TALLY_FN product_sum(__int128 x, int shift) {
    for (int i = shift; i < 3; ++i, x >>= 64) limb[i] = std::uint64_t(x);
  }
  TALLY_FN void add(product_sum const& other) {
    unsigned __int128 sum = 0;
    for (int i = 0; i < 3; ++i) {
      sum = (sum >> 64) + limb[i] + other.limb[i];
      limb[i] = std::uint64_t(sum);
    }
  }
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
    state s(low(x.first, x.second), 0);
    if constexpr (sizeof(T) == 8) s.add({high(x.first, x.second), 1});
    return s;
  }
  TALLY_FN state combine(state left, state const& right) const {
    left.add(right);
    return left;
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

  // A product is low + 2^64 * high; that of narrow elements has 64 bits.
  static TALLY_FN __int128 low(T a, T b) {
    if constexpr (sizeof(T) < 8)
      return widest<T>(a) * widest<T>(b);
    else
      return std::uint64_t(a) * std::uint64_t(b);
  }
  static TALLY_FN std::int64_t high(T a, T b)
    requires std::is_signed_v<T>
  {
    return std::int64_t(__int128(a) * b >> 64);
  }
  static TALLY_FN std::uint64_t high(T a, T b) {
    return std::uint64_t(static_cast<unsigned __int128>(a) * b >> 64);
  }
};

// A tile's sums of low and high halves have 128 bits each.
template <integer T>
struct exact_integer_dot_accumulator {
  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, product_sum& s) {
    using dot = exact_integer_dot<T>;
    __int128 low = 0, high = 0;
    for (int k = 0; k < t.count; ++k) {
      low += dot::low(t.data.first[k], t.data.second[k]);
      if constexpr (sizeof(T) == 8) high += dot::high(t.data.first[k], t.data.second[k]);
    }
    s.add({low, 0});
    s.add({high, 1});
  }
  void flush(product_sum&) const {}
};
}  // namespace

template <integer T>
struct accumulator_for<exact_integer_dot<T>> {
  using type = exact_integer_dot_accumulator<T>;
};

namespace {

template <integer T>
struct functions_of {
  using here = compiled_here<exact_integer_dot<T>, pair<T>>;

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

  static constexpr decltype(aggregate_entry::append_on_gpu) append_on_gpu = nullptr;

  static constexpr std::size_t result_bytes = sizeof(wide_integer);
  static std::span<number_place const> numbers() { return {}; }
  static void on_cores(aggregate_options const&, cpu where, cpu_rows const& in, nan_policy nan,
                       rows_places const& to) {
    for_rows(where, *static_cast<row_elements<pair<T>> const*>(in.elements),
             [&](cpu with, std::uint64_t r, elements<pair<T>> const& row, std::uint64_t size) {
               any_result one;
               put_wide<T>(one, here::at_once({}, with, row, size, nan));
               store(one, place_of(to, r, result_bytes));
             });
  }
};

}  // namespace

#define TALLY_ENTRY(O, T) entry_with<O, pair<T>, functions_of<T>>(nullptr, nullptr, true),

std::span<aggregate_entry const> wide_dot_entries() {
  static constexpr aggregate_entry entries[] = {TALLY_EACH_integer(TALLY_ENTRY, dot)};
  return entries;
}

}  // namespace tally::detail
