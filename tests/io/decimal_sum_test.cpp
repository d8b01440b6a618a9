// SPDX-License-Identifier: Apache-2.0
#include "tally/io/decimal_sum.hpp"

#include <gmp.h>
#include <gtest/gtest.h>

#include <random>

namespace tally::io::test {
namespace {

std::string sum_of(std::vector<std::string> const& numbers) {
  decimal_sum sum;
  for (auto const& text : numbers) EXPECT_EQ(sum.add(text), parsed::number) << text;
  return sum.text();
}

TEST(decimal_sum, of_tenths_is_in_tenths) {
  EXPECT_EQ(sum_of({"0.1", "0.2"}), "0.3");
  EXPECT_EQ(sum_of({"0.5", "-.5"}), "0");
  EXPECT_EQ(sum_of({"1.", "+2e0", "-3E+0"}), "0");
  EXPECT_EQ(sum_of({"-0.001"}), "-0.001");
  EXPECT_EQ(sum_of({}), "0");
}

TEST(decimal_sum, has_all_digits_between_the_first_and_the_last) {
  EXPECT_EQ(sum_of({"1e30", "1e-30"}),
            "1" + std::string(30, '0') + "." + std::string(29, '0') + "1");
  EXPECT_EQ(sum_of({"1e30", "-1e-2"}), std::string(30, '9') + ".99");
  EXPECT_EQ(sum_of({"-1e30", "1e-2"}), "-" + std::string(30, '9') + ".99");
  EXPECT_EQ(sum_of({"1e100", "-1e100", "12e-1"}), "1.2");
}

TEST(decimal_sum, of_integers_is_gmps_in_any_order_and_grouping) {
  std::mt19937_64 random(1);
  mpz_t exact, one;
  mpz_inits(exact, one, nullptr);
  decimal_sum parts[3], all;
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 60 + 1, '0');
    for (auto& c : text) c = char('0' + random() % 10);
    bool const negative = random() % 2;
    auto& part = parts[random() % 3];
    if (text.size() < 19)
      part.add(negative, std::stoull(text), 0);
    else
      part.add((negative ? "-" : "+") + std::string(text));
    mpz_set_str(one, text.c_str(), 10);
    (negative ? mpz_sub : mpz_add)(exact, exact, one);
  }
  for (auto const i : {2, 0, 1}) all.add(parts[i]);
  char* const expected = mpz_get_str(nullptr, 10, exact);
  EXPECT_EQ(all.text(), expected);
  std::free(expected);
  mpz_clears(exact, one, nullptr);
}

TEST(decimal_sum, has_a_mean_in_full_where_it_ends) {
  auto const mean = [](std::string const& sum, unsigned __int128 count) {
    decimal_sum one;
    one.add(sum);
    return one.quotient(count);
  };
  EXPECT_EQ(mean("-3", 8), "-0.375");
  EXPECT_EQ(mean("1e40", 4), "25" + std::string(38, '0'));
  EXPECT_EQ(mean(std::string(34, '1') + "5", 1), std::string(34, '1') + "5");
  EXPECT_EQ(mean(std::string(90, '9') + ".7", 1), std::string(90, '9') + ".7");
  EXPECT_EQ(mean("1" + std::string(50, '0') + "1", 2), "5" + std::string(50, '0') + ".5");
  EXPECT_EQ(mean("1e20000000", 2), "5" + std::string(19999999, '0'));
  EXPECT_EQ(mean("0", 7), "0");
  EXPECT_EQ(mean("1e-50", 4), "0." + std::string(50, '0') + "25");
  // Divided by 2 so often, and by 5, there is a digit more each time.
  EXPECT_EQ(mean("1", static_cast<unsigned __int128>(1) << 123).size(), 2u + 123);
  EXPECT_EQ(mean("1e-3", static_cast<unsigned __int128>(1) << 123).size(), 2u + 126);
  EXPECT_EQ(mean("1", 7450580596923828125u).size(), 2u + 27);  // 5^27
}

TEST(decimal_sum, has_a_mean_of_34_digits_or_one_behind_the_point_where_it_does_not_end) {
  auto const mean = [](std::string const& sum, std::uint64_t count) {
    decimal_sum one;
    one.add(sum);
    return one.quotient(count);
  };
  EXPECT_EQ(mean("1", 3), "0." + std::string(34, '3'));
  EXPECT_EQ(mean("-2", 3), "-0." + std::string(33, '6') + "7");
  EXPECT_EQ(mean("2e39", 3), std::string(39, '6') + ".7");
  EXPECT_EQ(mean("299999999999999999999999999999999999.9", 3), "1" + std::string(35, '0') + ".0");
  EXPECT_EQ(mean("1" + std::string(39, '0') + "1", 1000003),
            "9999970000089999730000809997570007.3");
  EXPECT_EQ(mean("3000009" + std::string(38, '0') + "1", 1000003),
            "3" + std::string(39, '0') + ".0");
  // Digits below those that are shown: a third more than a tie, a third less than one.
  EXPECT_EQ(mean("0." + std::string(33, '3') + "76", 3), "0." + std::string(33, '1') + "3");
  EXPECT_EQ(mean("-0." + std::string(33, '3') + "76", 3), "-0." + std::string(33, '1') + "3");
  EXPECT_EQ(mean("0." + std::string(33, '3') + "46", 3), "0." + std::string(33, '1') + "2");
  EXPECT_EQ(mean("0." + std::string(33, '3') + "44", 3), "0." + std::string(33, '1') + "1");
  EXPECT_EQ(mean("2." + std::string(40, '9'), 3), "1.000000000000000000000000000000000");
}

