// SPDX-License-Identifier: Apache-2.0
#include "tally/digits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tally/digit_steps.hpp"

namespace {

using namespace tally;

template <class T>
using row = std::vector<T>;
// The rows of each process.
template <class T>
using processes = std::vector<std::vector<row<T>>>;

template <class T>
std::vector<any_array> arrays(std::vector<row<T>> const& rows) {
  std::vector<any_array> all;
  for (auto const& r : rows) all.emplace_back(r);
  return all;
}

// What a backend does, which must not go beyond 64 bits.
void add_digits(std::vector<std::int64_t>& all, std::vector<std::int64_t> const& more) {
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_FALSE(__builtin_add_overflow(all[i], more[i], &all[i])) << i;
}
void keep_largest(std::vector<std::uint8_t>& all, std::vector<std::uint8_t> const& more) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], more[i]);
}

template <class T>
struct found {
  row<T> sums;
  std::size_t lost;  // groups
};

template <class T>
found<T> sums_of(processes<T> const& all) {
  auto const type = dtype_of<T>;
  std::size_t const n = all[0][0].size(), p = all.size();
  auto const counts = count_digits(type, n);
  std::vector<std::uint8_t> places(counts.places), marked(counts.groups);
  std::vector<std::int64_t> digits(counts.digits, 0);
  std::size_t most = 0;
  for (auto const& rows : all) {
    std::vector<std::uint8_t> mine(places.size(), 99);
    std::vector<std::int64_t> unwritten(digits.size(), 99);
    find_places(cpu{}, arrays(rows), mine.data(), unwritten.data());
    EXPECT_EQ(unwritten.back(), 0);
    keep_largest(places, mine);
    most = std::max(most, rows.size());
  }
  for (auto const& rows : all) {
    std::vector<std::int64_t> mine(digits.size(), 0);
    cut_digits(cpu{}, arrays(rows), p, places.data(), mine.data());
    add_digits(digits, mine);
  }
  found<T> result{row<T>(n, T(7)), 0};
  any_output const out{type, result.sums.data(), n};
  if (!round_digits(cpu{}, p, places.data(), digits.data(), out)) return result;

  for (auto const& rows : all) {
    std::vector<std::uint8_t> mine(marked.size(), 99);
    find_lost_groups(cpu{}, arrays(rows), p, places.data(), mine.data());
    keep_largest(marked, mine);
  }
  std::vector<std::int64_t> groups;
  for (std::size_t g = 0; g < marked.size(); ++g)
    if (marked[g]) groups.push_back(std::int64_t(g));
  EXPECT_FALSE(groups.empty());
  result.lost = groups.size();
  std::uint64_t const count = p << places.back();
  EXPECT_GE(count, p * most);
  digits.assign(count_all_digits(type, count, groups.size()), 0);
  for (auto const& rows : all) {
    std::vector<std::int64_t> mine(digits.size(), 99);
    cut_all_digits(cpu{}, arrays(rows), count, groups, mine.data());
    add_digits(digits, mine);
  }
  round_all_digits(cpu{}, count, groups, digits.data(), out);
  return result;
}

// The library's own exact sums; of zeros, whatever their signs, 0.
template <class T>
row<T> exact_sums(processes<T> const& all) {
  row<T> sums;
  auto const sum = any_aggregate("sum", {.as = dtype_of<T>}).on(dtype_of<T>);
  for (std::size_t i = 0; i < all[0][0].size(); ++i) {
    row<T> column;
    for (auto const& rows : all)
      for (auto const& r : rows) column.push_back(r[i]);
    auto const x = tally::reduce(cpu{1}, any_array(column), sum).value().template as<T>();
    sums.push_back(bits_of<T>(to_bits(x) << 1) == 0 ? from_bits<T>(0) : x);
  }
  return sums;
}

template <class T>
std::size_t expect_exact(processes<T> const& all) {
  auto const [sums, lost] = sums_of(all);
  auto const want = exact_sums(all);
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_EQ(to_bits(sums[i]), to_bits(want[i])) << name(dtype_of<T>) << " " << i;
  return lost;
}

template <class T>
processes<T> made(std::vector<std::size_t> const& rows, std::size_t n, auto const& make) {
  processes<T> all;
  std::mt19937_64 random(n);
  for (auto const count : rows) {
    all.emplace_back();
    for (std::size_t r = 0; r < count; ++r) {
      row<T> x(n);
      for (auto& e : x) e = make(random);
      all.back().push_back(x);
    }
  }
  return all;
}

