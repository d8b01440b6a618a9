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

bool fits(wide_integer const& x, dtype type) {
  return x.bits() <= 64 + int(type == dtype::uint64) && !(type == dtype::uint64 && x.is_negative());
}

// Whether every integer up to it is a double.
template <integer T>
bool is_small(T x) {
  auto const magnitude = x < T{} ? 0 - std::uint64_t(x) : std::uint64_t(x);
  return magnitude <= std::uint64_t(1) << 53;
}

}  // namespace

number::number(any_result const& found) : number(found.value()) {
  if (auto const& wide = found.wide()) *this = number(type_, *wide);
}

number::number(wide_integer const& x)
    : number(!x.is_negative() && (x.bits() == 65 || x.bits() == 129) ? dtype::uint64 : dtype::int64,
             x) {}

number::number(dtype type, wide_integer const& x) : type_(type), bits_(x.limb[0]) {
  if (!fits(x, type)) wide_ = x;
}

number number::missing(dtype type) {
  number none(any_number(type, 0));
  none.missing_ = true;
  return none;
}

int number::width() const {
  if (!wide_) return int(8 * size_of(type_));
  return wide_->bits() <= 128 + int(type_ == dtype::uint64) ? 128 : 256;
}

std::string number::type_name() const {
  if (!wide_) return std::string(name(type_));
  return fmt::format("{}int{}", type_ == dtype::uint64 ? "u" : "", width());
}

std::string number::text() const {
  if (missing_) return "nan";
  if (wide_) return wide_->text();
  return with_value(type_, bits_, [](auto x) { return to_text(x); });
}

json number::to_json() const {
  if (wide_ || missing_) return text();
  return with_value(type_, bits_, []<class T>(T x) -> json {
    if constexpr (integer<T>) {
      if (is_small(x)) return widest<T>(x);
    } else if (is_finite(x)) {
      return double(x);
    }
    return to_text(x);
  });
}

json number::bits() const {
  if (missing_) return nullptr;
  if (!wide_) return fmt::format("{:0{}x}", bits_, width() / 4);
  std::string digits;
  for (int i = width() / 64; i-- > 0;) digits += fmt::format("{:016x}", wide_->limb[i]);
  return digits;
}

}  // namespace tally::cli
