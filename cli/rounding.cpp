// SPDX-License-Identifier: Apache-2.0
#include "rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::cli {
namespace {

using io::decimal_sum;

bool equal(decimal_sum const& a, decimal_sum const& b) { return a.text() == b.text(); }

double as_double(any_number const& value) { return from_bits<double>(value.bits); }

decimal_sum in_full(any_number const& value) {
  decimal_sum x;
  x.add(fmt::format("{:.0f}", as_double(value)));
  return x;
}

}  // namespace

bool is_large(any_number const& value) {
  if (value.type != dtype::float64) return false;
  auto const size = std::fabs(as_double(value));
  return std::isfinite(size) && size >= 0x1p53;
}

bool is_rounded(any_number const& value, decimal_sum const& exact, std::uint64_t divisor) {
  auto x = in_full(value);
  x.multiply(divisor);
  return !equal(x, exact);
}

bool is_rounded(reduction_settings const& s, std::string_view aggregate, any_number const& value,
                ask const& others, std::uint64_t count) {
  auto const own = std::ranges::find(commands(), aggregate, &command::aggregate);
  auto const what = own == commands().end() ? 0 : own->options;
  if (!(what & (divides | squares)) || is_floating(s.type) || !is_large(value)) return false;
  auto const exact = [&](char const* name) {
    decimal_sum found;
    found.add(number(others(any_aggregate(name, {.wide = true}).on(s.type))).text());
    return found;
  };
  if (!(what & squares)) return is_rounded(value, exact("sum"), count);
  auto x = in_full(value);
  if (what & takes_root) x = x.square();
  auto of_squares = exact("sum_of_squares");
  if (!(what & divides)) return !equal(x, of_squares);
  x.multiply(count), x.multiply(count - s.ddof), of_squares.multiply(count);
  x.add(exact("sum").square());
  return !equal(x, of_squares);
}

}  // namespace tally::cli
