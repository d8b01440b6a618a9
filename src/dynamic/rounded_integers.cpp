// SPDX-License-Identifier: Apache-2.0
//
// The exact sums of integers, beyond 2^64, too, rounded once to a floating type: made of first
// moments.
#include "rows.hpp"
#include "tally/cpu/implementations.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {
namespace {

template <integer T, floating R>
struct rounded_sum {
  static any_result results() {
    any_result out;
    put(out, R{});
    return out;
  }
  static void at_once(aggregate_options const&, cpu where, any_input const& in, nan_policy nan,
                      any_result& out) {
    auto const x = input_of(sum::name, "in", arrays_of<T>::in(in));
    auto const known = start_compiled<mean, T>(mean{});
    known->add(thread_count(where), elements_of(x), x.size(), 0, nan);
    lower(*known, out);
  }
  static void* start(aggregate_options const&) { return start_compiled<mean, T>(mean{}).release(); }
  static void finish(aggregate_options const&, void const* known, any_result& out) {
    lower(*static_cast<running<T> const*>(known), out);
  }

 private:
  static void lower(running<T> const& known, any_result& out) {
    auto const total = total_of<moments<T, false>>(known).value.sum;
    with_standard_arithmetic([&] { put(out, total.template result<R>()); });
  }
};

template <integer T, floating R>
constexpr aggregate_row rounded_row() {
  using functions = rounded_sum<T, R>;
  return {sum::name,
          sum::summary,
          dtype_of<T>,
          false,
          false,
          functions::results,
          functions::at_once,
          nullptr,
          functions::start,
          functions::finish};
}

}  // namespace

#define TALLY_ROW(R, T) rounded_row<T, R>(),
#define TALLY_ROWS_AS(R) TALLY_EACH_integer(TALLY_ROW, R)

std::span<aggregate_row const> rounded_integer_rows() {
  static constexpr aggregate_row rows[] = {TALLY_ROWS_AS(float16) TALLY_ROWS_AS(bfloat16)
                                               TALLY_ROWS_AS(float) TALLY_ROWS_AS(double)};
  return rows;
}

}  // namespace tally::detail
