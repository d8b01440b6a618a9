// SPDX-License-Identifier: Apache-2.0
//
// Inputs that are computed while they are read give the bits of the array that they stand for.
#include "tally/input.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "cpu/operators.hpp"
#include "support/failure_of.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;

template <input In>
auto materialised(In const& in) {
  std::vector<typename In::element> out(in.size());
  for (std::uint64_t i = 0; i < in.size(); ++i) out[i] = in[i];
  return out;
}

// Of padding, which has no value, none.
template <class T>
std::string bytes_of(T const& x) {
  if constexpr (requires { x.index; }) {
    return std::to_string(x.index) + bytes_of(x.value);
  } else if constexpr (requires { x.rest; }) {
    return bytes_of(x.first) + bytes_of(x.rest);
  } else if constexpr (requires { x.first; }) {
    return bytes_of(x.first);
  } else {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    return {reinterpret_cast<char const*>(&x), sizeof x};
  }
}

template <input In, class Op>
void expect_the_same(In const& in, Op const& op) {
  auto const x = materialised(in);
  std::uint64_t const n = in.size();
  for (nan_policy const nan : {propagate, skip}) {
    auto const want = bytes_of(reduce(cpu{1}, x, op, {nan}));
    for (int const threads : {1, 2, 5})
      EXPECT_EQ(bytes_of(reduce(cpu{threads}, in, op, {nan})), want) << n << ' ' << threads;
    reducer<typename In::element, Op> stream(op, {nan}, 3), half(op, {nan}, 3);
    stream.add(cpu{2}, in);
    stream.add(cpu{2}, in);
    half.add(cpu{2}, x);
    half.add(cpu{2}, x);
    EXPECT_EQ(bytes_of(stream.result()), bytes_of(half.result())) << n;
  }
}

template <class T>
std::vector<T> random_elements(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<T> x(n);
  for (T& e : x) {
    if constexpr (floating<T>) {
      e = random() % 100 ? T(std::ldexp(double(std::int64_t(random())), -60))
                         : from_bits<T>(bits_of<T>(random()));
      if (random() % 50 == 0) e = quiet_nan<T>();
    } else {
      e = T(random());
    }
  }
  return x;
}

struct doubled_in_double {
  template <class T>
  TALLY_FN double operator()(T x) const {
    return 2 * double(x);
  }
};

template <class T>
class inputs : public testing::Test {};
using types =
    testing::Types<std::int8_t, std::uint16_t, std::int64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(inputs, types);

