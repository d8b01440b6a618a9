// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/dot.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "support/failure_of.hpp"
#include "support/full_window.hpp"
#include "support/mpfr_oracle.hpp"
#include "support/pairs.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::pairs;

// mpfr_sum of the exact products of finite elements.
template <class R, class T>
R dot_by_mpfr(pairs<T> const& x) {
  std::size_t const n = x.a.size();
  std::vector<mpfr_t> terms(n);
  std::vector<mpfr_ptr> pointers;
  mpfr_oracle::number a(53), b(53), total(format<R>::precision);
  for (std::size_t i = 0; i < n; ++i) {
    mpfr_oracle::set(a.value, x.a[i]);
    mpfr_oracle::set(b.value, x.b[i]);
    mpfr_init2(terms[i], 106);
    mpfr_mul(terms[i], a.value, b.value, MPFR_RNDN);
    pointers.push_back(terms[i]);
  }
  int const ternary = mpfr_sum(total.value, pointers.data(), n, MPFR_RNDN);
  for (auto& t : terms) mpfr_clear(t);
  if (mpfr_zero_p(total.value)) return R{};
  return mpfr_oracle::rounded<R>(total, ternary);
}

// In one call with several threads, and in a stream of pieces that come in another order.
template <class R = void, class T>
auto dot_of(pairs<T> const& x, reduce_options options = {}) {
  auto const op = dot{}.as<R>();
  auto const once = reduce(cpu{1}, zip(x.a, x.b), op, options);
  EXPECT_EQ(to_bits(reduce(cpu{3}, zip(x.a, x.b), op, options)), to_bits(once));
  EXPECT_EQ(to_bits(reduce(cpu{2}, zip(x.b, x.a), op, options)), to_bits(once));
  std::span<T const> const a = x.a, b = x.b;
  std::size_t const cut = a.size() / 3;
  reducer<zipped<T, T>, basic_dot<R>> left(op, options), right(op, options);
  left.add(cpu{2}, zip(a.first(cut), b.first(cut)));
  right.add(cpu{1}, zip(a.subspan(cut), b.subspan(cut)));
  right.append(left);
  EXPECT_EQ(to_bits(right.result()), to_bits(once));
  return once;
}

template <class T>
void expect_exact(pairs<T> const& x, char const* what) {
  EXPECT_EQ(to_bits(dot_of(x)), to_bits(dot_by_mpfr<T>(x))) << what << ' ' << x.a.size();
  EXPECT_EQ(to_bits(dot_of<double>(x)), to_bits(dot_by_mpfr<double>(x))) << what;
  EXPECT_EQ(to_bits(dot_of<float>(x)), to_bits(dot_by_mpfr<float>(x))) << what;
}

template <class T>
class dot_of_floats : public testing::Test {};
using floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(dot_of_floats, floats);

TYPED_TEST(dot_of_floats, is_exact_and_rounded_once) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  for (std::size_t const n : {0, 1, 2, 3, 31, 511, 512, 513, 1537, 20'000}) {
    expect_exact(support::normal_pairs<T>(random, n), "normal");
    expect_exact(support::bit_patterns<T>(random, n), "bit patterns");
    expect_exact(support::subnormal_pairs<T>(random, n), "subnormal");
  }
  for (int i = 0; i < 200; ++i) {
    std::size_t const n = 2 + random() % 60;
    expect_exact(support::ill_conditioned<T>(random, n), "ill-conditioned");
    expect_exact(support::bit_patterns<T>(random, n), "bit patterns");
  }
}

TYPED_TEST(dot_of_floats, that_cancels_leaves_what_is_left) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  for (std::size_t const n : {5, 700, 5000}) {
    auto x = support::bit_patterns<T>(random, n);
    for (std::size_t i = 0; i < n; ++i) {  // all of it again, with the other sign
      x.a.push_back(x.b[i]);
      x.b.push_back(from_bits<T>(bits_of<T>(to_bits(x.a[i]) ^ format<T>::sign)));
    }
    EXPECT_EQ(to_bits(dot_of(x)), bits_of<T>(0));
    x.a.push_back(from_bits<T>(1));
    x.b.push_back(T(1.0));
    EXPECT_EQ(to_bits(dot_of(x)), bits_of<T>(1));
  }
}

TYPED_TEST(dot_of_floats, may_overflow_on_the_way_and_only_there) {
  using T = TypeParam;
  T const most = from_bits<T>(bits_of<T>(format<T>::infinity - 1));
  T const minus_most = from_bits<T>(bits_of<T>(to_bits(most) | format<T>::sign));
  EXPECT_EQ(to_bits(dot_of(pairs<T>{{most, T(3.0), most}, {most, T(2.0), minus_most}})),
            to_bits(T(6.0)));
  EXPECT_EQ(to_bits(dot_of(pairs<T>{{most, most}, {most, most}})), to_bits(infinity<T>()));
  EXPECT_EQ(to_bits(dot_of(pairs<T>{{most}, {minus_most}})), to_bits(infinity<T>(true)));
  EXPECT_EQ(to_bits(dot_of(pairs<T>{{most, T(1.0)}, {T(1.0), T(0.0)}})), to_bits(most));
}

