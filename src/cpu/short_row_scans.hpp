// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums of short rows, each without a state: an integer, or a double, which has each sum
// exactly as long as no addition has an error (Knuth's two-sum), or for doubles two, of which the
// second one has the errors of the first. Where the last one has an error, or an element is not
// finite, the row is scanned as any other. Lanes do so for rows that lie as is usual.
#pragma once

#include <cmath>

#include "scan_lanes.hpp"
#include "tally/compiled.hpp"
#include "tally/cpu/running_scan.hpp"
#include "tally/exact/double_double.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::detail {

// A running sum of elements In for results Out.
template <class In, class Out>
struct row_sum;
template <integer In, integer Out>
struct row_sum<In, Out> {
  std::uint64_t sum;

  explicit row_sum(Out init) : sum(std::uint64_t(init)) {}
  void add(In x, bool) { sum += std::uint64_t(x); }
  Out result() const { return Out(sum); }
  bool is_certain() const { return true; }
};
// (The conversions that hold everywhere are slow.)
template <floating T>
double as_double(T x) {
  if constexpr (sizeof(T) == 2)
    return to_float(x);
  else
    return x;
}
template <floating T>
T rounded_double(double x) {
  if constexpr (sizeof(T) == 2)
    return convert<T>(x);
  else
    return T(x);
}

struct exact_double {
  double sum, errors = 0;

  explicit exact_double(double init) : sum(init + 0.0) {}  // a zero is +0
  // Returns the error of the addition.
  double add(double x) {
    auto const [now, error] = two_sum(sum, x);
    errors += std::abs(error);
    sum = now;
    return error;
  }
  bool is_certain() const { return errors == 0; }
};
template <floating In, floating Out>
struct row_sum<In, Out> : exact_double {
  explicit row_sum(Out init) : exact_double(as_double(init)) {}
  void add(In x, bool skips_nan) { exact_double::add(skips_nan && is_nan(x) ? 0 : as_double(x)); }
  Out result() const { return rounded_double<Out>(sum); }
};
// Of doubles, with the sum of its errors.
template <>
struct row_sum<double, double> {
  exact_double sum, rest{0};

  explicit row_sum(double init) : sum(init) {}
  void add(double x, bool skips_nan) { rest.add(sum.add(skips_nan && is_nan(x) ? 0 : x)); }
  double result() const { return sum.sum + rest.sum; }
  bool is_certain() const { return rest.is_certain(); }
};

// Longer rows are faster one after the other, unless lanes scan them.
inline constexpr std::uint64_t longest_row_by_sum = 128;

// Scans rows [first, end) as far as it is certain: `done` says of which ones.
template <class In, class Out>
void scan_rows_by_sums(short_row_scan<In, Out> const& call, std::uint64_t first, std::uint64_t end,
                       bool* done) {
  std::uint64_t const alone = scan_rows_by_lanes(call, first, end, done);
  if (call.in.length > longest_row_by_sum) {
    std::fill(done + (alone - first), done + (end - first), false);
    return;
  }
  for (std::uint64_t r = alone; r < end; ++r) {
    std::uint64_t const n = call.in.size(r);
    In const* const from = call.in.data + call.in.begin(r);
    Out results[longest_row_by_sum];
    row_sum<In, Out> sum(call.init);
    for (std::uint64_t k = 0; k < n; ++k) {
      std::uint64_t const i = call.shape.reverse ? n - 1 - k : k;
      if (call.shape.exclusive) results[i] = sum.result();
      sum.add(from[std::int64_t(i) * call.in.step], call.nan == skip);
      if (!call.shape.exclusive) results[i] = sum.result();
    }
    done[r - first] = sum.is_certain();
    if (!done[r - first]) continue;
    Out* const to = call.out.data + call.out.begin(r);
    for (std::uint64_t i = 0; i < n; ++i) to[std::int64_t(i) * call.out.step] = results[i];
    if (call.totals) call.totals[r] = sum.result();
  }
}

}  // namespace tally::detail
