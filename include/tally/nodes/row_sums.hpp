// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of which ranks have slices: all digits of all rows are added up at once, as
// integers, and each rank gets the sums of its share.
#pragma once

#include <type_traits>

#include "tally/aggregate/sum.hpp"
#include "tally/definition/sum.hpp"
#include "tally/nodes/row_parts.hpp"
#include "tally/reduce.hpp"

namespace tally::detail {

template <class Op>
inline constexpr bool is_sum = false;
template <class R>
inline constexpr bool is_sum<basic_sum<R>> = true;

// Integers are added up modulo 2^64, as one digit.
template <element T>
struct digits_of_sum {
  using known = sum;
  static constexpr std::size_t count = 1;
  static void put(widest<T> sum, std::uint64_t* to) { *to = std::uint64_t(sum); }
  template <class R>
  static R result(std::uint64_t const* from) {
    return R(*from);
  }
};
// Digits have 32 bits each, but for the last, which has the sign: their sums over 2^29 ranks have
// room in 64. Behind them come the counts of what is not finite.
template <floating T>
struct digits_of_sum<T> {
  using known = sum_state;
  static constexpr int digits = sum_digits<T>::digits;
  static constexpr std::size_t count = std::size_t(digits) + 3;
  static void put(exact_state<T> const& carried, std::uint64_t* to) {
    for (auto const digit : carried.finite.digit) *to++ = std::uint64_t(digit);
    *to++ = carried.nan;
    *to++ = carried.positive_infinity;
    *to++ = carried.negative_infinity;
  }
  template <class R>
  static R result(std::uint64_t const* from) {
    exact_state<T> s;
    for (auto& digit : s.finite.digit) digit = std::int64_t(*from++);
    s.nan = *from++, s.positive_infinity = *from++, s.negative_infinity = *from++;
    return s.template result<R>();
  }
};

// Calls f(row, its sum) for this rank's share of the rows.
template <class Result, class W, readable_rows R, class F>
void for_sums_of_share(distributed<W> const& where, R const& in, nan_policy nan, F const& f) {
  using T = element_of_rows<R>;
  using digits = digits_of_sum<T>;
  auto& ranks = where.ranks;
  auto const n = in.layout().count, each = share_of_rows::size(n, ranks.size());
  std::vector<std::uint64_t> all, sums;
  all_gather_result(ranks, [&] {
    all.resize(each * std::uint64_t(ranks.size()) * digits::count);
    sums.resize(each * digits::count);
    auto const mine = reductions_on<std::remove_cvref_t<W>>::value(where.where, in,
                                                                   typename digits::known{}, nan);
    for (std::size_t r = 0; r < mine.size(); ++r)
      digits::put(mine[r], all.data() + r * digits::count);
    return std::vector<std::byte>();
  });
  ranks.reduce_scatter(all, sums);
  share_of_rows const share(n, ranks.size(), ranks.rank());
  for (auto r = share.begin; r < share.end; ++r)
    f(r, digits::template result<Result>(sums.data() + (r - share.begin) * digits::count));
}

}  // namespace tally::detail