// Among enough finite elements for whole tiles, too.
TYPED_TEST(dot_of_floats, has_the_infinities_and_nans_of_its_products) {
  using T = TypeParam;
  T const inf = infinity<T>(), minus_inf = infinity<T>(true), nan = quiet_nan<T>();
  T const most = from_bits<T>(bits_of<T>(format<T>::infinity - 1));
  struct {
    T a, b, sum;
  } const cases[] = {
      {inf, T(2.0), inf},         {inf, T(-1.0), minus_inf}, {minus_inf, minus_inf, inf},
      {inf, T(0.0), nan},         {T(-0.0), minus_inf, nan}, {nan, T(1.0), nan},
      {inf, most, inf},           {nan, inf, nan},           {nan, T(0.0), nan},
      {from_bits<T>(1), inf, inf}};
  for (std::size_t const n : {0, 10, 600, 2000})
    for (auto const& c : cases) {
      pairs<T> x{std::vector<T>(n, T(1.5)), std::vector<T>(n, T(-2.5))};
      x.a.insert(x.a.begin() + n / 2, c.a);
      x.b.insert(x.b.begin() + n / 2, c.b);
      EXPECT_EQ(to_bits(dot_of(x)), to_bits(c.sum)) << double(c.a) << ' ' << double(c.b);
    }
  EXPECT_EQ(to_bits(dot_of(pairs<T>{{inf, inf}, {T(1.0), T(-1.0)}})), to_bits(nan));
}

TYPED_TEST(dot_of_floats, skips_a_pair_with_a_nan_on_either_side) {
  using T = TypeParam;
  std::mt19937_64 random(3);
  for (std::size_t const n : {3, 512, 3000})
    for (bool const wide : {false, true}) {
      auto x = wide ? support::bit_patterns<T>(random, n) : support::normal_pairs<T>(random, n);
      auto kept = x;
      for (std::size_t i = 0; i < n; ++i) {
        if (i % 5 == 1) x.a[i] = from_bits<T>(bits_of<T>(format<T>::infinity | 1));
        if (i % 7 == 2) x.b[i] = quiet_nan<T>();
        if (i % 5 == 1 || i % 7 == 2) kept.a[i] = T{};
      }
      EXPECT_EQ(to_bits(dot_of(x)), to_bits(quiet_nan<T>()));
      EXPECT_EQ(to_bits(dot_of(x, {.nan = skip})), to_bits(dot_by_mpfr<T>(kept)));
    }
  pairs<T> const product_is_nan{{infinity<T>(), T(1.0)}, {T(0.0), T(1.0)}};
  EXPECT_EQ(to_bits(dot_of(product_is_nan, {.nan = skip})), to_bits(quiet_nan<T>()));
}

TYPED_TEST(dot_of_floats, can_be_saved_and_merged) {
  using T = TypeParam;
  std::mt19937_64 random(4);
  auto x = support::bit_patterns<T>(random, 1000);
  std::span<T const> const a = x.a, b = x.b;
  reducer<zipped<T, T>, dot> left, right, from_bytes;
  left.add(cpu{}, zip(a.first(400), b.first(400)));
  right.add(cpu{}, zip(a.subspan(400), b.subspan(400)));
  byte_writer out;
  right.write(out);
  auto const bytes = out.take();
  byte_reader in(bytes);
  from_bytes.read(in);
  from_bytes.append(left);
  EXPECT_EQ(to_bits(from_bytes.result()), to_bits(dot_by_mpfr<T>(x)));
}

// Where the exponents make the product or its error inexact in double, from just inside to outside.
TEST(dot, of_doubles_is_exact_at_both_ends_of_the_exponents) {
  std::mt19937_64 random(5);
  for (int exponent = -1080; exponent <= 1030; exponent += exponent % 2 ? 1 : 9)
    for (int length : {1, 700}) {
      pairs<double> x = support::normal_pairs<double>(random, length);
      for (int i = 0; i < length; ++i) {
        x.a[i] = std::ldexp(x.a[i], exponent / 2);
        x.b[i] = std::ldexp(x.b[i], exponent - exponent / 2);
      }
      EXPECT_EQ(dot_of(x), dot_by_mpfr<double>(x)) << exponent;
    }
}