TEST(decimal_sum, has_a_root_in_full_within_70_digits_else_rounded) {
  auto const root = [](std::string const& sum, unsigned __int128 divisor) {
    decimal_sum one;
    one.add(sum);
    return one.root(divisor);
  };
  EXPECT_EQ(root("2", 1), "1.414213562373095048801688724209698");
  EXPECT_EQ(root("0", 5), "0");
  EXPECT_EQ(root("12.25", 49), "0.5");
  EXPECT_EQ(root("1e40", 4), "5" + std::string(19, '0'));
  EXPECT_EQ(root("1e-40", 16), "0.0000000000000000000025");
  EXPECT_EQ(root("1e20000000", 1), "1" + std::string(10000000, '0'));
  auto const most = ~static_cast<unsigned __int128>(0);
  EXPECT_EQ(root("340282366920938463463374607431768211455", most), "1");
  EXPECT_EQ(root("1", most), "0.00000000000000000005421010862427522170037264004349709");
  // The roots of 10^34 + 5, and of just above.
  std::string const square =
      "100000000000000000000000000000000100000000000000000000000000000000025";
  EXPECT_EQ(root(square, 1), "1" + std::string(33, '0') + "5");
  EXPECT_EQ(root(square + "." + std::string(90, '0') + "1", 1), "1" + std::string(33, '0') + "5.0");
  decimal_sum wide;
  wide.add(std::string(68, '7') + ".25");
  EXPECT_EQ(root(wide.square().text(), 1), wide.text());
  EXPECT_EQ(root("2e138", 1),
            "1414213562373095048801688724209698078569671875376948073176679737990732");
}

TEST(decimal_sum, is_multiplied_shifted_squared_and_negated) {
  decimal_sum x;
  x.add(true, 125, 2);
  x.add("1e-30");
  x.add("-3e20");
  EXPECT_EQ(
      x.square().text(),
      "90000000000000000000750000000000000000001.562499999399999999999999999997500000000000000000"
      "000000000001");
  x.multiply(~std::uint64_t(0));
  EXPECT_EQ(x.text(), "-5534023222112865484523058430092136939518.749999999981553255926290448385");
  x.shift(-41);
  EXPECT_EQ(x.text(), "-0.05534023222112865484523058430092136939518749999999981553255926290448385");
  x.negate(), x.shift(71), x.multiply(0);
  EXPECT_EQ(x.text(), "0");
  EXPECT_EQ(decimal_sum().square().text(), "0");
}

TEST(decimal_sum, zeros_have_no_place_that_could_be_out_of_range) {
  for (auto const text : {"0e99999999", "-0.00e-99999999", "0e99999999999999999999",
                          "00.e9223372036854775807", ".0e-9223372036854775808"})
    EXPECT_EQ(sum_of({"1.5", text}), "1.5") << text;
  std::string const one_and_zeros = "1" + std::string(20000000, '0');
  EXPECT_EQ(sum_of({"1e20000000"}), one_and_zeros);
  EXPECT_EQ(sum_of({"0001e20000000"}), one_and_zeros);
  EXPECT_EQ(sum_of({"0.0001e20000004"}), one_and_zeros);
  EXPECT_EQ(sum_of({"10.00e+19999999"}), one_and_zeros);
  EXPECT_EQ(sum_of({"1000e-20000003", "-1e-20000000", "2"}), "2");
  EXPECT_EQ(sum_of({"1.000e-20000000", "-1e-20000000", "2"}), "2");
  EXPECT_EQ(sum_of({"070.0700", "0.00070", "7000"}), "7070.0707");
}

TEST(decimal_sum, takes_numbers_only_and_within_its_range) {
  decimal_sum sum;
  for (auto const text : {"", "+", "-", ".", "e5", "1e", "1e+", "1e+-2", "1.2.3", "x", "1 ", "inf"})
    EXPECT_EQ(sum.add(text), parsed::not_a_number) << text;
  for (auto const text :
       {"1e20000001", "1e-20000001", "1e99999999999999999999", "1e9223372036854775807",
        "0.5e-9223372036854775808", "10e20000000", "0.1e-20000000", "1e-99999999999999999999"})
    EXPECT_EQ(sum.add(text), parsed::out_of_range) << text;
  EXPECT_EQ(sum.text(), "0");
}

}  // namespace
}  // namespace tally::io::test
