// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/agent/moments.cuh"

#include "support/device_reduce.cuh"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/device/reduce/agent/second_moments.cuh"

namespace {

using namespace support;

template <class A, bool Squares, class T>
void expect_moment(A const& a, std::vector<T> const& in, test_call& call, int offset,
                   tally::nan_policy nan) {
  typename tally::moments<T, Squares>::state s;
  for (T const x : in) {
    if (nan == tally::skip && tally::is_nan(x)) continue;
    s.sum.add(x);
    ++s.count;
    if constexpr (Squares) s.squares.add(x);
  }
  auto const got = run_on_device(a, in, call, nan, offset);
  auto const want = a.lower(s);
  EXPECT_EQ(memcmp(&got.result, &want, sizeof want), 0)
      << a.name << " of " << in.size() << " elements at " << offset << ": " << bits_text(got.result)
      << ", not " << bits_text(want);
  EXPECT_EQ(got.found, !a.empty(s));
}

template <class T>
void expect_moments(std::vector<T> const& in, test_call& call, int offset = 0,
                    tally::nan_policy nan = tally::propagate) {
  expect_moment<decltype(tally::mean{}.on<T>()), false>(tally::mean{}.on<T>(), in, call, offset,
                                                        nan);
  auto const squares = [&](auto const& op) {
    auto const a = op.template on<T>();
    expect_moment<decltype(a), true>(a, in, call, offset, nan);
  };
  squares(tally::variance{});
  squares(tally::standard_deviation{.ddof = 1});
  squares(tally::sum_of_squares{});
  squares(tally::norm{});
}

template <class T>
struct moments_on_a_device : ::testing::Test {};
using floats = ::testing::Types<float, double, tally::float16, tally::bfloat16>;
TYPED_TEST_SUITE(moments_on_a_device, floats);

template <class T>
void expect_moments_of(std::span<kind const> those) {
  test_call call(2);
  for (kind which : those)
    for (std::size_t n : {1, 20000}) expect_moments(values<T>(which, n), call);
}
constexpr std::span all_kinds(kinds);

TYPED_TEST(moments_on_a_device, are_right_for_values_of_one_size_or_any) {
  expect_moments_of<TypeParam>(all_kinds.first(3));
}
TYPED_TEST(moments_on_a_device, are_right_for_values_that_cancel_or_are_small) {
  expect_moments_of<TypeParam>(all_kinds.subspan(3, 4));
}
TYPED_TEST(moments_on_a_device, are_right_for_values_that_are_not_finite_or_the_largest) {
  expect_moments_of<TypeParam>(all_kinds.subspan(7));
}

TYPED_TEST(moments_on_a_device, are_right_for_every_size_and_address) {
  test_call call(2);
  int offset = 0;
  for (std::size_t n : {0, 2, 33, 1025, 4097, 9001})
    expect_moments(values<TypeParam>(kind::normal, n), call, ++offset);
}

TYPED_TEST(moments_on_a_device, are_right_where_few_elements_lie_apart) {
  test_call call(2);
  auto const others = values<TypeParam>(kind::any_bits, 40000);
  for (std::size_t distance : {3, 20, 5003}) {
    auto in = values<TypeParam>(kind::normal, others.size());
    for (std::size_t i = distance / 2; i < in.size(); i += distance) in[i] = others[i];
    expect_moments(in, call);
  }
}

// Windows are full, and what they hold goes on, a few times in a launch; answers that are half way
// between two results, or zero, take exact arithmetic.
TYPED_TEST(moments_on_a_device, are_right_for_many_equal_elements) {
  test_call call(1);
  using f = tally::format<TypeParam>;
  auto const one = tally::convert<TypeParam>(1.0);
  auto const next = tally::from_bits<TypeParam>(typename f::bits(tally::to_bits(one) + 1));
  std::vector<TypeParam> in(200'000, next);
  expect_moments(in, call);
  std::fill(in.begin() + 100'000, in.end(), one);
  expect_moments(in, call);
}

// Windows that hold the largest elements end below what is not finite.
template <class T>
void expect_what_comes_after_the_largest() {
  test_call call(1);
  auto in = values<T>(kind::largest, 2 * 512 * 64 / sizeof(T) + 5);  // two tiles
  for (T const x : {tally::infinity<T>(true), tally::quiet_nan<T>()}) {
    in[in.size() / 2 + 100] = x;
    auto const a = tally::norm{}.on<T>();
    expect_moment<decltype(a), true>(a, in, call, 0, tally::propagate);
  }
}
TEST(moments_on_a_device, are_right_where_an_infinity_comes_after_the_largest) {
  expect_what_comes_after_the_largest<float>();
  expect_what_comes_after_the_largest<tally::bfloat16>();
}

TYPED_TEST(moments_on_a_device, can_skip_nan) {
  test_call call(2);
  for (std::size_t n : {3, 20000})
    expect_moments(values<TypeParam>(kind::nans, n), call, 1, tally::skip);
  expect_moments(std::vector<TypeParam>(9000, tally::quiet_nan<TypeParam>()), call, 0, tally::skip);
}

template <class T>
struct integer_moments_on_a_device : ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint32_t,
                                  std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(integer_moments_on_a_device, integers);

TYPED_TEST(integer_moments_on_a_device, are_right) {
  test_call call(2);
  std::mt19937_64 random(1);
  for (std::size_t n : {0, 1, 257, 20000}) {
    std::vector<TypeParam> in(n), all(n, std::numeric_limits<TypeParam>::max());
    for (std::size_t i = 0; i < n; ++i) in[i] = TypeParam(random());
    expect_moments(in, call, 3);
    expect_moments(all, call);
    expect_moments(std::vector<TypeParam>(n, std::numeric_limits<TypeParam>::lowest()), call);
  }
}

// Values that are not finite are in the counts alone.
TYPED_TEST(moments_on_a_device, come_as_states_of_the_same_bytes) {
  test_call call(2);
  tally::exact_moments<TypeParam> const a;
  for (kind which : kinds)
    for (std::size_t n : {0, 1, 300, 20000})
      for (auto const nan : {tally::propagate, tally::skip}) {
        auto const in = values<TypeParam>(which, n);
        auto want = a.identity();
        for (TypeParam const x : in)
          if (nan == tally::propagate || !tally::is_nan(x)) want.add(x), ++want.count;
        auto const got = run_on_device(a, in, call, nan, 1);
        EXPECT_EQ(bytes_of(a, got.result), bytes_of(a, want))
            << "kind " << int(which) << ", n = " << n;
        EXPECT_TRUE(got.found);
      }
}

// Devices of compute capability 8 and later give a block 99 KiB or more.
template <class T>
void expect_to_fit() {
  using agent = decltype(tally::device::make_agent(tally::variance{}.on<T>(), false));
  EXPECT_LT(agent::dynamic_bytes + sizeof(typename agent::shared), std::size_t(99) << 10);
}
TEST(moments_on_a_device, need_shared_memory_that_all_devices_have) {
  expect_to_fit<float>();
  expect_to_fit<double>();
  expect_to_fit<tally::bfloat16>();
}

}  // namespace
