// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/agent/dot.cuh"

#include "support/device_reduce.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/together.cuh"
#include "tally/transform.hpp"
#include "tally/zip.hpp"

namespace {

using namespace support;

template <class A, class T>
typename A::result fold(A const& a, std::vector<T> const& x, std::vector<T> const& y,
                        tally::nan_policy nan) {
  auto s = a.identity();
  for (std::size_t i = 0; i < x.size(); ++i) {
    tally::zipped<T, T> const pair{x[i], y[i]};
    bool there = true;
    if constexpr (tally::floating<T>) there = nan == tally::propagate || !tally::is_nan(pair);
    if (there) s = a.combine(s, a.lift(pair, i));
  }
  return a.lower(s);
}

// The arrays begin so many elements behind a 256-byte boundary.
template <class A, class T>
void expect_of_pairs(A const& a, std::vector<T> const& x, std::vector<T> const& y, test_call& call,
                     int x_at, int y_at, tally::nan_policy nan) {
  auto const want = fold(a, x, y, nan);
  auto const placed = [](std::vector<T> const& in, int at) {
    std::vector<T> around(in.size() + at);
    std::copy(in.begin(), in.end(), around.begin() + at);
    return tally::device_array<T>(around);
  };
  auto const one = placed(x, x_at), other = placed(y, y_at);
  struct holder {
    typename A::result value;
  };
  tally::device_array<holder> out(1);
  out.fill_bytes(0xa5);
  tally::array_input<T> const first{one.data() + x_at, x.size()};
  tally::array_input<T> const second{other.data() + y_at, y.size()};
  tally::detail::reduce_on_gpu(
      call, a, nan, tally::zip_input<tally::array_input<T>, tally::array_input<T>>{first, second},
      &out.data()->value, nullptr);
  tally::check(cudaDeviceSynchronize());
  auto const got = out.to_host()[0].value;
  if constexpr (std::is_same_v<typename A::result, typename A::state>)
    EXPECT_EQ(bytes_of(a, got), bytes_of(a, want)) << x.size() << " pairs";
  else
    EXPECT_EQ(memcmp(&got, &want, sizeof want), 0)
        << x.size() << " pairs at " << x_at << " and " << y_at;
}
template <class T>
void expect_dot(std::vector<T> const& x, std::vector<T> const& y, test_call& call, int x_at = 0,
                int y_at = 0, tally::nan_policy nan = tally::propagate) {
  expect_of_pairs(tally::dot{}.on<tally::zipped<T, T>>(), x, y, call, x_at, y_at, nan);
}

template <class T>
struct dots_on_a_device : ::testing::Test {};
using floats = ::testing::Types<tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(dots_on_a_device, floats);

TYPED_TEST(dots_on_a_device, come_as_states_of_the_same_bytes) {
  test_call call(2);
  auto const a = tally::dot_state{}.on<tally::zipped<TypeParam, TypeParam>>();
  for (kind which : kinds)
    for (std::size_t n : {0, 1, 300, 20000})
      for (auto const nan : {tally::propagate, tally::skip})
        expect_of_pairs(a, values<TypeParam>(which, n), values<TypeParam>(which, n, 7), call, 0, 1,
                        nan);
}

TYPED_TEST(dots_on_a_device, are_exact_for_every_size) {
  test_call call(2);
  for (std::size_t const n : {0, 1, 3, 15, 17, 33, 255, 1025, 4097, 20001})
    expect_dot(values<TypeParam>(kind::wide, n, 1), values<TypeParam>(kind::wide, n, 2), call);
}

TYPED_TEST(dots_on_a_device, are_exact_wherever_the_arrays_lie) {
  test_call call(2);
  constexpr int each = 16 / sizeof(TypeParam);
  for (int i = 0; i < each; ++i)
    for (std::size_t const n : {0, 1, 2, each, 2 * each, 3 * each + 1, 517})
      expect_dot(values<TypeParam>(kind::wide, n, 1), values<TypeParam>(kind::wide, n, 2), call, i,
                 (3 * i + 1) % each);
}

TYPED_TEST(dots_on_a_device, are_exact_of_any_bits) {
  test_call call(2);
  for (kind const one : kinds)
    for (kind const other : {kind::any_bits, kind::wide, kind::nans, kind::infinities, kind::zeros})
      for (tally::nan_policy const nan : {tally::propagate, tally::skip})
        expect_dot(values<TypeParam>(one, 1500, 1), values<TypeParam>(other, 1500, 2), call, 0, 1,
                   nan);
}

struct negated {
  TALLY_FN float operator()(float x) const { return -x; }
};

TYPED_TEST(dots_on_a_device, take_a_few_that_are_small_among_many) {
  using limits = std::numeric_limits<double>;
  test_call call(1);
  constexpr std::size_t half = 4500;
  auto x = values<TypeParam>(kind::normal, 2 * half, 1),
       y = values<TypeParam>(kind::normal, half, 2);
  y.insert(y.end(), y.begin(), y.end());
  constexpr auto sign = tally::format<TypeParam>::sign;
  for (std::size_t i = 0; i < half; ++i)  // so that nothing else is left
    x[half + i] = tally::from_bits<TypeParam>(decltype(sign)(tally::to_bits(x[i]) ^ sign));
  for (bool const finite : {true, false}) {
    double const small[] = {
        0x1p-20, -0x1p-60, 0.0, limits::denorm_min(), 0x1p-980, finite ? 1e-6 : limits::infinity()};
    for (std::size_t i = 17, k = 0; i < half; i += 500, ++k)
      x[i] = x[half + i] = tally::convert<TypeParam>(small[k % 6]);
    expect_dot(x, y, call);
  }
}

TEST(dots_of_inputs_on_a_device, are_of_what_functions_return) {
  test_call call(2);
  for (std::size_t const n : {1, 5, 1000, 9001}) {
    auto const x = values<float>(kind::wide, n, 1), y = values<float>(kind::wide, n, 2);
    auto negative = y;
    for (float& each : negative) each = -each;
    auto const a = tally::dot{}.on<tally::zipped<float, float>>();
    tally::device_array<float> const one(x), other(y), out(1);
    tally::array_input<float> const first{one.data(), n}, second{other.data(), n};
    using right = tally::transform_input<tally::array_input<float>, negated>;
    tally::zip_input<tally::array_input<float>, right> const in{first, {second, {}}};
    tally::detail::reduce_on_gpu(call, a, tally::propagate, in, out.data(), nullptr);
    tally::check(cudaDeviceSynchronize());
    EXPECT_EQ(out.to_host()[0], fold(a, x, negative, tally::propagate)) << n;
  }
}

TEST(dots_of_integers_on_a_device, are_modulo_2_64) {
  test_call call(2);
  std::vector<std::uint64_t> x(5000), y(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0x9e3779b97f4a7c15 * (i + 1), y[i] = ~x[i] * 3;
  expect_dot(x, y, call, 1, 0);
}

// Several of which are multiplied at once: any, and those whose products are the largest.
template <class T>
struct dots_of_narrow_integers_on_a_device : ::testing::Test {};
using narrow_integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(dots_of_narrow_integers_on_a_device, narrow_integers);

TYPED_TEST(dots_of_narrow_integers_on_a_device, are_exact_wherever_the_arrays_lie) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  test_call call(2);
  std::vector<T> a(5000), b(5000);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t const random = 0x9e3779b97f4a7c15 * (i + 1);
    a[i] = T(random >> 9), b[i] = T(random >> 33);
  }
  for (int at = 0; at < 16; ++at) expect_dot(a, b, call, at, 5);
  for (T const end : {limits::min(), limits::max()})
    for (T const other : {limits::min(), limits::max()})
      expect_dot(std::vector<T>(3001, end), std::vector<T>(3001, other), call);
}

