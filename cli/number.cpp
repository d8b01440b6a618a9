// SPDX-License-Identifier: Apache-2.0
#include "number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tally/exact/float_format.hpp"

namespace tally::cli {
namespace {

double through_text(auto x, auto... digits) {
  char text[32];
  auto const end =
      std::to_chars(text, std::end(text), x, std::chars_format::scientific, digits...).ptr;
  double found = 0;
  std::from_chars(text, end, found);
  return found;
}

// The double whose shortest text is also x's: so few digits survive the way through a double.
template <floating T>
double shortest(T x) {
  double const exact(x);
  double const beyond = std::nextafter(exact, 2 * exact);  // rounds the other way if exact is a tie
  for (int digits = 0;; ++digits)
    for (double const near : {exact, beyond}) {
      double const found = through_text(near, digits);
      if (to_bits(convert<T>(found)) == to_bits(x)) return found;
    }
}
double shortest(float x) { return through_text(x); }
double shortest(double x) { return x; }

template <floating T>
std::string to_text(T x) {
  if (is_nan(x)) return "nan";
  if (!is_finite(x)) return double(x) < 0 ? "-inf" : "inf";
  return fmt::format("{}", shortest(x));
}
template <integer T>
std::string to_text(T x) {
  return fmt::format("{}", widest<T>(x));
}

template <class F>
auto with_value(dtype type, std::uint64_t bits, F&& f) {
  return visit(type,
               [&]<class T>(std::type_identity<T>) { return f(from_bits<T>(bits_of<T>(bits))); });
}

}  // namespace

std::string number::text() const {
  return with_value(type_, bits_, [](auto x) { return to_text(x); });
}

json number::to_json() const {
  return with_value(type_, bits_, []<class T>(T x) -> json {
    if constexpr (integer<T>)
      return widest<T>(x);
    else if (is_finite(x))
      return double(x);
    else
      return to_text(x);
  });
}

std::string number::hexadecimal() const {
  return fmt::format("{:0{}x}", bits_, 2 * size_of(type_));
}

}  // namespace tally::cli
