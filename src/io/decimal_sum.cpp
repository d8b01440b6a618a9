// SPDX-License-Identifier: Apache-2.0
#include "tally/io/decimal_sum.hpp"

#include <algorithm>
#include <utility>

#include "decimal_text.hpp"
#include "tally/error.hpp"
#include "tally/exact/between.hpp"
#include "tally/wide_integer.hpp"

namespace tally::io {
namespace {

constexpr std::int64_t base = 1'000'000'000, places = 9;
constexpr std::int64_t powers[] = {1,       10,        100,        1'000,      10'000,
                                   100'000, 1'000'000, 10'000'000, 100'000'000};
// Of what is rounded, if no more are before the point; and of a root at all.
constexpr std::int64_t usual_digits = 34, most_of_a_root = 70;

template <class T>
T floor_div(T a, std::int64_t b) {
  return a / b - (a % b < 0);
}

std::string padded(std::int64_t digits) {
  auto text = std::to_string(digits);
  return text.insert(0, std::size_t(places) - text.size(), '0');
}

std::string text_of(unsigned __int128 x) {
  constexpr std::uint64_t half = 10'000'000'000'000'000'000u;
  if (x < half) return std::to_string(std::uint64_t(x));
  auto low = std::to_string(std::uint64_t(x % half));
  return text_of(x / half) + low.insert(0, 19 - low.size(), '0');
}

template <int Limbs>
detail::natural<Limbs> natural_of(std::string_view digits) {
  detail::natural<Limbs> x;
  for (char const c : digits) {
    std::uint64_t carry = std::uint64_t(c - '0');
    for (auto& limb : x.limb) {
      carry += std::uint64_t(limb) * 10;
      limb = std::uint32_t(carry);
      carry >>= 32;
    }
  }
  return x;
}

std::string text_of(detail::natural<8> const& x) {
  wide_integer wide;
  for (int i = 0; i < 4; ++i) wide.limb[i] = std::uint64_t(x.limb[2 * i + 1]) << 32 | x.limb[2 * i];
  return wide.text();
}

// Digits over 10^scale as they are, or, with `more` behind them, rounded so that one at least is
// behind the point, if that takes no more than so many; then all are shown.
std::string in_full_or_rounded(bool negative, std::string digits, std::int64_t scale, bool more,
                               std::int64_t most) {
  if (!more) return with_point(negative, std::move(digits), scale);
  digits.erase(0, digits.find_first_not_of('0'));
  auto const shown = [&] {
    auto const before_the_point = std::int64_t(digits.size()) - scale;
    return std::size_t(std::min(std::max(usual_digits, before_the_point + 1), most));
  };
  digits = rounded(std::move(digits), shown());
  auto const dropped = digits.size() - shown();  // zeros; one more where a digit came in front
  digits.resize(shown());
  return with_point(negative, std::move(digits), scale - std::int64_t(dropped), true);
}

}  // namespace

std::int64_t& decimal_sum::limbs::at(std::int64_t place) {
  if (digits.empty()) first = place;
  if (place < first) {
    digits.insert(digits.begin(), std::size_t(first - place), 0);
    first = place;
  }
  auto const i = std::size_t(place - first);
  if (i >= digits.size()) digits.resize(i + 1);
  return digits[i];
}

void decimal_sum::limbs::add(std::int64_t digit, std::int64_t power) {
  auto const place = floor_div(power, places);
  at(place) += digit * powers[power - places * place];
}

// Each time a limb grows by less than 10^9, and there is room for 9 * 10^9 times.
void decimal_sum::limbs::added_one() {
  if (++added == std::uint64_t(1) << 32) carry();
}

void decimal_sum::limbs::carry() {
  std::int64_t over = 0;
  for (auto& digit : digits) {
    auto const sum = digit + over;
    over = floor_div(sum, base);
    digit = sum - base * over;
  }
  for (; over >= base || over <= -base; over = floor_div(over, base))
    digits.push_back(over - base * floor_div(over, base));
  if (over != 0) digits.push_back(over);
  added = 0;
}

bool decimal_sum::limbs::take_sign() {
  carry();
  bool const negative = !digits.empty() && digits.back() < 0;
  if (!negative) return false;
  for (auto& digit : digits) digit = -digit;
  carry();
  return true;
}

std::string decimal_sum::limbs::text() const {
  std::string text;
  text.reserve(digits.size() * std::size_t(places));
  for (auto i = digits.size(); i-- > 0;) text += padded(digits[i]);
  return text;
}

parsed decimal_sum::add(std::string_view text) {
  decimal_text number;
  auto const result = take_apart(text, number);
  if (result != parsed::number || number.is_zero()) return result;
  others_.at(floor_div(number.lowest(), places));  // room for all of them at once
  others_.at(floor_div(number.highest(), places));
  auto power = number.highest();
  for (auto const digits : {number.whole, number.fraction})
    for (char const c : digits) {
      if (c != '0') others_.add(number.negative ? '0' - c : c - '0', power);
      --power;
    }
  others_.added_one();
  return parsed::number;
}

void decimal_sum::add(decimal_sum const& other) {
  for (std::size_t scale = 0; scale < totals_.size(); ++scale)
    totals_[scale] += other.totals_[scale];
  auto carried = other.others_;
  carried.carry();
  for (std::size_t i = 0; i < carried.digits.size(); ++i)
    if (carried.digits[i] != 0) others_.at(carried.first + std::int64_t(i)) += carried.digits[i];
  others_.added_one();
}

decimal_sum::limbs decimal_sum::all() const {
  auto sum = others_;
  sum.carry();
  for (std::size_t scale = 0; scale < totals_.size(); ++scale) {
    auto power = -std::int64_t(scale);
    for (auto rest = totals_[scale]; rest != 0; rest /= 10)
      sum.add(std::int64_t(rest % 10), power++);
  }
  sum.carry();
  return sum;
}

void decimal_sum::negate() {
  for (auto& total : totals_) total = -total;
  for (auto& digit : others_.digits) digit = -digit;
}

void decimal_sum::multiply(std::uint64_t factor) {
  others_ = all(), totals_ = {};
  total over = 0;
  auto const take = [&over](total sum) {
    over = floor_div(sum, base);
    return std::int64_t(sum - base * over);
  };
  for (auto& digit : others_.digits) digit = take(total(digit) * factor + over);
  while (over >= base || over <= -base) others_.digits.push_back(take(over));
  if (over != 0) others_.digits.push_back(std::int64_t(over));
}

void decimal_sum::shift(std::int64_t power) {
  auto const whole = floor_div(power, places);
  multiply(std::uint64_t(powers[power - places * whole]));
  others_.first += whole;
}

decimal_sum decimal_sum::times(decimal_sum const& other) const {
  constexpr std::ptrdiff_t most = 25'000;  // limbs, whose products take half a second
  auto x = all(), y = other.all();
  bool const negative = x.take_sign() != y.take_sign();
  for (auto const* const z : {&x, &y})
    if (std::ptrdiff_t(z->digits.size()) - std::ranges::count(z->digits, 0) > most)
      throw error("--decimal: numbers of more than 200000 digits are not multiplied");
  decimal_sum out;
  out.others_.first = x.first + y.first;
  auto& to = out.others_.digits;
  to.resize(x.digits.size() + y.digits.size() + 1);
  for (std::size_t i = 0; i < x.digits.size(); ++i) {
    if (x.digits[i] == 0) continue;
    std::int64_t over = 0;
    for (std::size_t j = 0; j < y.digits.size() || over != 0; ++j) {
      auto const product = j < y.digits.size() ? x.digits[i] * y.digits[j] : 0;
      auto const sum = to[i + j] + product + over;
      over = sum / base;
      to[i + j] = sum % base;
    }
  }
  if (negative) out.negate();
  return out;
}

// Where there is nothing but totals, and 128 bits are enough for their sum.
std::optional<std::string> decimal_sum::short_text() const {
  constexpr total most = (total(1) << 126) / 10;
  if (!others_.digits.empty()) return std::nullopt;
  auto scale = most_scale;
  while (scale > 0 && totals_[scale] == 0) --scale;
  total sum = 0;
  for (unsigned i = 0; i <= scale; ++i) {
    auto const here = totals_[i];
    if (sum > most || sum < -most || here > most || here < -most) return std::nullopt;
    sum = 10 * sum + here;
  }
  return with_point(sum < 0, text_of(sum < 0 ? -sum : sum), scale);
}

std::string decimal_sum::text() const {
  if (auto found = short_text()) return *std::move(found);
  auto sum = all();
  bool const negative = sum.take_sign();
  return with_point(negative, sum.text(), -sum.first * places);
}

decimal_sum::integer decimal_sum::as_integer() const {
  auto sum = all();
  integer x{.negative = sum.take_sign(), .digits = sum.text(), .scale = -sum.first * places};
  x.digits.erase(0, std::min(x.digits.find_first_not_of('0'), x.digits.size()));
  auto const zeros = x.digits.size() - (x.digits.find_last_not_of('0') + 1);
  x.digits.resize(x.digits.size() - zeros);
  x.scale -= std::int64_t(zeros);
  return x;
}

// Long division. A quotient that ends does so within as many digits behind the sum's last as the
// divisor has bits.
std::string decimal_sum::quotient(unsigned __int128 divisor) const {
  constexpr std::int64_t most_bits = 124;
  auto const x = as_integer();
  unsigned __int128 rest = 0;
  std::string digits;
  auto const take = [&](int digit) {
    rest = rest * 10 + unsigned(digit);
    digits += char('0' + int(rest / divisor));
    rest %= divisor;
  };
  for (char const c : x.digits) take(c - '0');
  auto scale = x.scale;
  auto const end = std::max<std::int64_t>(scale, 0) + most_bits;
  for (; rest != 0 && scale < end; ++scale) take(0);
  auto const size = std::int64_t(digits.size());
  return in_full_or_rounded(x.negative, std::move(digits), scale, rest != 0, size);
}

// The largest integer whose square, times the divisor, is not above the sum in units that give it
// some digits more than are shown.
std::string decimal_sum::root(unsigned __int128 divisor) const {
  auto x = as_integer();
  if (x.digits.empty()) return "0";
  auto const size = std::int64_t(x.digits.size());
  auto const wanted = std::int64_t(text_of(divisor).size()) + 2 * (most_of_a_root + 2);
  auto const scale = floor_div(wanted - size + x.scale + 1, 2);
  auto const length = std::size_t(size - x.scale + 2 * scale);
  bool const dropped = length < x.digits.size();
  x.digits.resize(length, '0');
  auto const square = natural_of<20>(x.digits);
  detail::natural<8> root;
  bool exact = false;
  for (int bit = 255; bit-- > 0;) {
    auto next = root;
    next.limb[bit / 32] |= std::uint32_t(1) << bit % 32;
    auto const product =
        detail::multiply(detail::multiply(next, next), detail::natural_of_wide(divisor));
    if (square < product) continue;
    root = next;
    exact = !(product < square);
  }
  return in_full_or_rounded(false, text_of(root), scale, dropped || !exact, most_of_a_root);
}

}  // namespace tally::io