TYPED_TEST(inputs, transformed_give_the_bits_of_the_array) {
  using T = TypeParam;
  for (std::size_t const n : {1, 255, 512, 513, 70'001}) {
    auto x = random_elements<T>(n);
    x[0] = T(1);
    auto const each = [&](auto f) {
      auto const in = transform(x, f);
      expect_the_same(in, sum{});
      expect_the_same(in, fast_sum{});
      expect_the_same(in, variance{});
      expect_the_same(in, minimum{});
      expect_the_same(in, count_nonzero{});
    };
    each(absolute{});
    each(square{});
    each(doubled_in_double{});
  }
}

TEST(inputs, of_inputs_work_too) {
  for (std::size_t const n : operators::sizes) {
    auto const a = random_elements<float>(n), b = random_elements<float>(n);
    auto const difference = [](zipped<float, float> p) { return p.first - p.second; };
    auto const distances = transform(transform(zip(a, b), difference), absolute{});
    expect_the_same(distances, sum{});
    if (n) expect_the_same(distances, all_together(sum{}, mean{}, count_nonzero{}));

    auto const squares = zip(transform(a, square{}), b);
    auto const c = materialised(transform(a, square{}));
    for (nan_policy const nan : {propagate, skip})
      EXPECT_EQ(to_bits(reduce(cpu{3}, squares, dot{}, {nan})),
                to_bits(reduce(cpu{1}, zip(c, b), dot{}, {nan})));
  }
}

TEST(inputs, keep_the_order_of_an_operator_that_does_not_commute) {
  for (std::size_t const n : operators::sizes) {
    if (n == 0) continue;
    auto const x = operators::random_affine(n);
    auto const turned =
        transform(x, [](operators::affine f) { return operators::affine{f.a * 3, f.b ^ 5}; });
    EXPECT_EQ(reduce(cpu{3}, turned, operators::then{}),
              reduce(cpu{1}, materialised(turned), operators::then{}));
  }
}

TEST(inputs, apply_the_nan_policy_to_what_f_returns) {
  std::vector<float> const x{4, -1, NAN, 9};
  auto const root = [](float e) { return std::sqrt(e); };
  EXPECT_EQ(reduce(cpu{}, transform(x, root), sum{}, {.nan = skip}), 5.0f);
  auto const missing_is_one = [](float e) { return std::isnan(e) ? 1.0f : e; };
  EXPECT_EQ(reduce(cpu{}, transform(x, missing_is_one), sum{}), 13.0f);
}

TEST(inputs, can_be_constants_captured_by_the_function) {
  std::vector<double> const x{1, 2, 3};
  double const center = 2;
  EXPECT_EQ(reduce(cpu{}, transform(x, [=](double e) { return e - center; }), sum_of_squares{}), 2);
}

TEST(inputs, are_what_a_kernel_can_take) {
  std::vector<float> const x{1, 2, 3};
  auto const in = zip(transform(x, square{}), x);
  static_assert(input<decltype(in)> && std::is_trivially_copyable_v<decltype(in)>);
  EXPECT_EQ(in.size(), 3u);
  EXPECT_EQ(in[2].first, 9);
  EXPECT_EQ(in[2].second, 3);
}

TEST(inputs, name_what_is_wrong_with_them) {
  std::vector<float> const a(3), b(4);
  EXPECT_EQ(support::failure_of([&] { zip(transform(a, square{}), b); }),
            "zip: a has 3 elements, b has 4");
  alignas(8) char bytes[32] = {};
  std::span const odd(reinterpret_cast<float const*>(bytes + 1), 3);
  EXPECT_NE(support::failure_of([&] { transform(odd, square{}); }).find("transform: x = 0x"),
            std::string::npos);
  EXPECT_EQ(support::failure_of(
                [&] { reduce(cpu{}, transform(std::vector<float>{}, square{}), minimum{}); }),
            "minimum: the array is empty");
  auto const f = [](float) -> float { throw error("f: no"); };
  EXPECT_EQ(support::failure_of([&] { reduce(cpu{2}, transform(a, f), sum{}); }), "f: no");
}

TEST(functions, square_wraps_integers_and_rounds_halves_once) {
  EXPECT_EQ(square{}(std::int8_t(-100)), std::int8_t(10000 & 255));
  EXPECT_EQ(square{}(std::uint16_t(65535)), 1);
  EXPECT_EQ(square{}(std::numeric_limits<std::int32_t>::min()), 0);
  EXPECT_EQ(square{}(true), true);
  EXPECT_EQ(square{}(1.1f), 1.1f * 1.1f);
  auto const check = []<class T>(T) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
      T const x = from_bits<T>(std::uint16_t(bits));
      double const exact = double(x) * double(x);  // of at most 22 bits
      ASSERT_EQ(to_bits(square{}(x)), to_bits(T(exact))) << bits;
    }
  };
  check(float16{});
  check(bfloat16{});
}

TEST(functions, absolute_clears_the_sign_and_keeps_the_lowest_integer) {
  EXPECT_EQ(absolute{}(-5), 5);
  EXPECT_EQ(absolute{}(std::int8_t(-128)), std::int8_t(-128));
  EXPECT_EQ(absolute{}(std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(absolute{}(std::uint8_t(200)), 200);
  EXPECT_EQ(absolute{}(true), true);
  EXPECT_EQ(to_bits(absolute{}(-0.0)), 0u);
  EXPECT_EQ(to_bits(absolute{}(from_bits<float>(0xffc01234))), 0x7fc01234u);
  EXPECT_EQ(to_bits(absolute{}(float16(-1.5))), to_bits(float16(1.5)));
}

}  // namespace