template <class T>
T any_bits(std::mt19937_64& random) {
  return from_bits<T>(bits_of<T>(random()));
}
template <class T>
T any_finite(std::mt19937_64& random) {
  auto const x = any_bits<T>(random);
  return is_finite(x) ? x : from_bits<T>(bits_of<T>(to_bits(x) & ~format<T>::infinity));
}
// Numbers whose exponents are so many apart at most, the largest being any.
template <class T>
auto near(int apart) {
  return [=](std::mt19937_64& random) {
    using f = format<T>;
    auto const field = f::bias + 5 - int(random() % unsigned(apart + 1));
    auto const rest = random() & (f::fraction | f::sign);
    return from_bits<T>(bits_of<T>(rest | std::uint64_t(field) << (f::precision - 1)));
  };
}
template <class T>
T edge(std::mt19937_64& random) {
  using f = format<T>;
  bits_of<T> const largest = f::infinity - 1, least_normal = bits_of<T>(f::fraction + 1);
  bits_of<T> const bits[] = {
      0, 1, 2, f::fraction, largest, largest, least_normal, bits_of<T>(least_normal + 1)};
  auto const r = random();
  return from_bits<T>(bits_of<T>(bits[r % 8] | (r & 8 ? f::sign : 0)));
}

template <class T>
class digits : public testing::Test {};
using types = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(digits, types);

TYPED_TEST(digits, make_exact_sums_of_any_numbers) {
  using T = TypeParam;
  std::vector<std::vector<std::size_t>> const shares = {
      {1}, {1, 1}, {3, 1, 2}, {17, 40}, std::vector<std::size_t>(8, 1)};
  for (auto const& rows : shares)
    for (std::size_t const n : {1, 31, 33, 256, 600}) {
      expect_exact(made<T>(rows, n, any_bits<T>));
      expect_exact(made<T>(rows, n, any_finite<T>));
      expect_exact(made<T>(rows, n, edge<T>));
      expect_exact(made<T>(rows, n, near<T>(12)));
    }
}

// As far apart as digits.hpp says, nothing is lost; one binade more, and some is.
TYPED_TEST(digits, are_all_that_numbers_of_like_size_need) {
  using T = TypeParam;
  using f = format<T>;
  if constexpr (std::is_same_v<T, float16>) {
    EXPECT_EQ(expect_exact(made<T>(std::vector<std::size_t>(9, 5), 300, any_finite<T>)), 0u);
    return;
  }
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr int largest = is_double ? 9 * 120 + 1 : f::bias;  // of a double the least of a place's
  auto const ones = [](int field) {
    return from_bits<T>(bits_of<T>(bits_of<T>(field) << (f::precision - 1) | f::fraction));
  };
  for (int const log2 : {0, 1, 3})
    for (int const more : {0, 1}) {
      int const apart = (is_double ? 65 - 2 * log2 : 63 - f::precision - log2) + more;
      row<T> x(300, ones(largest));
      processes<T> all(std::size_t(1) << log2, {x});
      all[0][0][40] = ones(largest - apart);
      EXPECT_EQ(expect_exact(all), std::size_t(more)) << log2;
    }
}

// Digits of all ones, of as many as their width is for: a sum of one more would be beyond 64 bits.
TYPED_TEST(digits, have_sums_within_64_bits) {
  using T = TypeParam;
  auto const largest = from_bits<T>(bits_of<T>(format<T>::infinity - 1));
  for (std::size_t const p : {1, 2, 5, 64, 1000, 1024, 1025}) {
    expect_exact(processes<T>(p, {row<T>(3, largest)}));
    expect_exact(processes<T>(p, {row<T>(3, from_bits<T>(bits_of<T>(format<T>::fraction)))}));
  }
  expect_exact(processes<T>(3, std::vector<row<T>>(300, row<T>(3, largest))));
  for (std::uint64_t const count : {1u, 2u, 3u, 4u, 5u, 1u << 20, (1u << 20) + 1}) {
    __int128 const digit = (__int128(1) << detail::digit_width(count)) - 1;
    EXPECT_LT(digit * count, __int128(1) << 63) << count;
    EXPECT_GE(2 * (digit + 1) * count, __int128(1) << 63) << count;
  }
}

