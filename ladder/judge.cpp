// SPDX-License-Identifier: Apache-2.0
#include "ladder/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ladder {

std::string unlike(double expected, double found) {
  return fmt::format("expected {}, found {}", expected, found);
}
std::string unlike(long long expected, long long found) {
  return fmt::format("expected {}, found {}", expected, found);
}

static bool is_sum(operation op) { return op == operation::sum || op == operation::mean; }

std::size_t result_bytes(operation op, element type) {
  return type == element::int32 && is_sum(op) ? 8 : 4;
}

// A NaN is like any other; else the bits count, so that -0.0 is not +0.0.
template <class T>
static judgement judge_bits(T expected, T found) {
  bool const same = std::memcmp(&expected, &found, sizeof(T)) == 0;
  if (same || (expected != expected && found != found)) return {.right = true};
  using shown = std::conditional_t<std::is_integral_v<T>, long long, double>;
  return {.why = unlike(shown(expected), shown(found))};
}

// The extremum of the order in which -0.0 comes before +0.0.
template <class T>
static T extremum(outcome const& run) {
  using limits = std::numeric_limits<T>;
  elements<T> const in(run.in);
  bool const least = run.given.op == operation::minimum;
  T const top = limits::has_infinity ? limits::infinity() : limits::max();
  T const bottom = limits::has_infinity ? -limits::infinity() : limits::lowest();
  T best = least ? top : bottom;
  for (std::size_t i = 0; i < in.size(); ++i) {
    T const x = in[i];
    if (x != x) return x;
    bool const below =
        x < best || (x == best && std::signbit(double(x)) > std::signbit(double(best)));
    bool const same = x == best && std::signbit(double(x)) == std::signbit(double(best));
    if (!same && below == least) best = x;
  }
  return best;
}

static judgement judge_int_sum(outcome const& run) {
  elements<std::int32_t> const in(run.in);
  __int128 exact = 0;
  for (std::size_t i = 0; i < in.size(); ++i) exact += in[i];
  if (run.given.op == operation::sum) {
    return judge_bits((long long)exact, elements<long long>(run.out)[0]);
  }
  return judge_bits(double(exact) / double(in.size()), elements<double>(run.out)[0]);
}

// Sums in long double: its own error is 2^40 times smaller than what is allowed here.
static judgement judge_float_sum(outcome const& run) {
  elements<float> const in(run.in);
  long double exact = 0, magnitude = 0;
  float const found = elements<float>(run.out)[0];
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] != in[i]) return judge_bits(in[i], found);
    exact += in[i];
    magnitude += std::fabs(in[i]);
  }
  bool const mean = run.given.op == operation::mean;
  if (run.kind != data::hard || in.size() == 0) {
    return judge_bits(mean ? float(exact) / float(in.size()) : float(exact), found);
  }
  long double const count = mean ? (long double)in.size() : 1;
  long double const error = std::fabs(found * count - exact) / magnitude;
  long double const steps = (long double)in.size() + mean;  // the division rounds once more
  if (error <= steps * 0x1p-24L) return {.right = true, .error = double(error)};
  return {.error = double(error), .why = unlike(double(exact / count), double(found))};
}

judgement judge_reduction(outcome const& run) {
  bool const floats = run.given.type == element::float32;
  if (is_sum(run.given.op)) return floats ? judge_float_sum(run) : judge_int_sum(run);
  return floats ? judge_bits(extremum<float>(run), elements<float>(run.out)[0])
                : judge_bits(extremum<std::int32_t>(run), elements<std::int32_t>(run.out)[0]);
}

}  // namespace ladder
