// SPDX-License-Identifier: Apache-2.0
#include "decimal_text.hpp"

#include <algorithm>
#include <charconv>

namespace tally::io {
namespace {

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

bool take_exponent(std::string_view text, std::int64_t& exponent) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  auto const end = text.data() + text.size();
  auto const result = std::from_chars(text.data(), end, exponent);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return false;
  constexpr std::int64_t huge = std::int64_t(1) << 60;  // beyond any digit, with room to count on
  if (result.ec != std::errc{}) exponent = text.starts_with('-') ? -huge : huge;
  exponent = std::clamp(exponent, -huge, huge);
  return true;
}

}  // namespace

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
  if (!text.empty()) {
    if (text[0] != 'e' && text[0] != 'E') return parsed::not_a_number;
    if (!take_exponent(text.substr(1), out.exponent)) return parsed::not_a_number;
  }
  trim_zeros(out);
  if (out.is_zero()) return parsed::number;
  bool const fits =
      out.highest() <= decimal_text::farthest && out.lowest() >= -decimal_text::farthest;
  return fits ? parsed::number : parsed::out_of_range;
}

std::string with_point(bool negative, std::string digits, std::int64_t scale, bool zeros) {
  if (scale < 0) digits.append(std::size_t(-scale), '0'), scale = 0;
  auto const places = std::size_t(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  auto const point = digits.size() - places;
  auto const last = zeros ? digits.size() : std::max(digits.find_last_not_of('0') + 1, point);
  digits.resize(last);
  if (last > point) digits.insert(point, 1, '.');
  digits.erase(0, std::min(digits.find_first_not_of('0'), point - 1));
  if (negative && digits != "0") digits.insert(0, 1, '-');
  return digits;
}

std::string rounded(std::string digits, std::size_t most) {
  auto const first = digits.find_first_not_of('0');
  if (first == digits.npos || digits.size() - first <= most) return digits;
  auto const end = first + most;
  bool const up = digits[end] >= '5';
  std::fill(digits.begin() + std::ptrdiff_t(end), digits.end(), '0');
  if (!up) return digits;
  for (auto i = end; i-- > 0;) {
    if (digits[i] != '9') return ++digits[i], digits;
    digits[i] = '0';
  }
  return digits.insert(0, 1, '1');
}

}  // namespace tally::io
