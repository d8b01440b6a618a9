// SPDX-License-Identifier: Apache-2.0
#include "tally/io/decimal_sum.hpp"

#include <algorithm>
#include <charconv>

namespace tally::io {
namespace {

constexpr std::int64_t base = 1'000'000'000, places = 9;
constexpr std::int64_t farthest = 20'000'000;  // from the point, a digit
constexpr std::int64_t powers[] = {1,       10,        100,        1'000,      10'000,
                                   100'000, 1'000'000, 10'000'000, 100'000'000};

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

// A number's parts: digits with a point somewhere among them, times 10^exponent.
struct decimal_text {
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;
};

parsed take_apart(std::string_view text, decimal_text& out) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  auto const digits = [&] {
    auto const end = std::min(text.find_first_not_of("0123456789"), text.size());
    auto const found = text.substr(0, end);
    text.remove_prefix(end);
    return found;
  };
  out.whole = digits();
  if (text.starts_with('.')) text.remove_prefix(1), out.fraction = digits();
  if (out.whole.empty() && out.fraction.empty()) return parsed::not_a_number;
  if (text.empty()) return parsed::number;
  if (text[0] != 'e' && text[0] != 'E') return parsed::not_a_number;
  text.remove_prefix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  auto const end = text.data() + text.size();
  auto const result = std::from_chars(text.data(), end, out.exponent);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return parsed::not_a_number;
  constexpr std::int64_t huge = std::int64_t(1) << 60;  // beyond any digit, with room to count on
  if (result.ec != std::errc{}) out.exponent = huge;
  out.exponent = std::clamp(out.exponent, -huge, huge);
  return parsed::number;
}

// Leaves out the zeros at both ends, wherever the point is; of zero all of its digits.
void trim_zeros(decimal_text& number) {
  auto& [negative, whole, fraction, exponent] = number;
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  if (whole.empty()) {
    auto const zeros = std::min(fraction.find_first_not_of('0'), fraction.size());
    fraction.remove_prefix(zeros);
    exponent -= std::int64_t(zeros);
  }
  if (fraction.empty()) {
    auto const zeros = whole.size() - (whole.find_last_not_of('0') + 1);
    whole.remove_suffix(zeros);
    exponent += std::int64_t(zeros);
  }
}

// "1234", with its point so many digits from the right.
std::string with_point(std::string digits, std::size_t scale) {
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  auto const point = digits.size() - scale;
  auto fraction = digits.substr(point);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  auto whole = digits.substr(0, point);
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size() - 1));
  return fraction.empty() ? whole : whole + "." + fraction;
}

// To so many significant digits, ties to even; `more`: something not zero follows the last.
std::string rounded(std::string digits, std::size_t most, bool more) {
  auto const first = digits.find_first_not_of('0');
  if (first == digits.npos || digits.size() - first <= most) return digits;
  auto const end = first + most;
  auto const rest = std::string_view(digits).substr(end);
  bool const beyond = more || rest.find_first_not_of('0', 1) != rest.npos;
  bool const up = rest[0] > '5' || (rest[0] == '5' && (beyond || (digits[end - 1] - '0') % 2 != 0));
  std::fill(digits.begin() + std::ptrdiff_t(end), digits.end(), '0');
  if (!up) return digits;
  for (auto i = end; i-- > 0;) {
    if (digits[i] != '9') return ++digits[i], digits;
    digits[i] = '0';
  }
  return digits.insert(0, 1, '1');
}

std::string padded(std::int64_t digits) {
  auto text = std::to_string(digits);
  return text.insert(0, std::size_t(places) - text.size(), '0');
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

parsed decimal_sum::add(std::string_view text) {
  decimal_text number;
  if (auto const result = take_apart(text, number); result != parsed::number) return result;
  trim_zeros(number);
  if (number.whole.empty() && number.fraction.empty()) return parsed::number;
  auto const highest = number.exponent + std::int64_t(number.whole.size()) - 1;
  auto const lowest = number.exponent - std::int64_t(number.fraction.size());
  if (highest > farthest || lowest < -farthest) return parsed::out_of_range;
  others_.at(floor_div(lowest, places));  // room for all of them at once
  others_.at(floor_div(highest, places));
  auto power = highest;
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
  return sum;
}

std::string decimal_sum::text() const {
  auto sum = all();
  bool const negative = sum.take_sign();
  sum.at(0);  // digits go down to the units at least: from here on first <= 0
  std::string digits;
  for (auto i = sum.digits.size(); i-- > 0;) digits += padded(sum.digits[i]);
  auto const scale = std::size_t(-sum.first * places);
  auto text = with_point(std::move(digits), scale);
  return negative ? text.insert(0, 1, '-') : text;
}

std::string decimal_sum::mean(std::uint64_t count) const {
  constexpr std::size_t most = 34;
  auto sum = all();
  bool const negative = sum.take_sign();
  sum.at(0);
  std::string digits;
  unsigned __int128 rest = 0;
  auto const significant = [&] {
    return digits.size() - std::min(digits.find_first_not_of('0'), digits.size());
  };
  // As far as the sum goes, then on until there are enough digits to round.
  auto place = sum.first + std::int64_t(sum.digits.size());
  while (place > sum.first || (rest != 0 && significant() <= most)) {
    --place;
    rest = rest * base + (place >= sum.first ? std::uint64_t(sum.at(place)) : 0);
    digits += padded(std::int64_t(rest / count));
    rest %= count;
  }
  digits = rounded(std::move(digits), most, rest != 0);
  auto text = with_point(std::move(digits), std::size_t(-place * places));
  return negative && text != "0" ? text.insert(0, 1, '-') : text;
}

}  // namespace tally::io