// The square of 1 + u less 1 + 2 u, and of 2 - u less 4 - 4 u, all times 2^exponent: what is left
// of each is u^2, an error of a product, at every exponent where that comes near the end of the
// doubles and passes it.
TEST(dot, of_doubles_is_exact_where_errors_lie_below_all_doubles) {
  double const u = 0x1p-52;
  for (int exponent = -1074; exponent <= 1060;
       exponent += exponent < -940 || exponent > 990 ? 1 : 77)
    for (bool const large : {false, true}) {
      double const x = large ? 2 - u : 1 + u, most = large ? 4 - 4 * u : 1 + 2 * u;
      int const half = exponent / 2, rest = exponent - half;
      pairs<double> products{std::vector<double>(512, std::ldexp(x, half)),
                             std::vector<double>(512, std::ldexp(x, rest))};
      products.a.resize(1024, -std::ldexp(most, half));
      products.b.resize(1024, std::ldexp(1, rest));
      ASSERT_EQ(reduce(cpu{1}, zip(products.a, products.b), dot{}),
                std::ldexp(512 * u * u, exponent))
          << exponent;
    }
}

// Products that are less than the least double, and rounded would be nothing or twice as much.
TEST(dot, of_doubles_is_exact_where_products_lie_below_all_doubles) {
  for (int exponent = -1084; exponent <= -1060; ++exponent)
    for (double const factor : {1.0, 1.5}) {
      std::vector<double> const a(1024, std::ldexp(factor, exponent / 2)),
          b(1024, std::ldexp(1.0, exponent - exponent / 2));
      ASSERT_EQ(reduce(cpu{1}, zip(a, b), dot{}), std::ldexp(1024 * factor, exponent)) << exponent;
    }
}

// As the sums of windows_test.cpp, of products that have errors: all are taken away again but one.
TYPED_TEST(dot_of_floats, keeps_the_last_product_at_every_depth) {
  using T = TypeParam;
  for (int depth = 0; depth <= 90; ++depth) {
    support::full_window const w{.top = 1, .depth = depth};
    if (!w.exists<T>()) continue;
    pairs<T> x{w.tile<T>(), w.tile<T>()};
    for (std::size_t i = 0, n = x.a.size(); i < n; ++i) {
      bool const odd = to_bits(x.a[i]) == to_bits(w.odd<T>());
      x.a.push_back(odd ? T{} : support::minus(x.a[i]));
      x.b.push_back(x.b[i]);
    }
    double const y = double(w.odd<T>());
    EXPECT_EQ(reduce(cpu{1}, zip(x.a, x.b), dot{}.template as<double>()), y * y) << depth;
  }
}

TEST(dot, of_integers_is_modulo_2_to_the_64) {
  std::mt19937_64 random(6);
  auto const check = [&]<class T>(T) {
    for (std::size_t const n : {0, 1, 33, 512, 100'001}) {
      std::vector<T> a(n), b(n);
      std::uint64_t want = 0;
      for (std::size_t i = 0; i < n; ++i) {
        a[i] = i % 3 ? T(random()) : std::numeric_limits<T>::lowest();
        b[i] = i % 2 ? T(random()) : std::numeric_limits<T>::lowest();
        want += std::uint64_t(a[i]) * std::uint64_t(b[i]);
      }
      for (int const threads : {1, 3}) {
        auto const found = reduce(cpu{threads}, zip(a, b), dot{});
        static_assert(std::is_same_v<decltype(found), widest<T> const>);
        EXPECT_EQ(std::uint64_t(found), want) << n;
      }
    }
  };
  check(std::int8_t{});
  check(std::int16_t{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(std::uint8_t{});
  check(std::uint16_t{});
  check(std::uint32_t{});
  check(std::uint64_t{});
  std::array<bool, 4> const p{true, true, false, true}, q{true, false, true, true};
  EXPECT_EQ(reduce(cpu{}, zip(p, q), dot{}), 2u);
  std::vector<std::uint8_t> const all(2000, 255);
  EXPECT_EQ(reduce(cpu{}, zip(all, all), dot{}), 2000u * 255 * 255);
}

// Every tile of ordinary data is multiplied in doubles, and the products are seldom far apart.
TYPED_TEST(dot_of_floats, takes_fast_paths_on_ordinary_data) {
  using detail::path;
  using detail::path_count;
  std::mt19937_64 random(7);
  auto const x = support::normal_pairs<TypeParam>(random, 300 * 512);
  auto const moved = [&](path which) {
    auto const before = path_count(which);
    reduce(cpu{1}, zip(x.a, x.b), dot{});
    return path_count(which) - before;
  };
  EXPECT_EQ(moved(path::dot_products), 300u);
  EXPECT_EQ(moved(path::dot_elements), 0u);
  EXPECT_LT(moved(path::sum_elements), 5u);
  EXPECT_EQ(moved(path::sum_table), 0u);
}

TEST(dot, names_the_sizes_that_differ) {
  std::vector<float> const a(3), b(5);
  EXPECT_EQ(support::failure_of([&] { reduce(cpu{}, zip(a, b), dot{}); }),
            "zip: a has 3 elements, b has 5");
}

}  // namespace
