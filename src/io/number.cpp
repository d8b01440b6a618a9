// SPDX-License-Identifier: Apache-2.0
#include "number.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "decimal_text.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::io {
namespace {

// The order of |text| and |x|, exactly; x has few enough significant bits that 150 digits hold it.
int compare_magnitudes(std::string_view text, double x) {
  char exact[200];
  auto const end = std::to_chars(exact, std::end(exact), x, std::chars_format::scientific, 150).ptr;
  decimal_text a, b;
  take_apart(text, a), take_apart({exact, std::size_t(end - exact)}, b);
  if (a.highest() != b.highest()) return a.highest() < b.highest() ? -1 : 1;
  return a.digits().compare(b.digits());
}

template <class T>
parsed parse_binary(std::string_view text, T& value) {
  auto const end = text.data() + text.size();
  auto const result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return parsed::not_a_number;
  if (result.ec == std::errc::result_out_of_range) {
    decimal_text number;
    take_apart(text, number);
    value = number.highest() >= 0 ? infinity<T>(number.negative) : T(number.negative ? -0.0 : 0.0);
  }
  if (is_nan(value)) value = quiet_nan<T>();
  return parsed::number;
}

// Through a double, which can land on the midpoint of two halves when the text lies beside it; then
// the text decides which neighbour of the double is rounded.
template <class T>
parsed parse_half(std::string_view text, T& value) {
  double x = 0;
  if (parse_binary(text, x) != parsed::number) return parsed::not_a_number;
  value = convert<T>(x);
  if (is_nan(x) || !is_finite(x) || x == 0) return parsed::number;
  auto const below = convert<T>(from_bits<double>(to_bits(x) - 1));
  auto const above = convert<T>(from_bits<double>(to_bits(x) + 1));
  if (to_bits(below) == to_bits(above)) return parsed::number;
  int const order = compare_magnitudes(text, x);
  if (order != 0) value = order < 0 ? below : above;
  return parsed::number;
}

parsed parse_bool(std::string_view text, bool& value) {
  value = text == "1" || equal_ignoring_case(text, "true");
  bool const known = value || text == "0" || equal_ignoring_case(text, "false");
  return known ? parsed::number : parsed::not_a_number;
}

template <class T>
parsed parse_integer(std::string_view text, T& value) {
  if (std::is_unsigned_v<T> && text.starts_with('-') && text.find_first_not_of('0', 1) == text.npos)
    text.remove_prefix(1);
  auto const end = text.data() + text.size();
  auto const result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return parsed::not_a_number;
  return result.ec == std::errc{} ? parsed::number : parsed::out_of_range;
}

template <element T>
parsed parse(std::string_view text, T& value) {
  if constexpr (sizeof(T) == 2 && floating<T>)
    return parse_half(text, value);
  else if constexpr (floating<T>)
    return parse_binary(text, value);
  else if constexpr (std::is_same_v<T, bool>)
    return parse_bool(text, value);
  else
    return parse_integer(text, value);
}

}  // namespace

parsed parse_number(std::string_view text, dtype type, std::byte* value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return parsed::not_a_number;
  }
  return visit(type, [&]<class T>(std::type_identity<T>) {
    T x{};
    auto const result = parse(text, x);
    if (result == parsed::number) std::memcpy(value, &x, sizeof x);
    return result;
  });
}

void put_nan(dtype type, std::byte* value) {
  visit(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (floating<T>) {
      auto const x = quiet_nan<T>();
      std::memcpy(value, &x, sizeof x);
    }
  });
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
}

std::optional<std::size_t> to_number(std::string_view text) {
  std::size_t number;
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out = "'";
  for (unsigned char const c : text.substr(0, most)) {
    if (c >= ' ' && c <= '~')
      out += char(c);
    else
      out += {'\\', 'x', "0123456789abcdef"[c / 16], "0123456789abcdef"[c % 16]};
  }
  return out + (text.size() > most ? "...'" : "'");
}

}  // namespace tally::io