// The smallest difference within a pair.
struct gap {
  using element = tally::zipped<float, float>;
  using state = float;
  using result = float;
  static constexpr bool any_order = true;
  TALLY_FN state identity() const { return 1e30f; }
  TALLY_FN state lift(element x, std::uint64_t) const { return fabsf(x.first - x.second); }
  TALLY_FN state combine(state a, state b) const { return a < b ? a : b; }
  TALLY_FN result lower(state s) const { return s; }
};

// More than have room for all their columns.
TEST(dots_on_a_device, can_be_many) {
  test_call call(3);
  using pair = tally::zipped<double, double>;
  tally::dot const dot;
  auto const a = tally::all_together(dot, dot, dot, dot, dot.as<float>(), dot, dot).on<pair>();
  using result = decltype(a)::result;
  for (kind const which : {kind::normal, kind::any_bits}) {
    auto const x = values<double>(which, 20001, 1), y = values<double>(kind::wide, 20001, 2);
    tally::device_array<double> const one(x), other(y);
    tally::device_array<result> out(1);
    out.fill_bytes(0xa5);
    using input = tally::array_input<double>;
    tally::zip_input<input, input> const in{{one.data(), x.size()}, {other.data(), y.size()}};
    tally::detail::reduce_on_gpu(call, a, tally::propagate, in, out.data(), nullptr);
    tally::check(cudaDeviceSynchronize());
    auto const got = out.to_host()[0];
    auto const want = fold(dot.on<pair>(), x, y, tally::propagate);
    EXPECT_EQ(tally::to_bits(get<0>(got)), tally::to_bits(want));
    EXPECT_EQ(tally::to_bits(get<3>(got)), tally::to_bits(want));
    EXPECT_EQ(tally::to_bits(get<6>(got)), tally::to_bits(want));
    auto const narrow = fold(dot.as<float>().on<pair>(), x, y, tally::propagate);
    EXPECT_EQ(tally::to_bits(get<4>(got)), tally::to_bits(narrow));
  }
}

TEST(dots_on_a_device, can_be_had_together_with_others) {
  test_call call(2);
  using pair = tally::zipped<float, float>;
  auto const x = values<float>(kind::wide, 9001, 1), y = values<float>(kind::wide, 9001, 2);
  auto const a = tally::all_together(tally::dot{}, gap{}, tally::dot{}.as<double>()).on<pair>();
  using result = decltype(a)::result;
  tally::device_array<float> const one(x), other(y);
  tally::device_array<result> out(1);
  out.fill_bytes(0xa5);  // also between the results
  tally::array_input<float> const first{one.data(), x.size()}, second{other.data(), y.size()};
  tally::detail::reduce_on_gpu(
      call, a, tally::propagate,
      tally::zip_input<tally::array_input<float>, tally::array_input<float>>{first, second},
      out.data(), nullptr);
  tally::check(cudaDeviceSynchronize());
  auto const [product, least, wide] = out.to_host()[0];
  EXPECT_EQ(product, fold(tally::dot{}.on<pair>(), x, y, tally::propagate));
  EXPECT_EQ(least, fold(gap{}, x, y, tally::propagate));
  EXPECT_EQ(wide, fold(tally::dot{}.as<double>().on<pair>(), x, y, tally::propagate));
}

}  // namespace