// 1, half a unit of its last bit, and what is less: up, down, or to even; at each place of a digit,
// also where the group has a larger number.
TYPED_TEST(digits, round_ties_to_even) {
  using T = TypeParam;
  using f = format<T>;
  constexpr int scales = std::is_same_v<T, float16> ? 14 : 61;
  // sign * 2^e, or with the last bit set, too, for all scales; at least the least of all.
  auto const powers = [](int e, unsigned last = 0, bool negative = false) {
    row<T> all;
    for (int s = 0; s < scales; ++s) {
      int const field = e + s + f::bias;
      auto const bits = field > 0 ? std::uint64_t(field) << (f::precision - 1) | last : 1;
      all.push_back(from_bits<T>(bits_of<T>(bits | (negative ? f::sign : 0))));
    }
    return all;
  };
  row<T> const zeros(scales, from_bits<T>(0));
  for (bool const negative : {false, true})
    for (unsigned const last : {0, 1})
      for (bool const other : {false, true})
        for (int const less : {1, 2, 11, 12, 30, 60, 2000})
          for (auto const& third :
               {zeros, powers(-f::precision - less), powers(-f::precision - less, 0, true)})
            expect_exact(processes<T>{{powers(0, last, negative), powers(-f::precision, 0, other)},
                                      {third, zeros}});
  // Beyond the largest by half a unit, and by less.
  T const largest = from_bits<T>(bits_of<T>(f::infinity - 1)), least = from_bits<T>(1);
  T const half =
      from_bits<T>(bits_of<T>(bits_of<T>(2 * f::bias - f::precision) << (f::precision - 1)));
  for (T const x : {half, from_bits<T>(bits_of<T>(to_bits(half) - 1))})
    for (T const y : {from_bits<T>(0), least, from_bits<T>(bits_of<T>(f::sign | 1))})
      expect_exact(processes<T>{{row<T>{largest}}, {row<T>{x}}, {row<T>{y}}});
}

// What one row has lost of many, of which a step takes some at a time.
TYPED_TEST(digits, tell_what_any_row_has_lost) {
  using T = TypeParam;
  std::size_t const lost = is_one_of<T, float16> ? 0 : 1;
  std::vector<row<T>> rows(40, row<T>(300, T(1.0)));
  for (std::size_t const r : {0, 15, 16, 39}) {
    auto one = rows;
    one[r][7] = from_bits<T>(1);
    EXPECT_EQ(expect_exact(processes<T>{rows, one}), lost) << r;
    one[r][7] = quiet_nan<T>(), one[r][280] = infinity<T>(true);
    EXPECT_EQ(expect_exact(processes<T>{rows, one}), 2u) << r;
  }
}

template <class F>
std::string said(F const& f) {
  try {
    f();
  } catch (error const& e) {
    return e.what();
  }
  return {};
}

TEST(digits, say_what_they_cannot_take) {
  float const x[3] = {};
  std::int32_t const n[3] = {};
  std::uint8_t places[99];
  std::int64_t room[999];
  std::vector<any_array> const integers = {any_array(dtype::int32, n, 3)},
                               two = {any_array(dtype::float32, x, 3),
                                      any_array(dtype::float32, x, 2)},
                               none = {any_array(dtype::float32, x, 0)},
                               one = {any_array(dtype::float32, x, 3)};
  EXPECT_EQ(said([&] { find_places(cpu{}, {}, places, room); }), "find_places: rows has none");
  EXPECT_EQ(said([&] { find_places(cpu{}, none, places, room); }), "find_places: rows is empty");
  EXPECT_EQ(said([&] { find_places(cpu{}, integers, places, room); }),
            "find_places: rows holds int32, no floating-point numbers");
  EXPECT_EQ(said([&] { cut_digits(cpu{}, two, 1, places, room); }),
            "cut_digits: rows has 2 of float32 beside 3 of float32");
  EXPECT_EQ(said([&] { cut_digits(cpu{}, one, 0, places, room); }),
            "cut_digits: processes = 0, not from 1 to 2^31");
  EXPECT_EQ(said([&] { count_all_digits(dtype::float32, (1ull << 31) + 1, 1); }),
            "count_all_digits: count = 2147483649, not from 1 to 2^31");
}

}  // namespace
