// SPDX-License-Identifier: Apache-2.0
#include "tally/io/number.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "io/number.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::io::test {
namespace {

template <element T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  auto const result = parse_number(text, dtype_of<T>, reinterpret_cast<std::byte*>(&value));
  return result == parsed::number ? std::optional(value) : std::nullopt;
}

TEST(parse_number, rounds_once) {
  // Above the midpoint of 1 and the next float, by less than a double can tell.
  EXPECT_EQ(number_in<float>("1.000000059604644775390625000000001"), 0x1.000002p0f);
  EXPECT_EQ(number_in<float>("1.000000059604644775390625"), 1.0f);
  EXPECT_EQ(double(*number_in<float16>("1.00048828125000000000000000001")), 0x1.004p0);
}

TEST(parse_number, what_is_too_large_is_infinite_and_too_small_zero) {
  EXPECT_EQ(number_in<double>("1e400"), infinity<double>(false));
  EXPECT_EQ(number_in<double>("-1e400"), infinity<double>(true));
  EXPECT_EQ(number_in<float>("+1e39"), infinity<float>(false));
  EXPECT_EQ(to_bits(*number_in<double>("-1e-400")), to_bits(-0.0));
}

TEST(parse_number, a_power_of_ten_may_be_out_of_all_ranges) {
  EXPECT_EQ(number_in<double>("1e99999999999999999999"), infinity<double>(false));
  EXPECT_EQ(to_bits(*number_in<double>("1e-99999999999999999999")), to_bits(0.0));
  // Zeros before the first digit count, on both sides of the point.
  std::string const zeros(400, '0');
  EXPECT_EQ(to_bits(*number_in<float>("0." + zeros + "1e300")), to_bits(0.0f));
  EXPECT_EQ(number_in<float>("0." + zeros + "1e500"), infinity<float>(false));
  EXPECT_EQ(number_in<float>("1" + zeros + "e-300"), infinity<float>(false));
  EXPECT_EQ(to_bits(*number_in<float>(zeros + "1" + zeros + "e-500")), to_bits(0.0f));
}

TEST(parse_number, an_integer_has_to_fit) {
  EXPECT_EQ(number_in<std::int8_t>("-128"), -128);
  std::byte value{};
  EXPECT_EQ(parse_number("128", dtype::int8, &value), parsed::out_of_range);
  EXPECT_EQ(parse_number("1.5", dtype::int8, &value), parsed::not_a_number);
  EXPECT_EQ(number_in<std::uint8_t>("-0"), 0);
  for (auto const text : {"-", "-1", "-01"})
    EXPECT_EQ(parse_number(text, dtype::uint8, &value), parsed::not_a_number) << text;
}

TEST(parse_number, takes_the_whole_text_only) {
  for (auto const text : {"", "+", "+-1", "1 ", " 1", "1x", "0x10"})
    EXPECT_EQ(number_in<double>(text), std::nullopt) << text;
}

TEST(quoted, shows_bytes_that_are_not_printable_as_hexadecimal) {
  EXPECT_EQ(io::quoted("a b~"), "'a b~'");
  EXPECT_EQ(io::quoted(std::string_view("\0\n\x7f\xff", 4)), "'\\x00\\x0a\\x7f\\xff'");
  EXPECT_EQ(io::quoted(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace tally::io::test
