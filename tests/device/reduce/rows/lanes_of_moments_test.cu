// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/lanes_of_moments.cuh"

#include <cmath>
#include <limits>
#include <random>

#include "support/device_reduce.cuh"
#include "tally/definition/dot.hpp"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/device/reduce/agent/dot.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/rows.hpp"

namespace {

using namespace support;
using namespace tally;

// What one lane makes of a row, and whether it knows.
template <class Lanes>
__global__ void by_one_lane(Lanes const lanes, typename Lanes::element const* x, std::uint64_t n,
                            typename Lanes::result* out, int* known) {
  strided_input<typename Lanes::element> const row{x, 1, n};
  auto const own = device::lanes_of_row(lanes, row);
  auto sum = own.none(), rest = own.none();
  for (std::uint64_t i = 0; i < n; ++i) own.add(i % 3 ? sum : rest, x[i], i);
  *known = own.finish(own.combine(sum, rest), n, *out);
}

template <class R>
struct answer {
  bool known;
  R result;
};
template <class Lanes, class T>
auto answer_of(Lanes const& lanes, std::vector<T> const& x) {
  using R = typename Lanes::result;
  device_array<T> const there(x);
  device_array<R> out(1);
  device_array<int> known(1);
  launch(by_one_lane<Lanes>, 1, 1)(lanes, there.data(), x.size(), out.data(), known.data());
  return answer<R>{known.to_host()[0] != 0, out.to_host()[0]};
}

enum way { first, second, agent };

// Expects what lanes know to be right, and that of all ways this is the first to know.
template <class Op, class T>
void expect(Op const& op, std::vector<T> const& x, way wanted, nan_policy nan = propagate) {
  auto const a = detail::bind_reduce<T>(op);
  auto state = a.identity();
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool counts = true;
    if constexpr (has_nan<T>) counts = nan == propagate || !is_nan(x[i]);
    if (counts) state = a.combine(state, a.lift(x[i], i));
  }
  auto const want = a.lower(state);
  auto const lanes = device::make_lanes(a, nan == skip);
  auto const right = [&](auto const& got) {
    if (got.known) {
      EXPECT_EQ(bits_text(got.result), bits_text(want));
    }
    return got.known;
  };
  way known = right(answer_of(lanes, x)) ? first : agent;
  if constexpr (requires { lanes.again(); }) {
    bool const again = right(answer_of(lanes.again(), x));
    if (known == agent && again) known = second;
  }
  EXPECT_EQ(known, wanted) << x.size() << " elements, the result is " << bits_text(want);
}

template <class T>
std::vector<T> normal(std::size_t n, double mean, double deviation, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(mean, deviation);
  std::vector<T> x(n);
  for (auto& e : x) e = convert<T>(draw(random));
  return x;
}
template <class T>
std::vector<T> so_many(std::size_t n, T x) {
  return std::vector<T>(n, x);
}
std::vector<zipped<float, float>> pairs(std::vector<float> const& x, std::vector<float> const& y) {
  std::vector<zipped<float, float>> both;
  for (std::size_t i = 0; i < x.size(); ++i) both.push_back({x[i], y[i]});
  return both;
}
float power(int e) { return std::ldexp(1.0f, e); }

TEST(moments_of_lanes, know_all_of_ordinary_floats) {
  for (std::size_t const n : {1, 2, 31, 500})
    for (unsigned seed = 1; seed < 20; ++seed) {
      auto const x = normal<float>(n, 0.1, 1, seed);
      auto const few = normal<bfloat16>(n, 1, 1, seed);
      expect(mean{}, x, first);
      expect(variance{}, x, first);
      expect(variance{1}, x, first);
      expect(standard_deviation{}, x, first);
      expect(sum_of_squares{}, x, first);
      expect(tally::norm{}, x, first);
      expect(variance{}, few, first);
      expect(tally::norm{}, few, first);
      expect(dot{}, pairs(x, normal<float>(n, 0, 1, seed + 100)), first);
    }
}

TEST(moments_of_lanes, know_all_of_ordinary_doubles) {
  for (std::size_t const n : {1, 3, 31, 500})
    for (unsigned seed = 1; seed < 20; ++seed) {
      auto const x = normal<double>(n, 1, 1, seed);
      expect(mean{}, x, first);
      expect(variance{}, x, n == 1 ? second : first);
      expect(standard_deviation{n - 1}, x, n == 1 ? second : first);
      expect(sum_of_squares{}, x, first);
      expect(tally::norm{}, x, first);
    }
}

TEST(moments_of_lanes, know_ties) {
  std::vector<float> const squares = {4096, 1}, odd = {4096, 1, 1, 1}, apart = {0, 4097};
  expect(sum_of_squares{}, squares, first);
  expect(sum_of_squares{}, odd, first);
  expect(variance{}, apart, first);
  expect(dot{}, pairs({power(24), 1}, {1, 1}), first);
  expect(dot{}, pairs({power(24), 3}, {1, 1}), first);
  expect(mean{}, std::vector<float>{-power(-149), 0}, first);
  expect(mean{}, std::vector<float>{power(24), 1, 0, 0}, first);
  expect(variance{}, std::vector<bfloat16>{bfloat16(0), bfloat16(33), bfloat16(0)}, first);
}

TEST(moments_of_lanes, know_with_106_bits_what_doubles_leave_in_doubt) {
  auto const far = normal<float>(600, power(22), 1);
  expect(variance{}, far, second);
  expect(standard_deviation{1}, far, second);
  std::vector<float> const cancels = {power(60), power(-50), -power(60)};
  expect(mean{}, cancels, second);
  expect(dot{}, pairs(cancels, {1, 3, 1}), second);
}

TEST(moments_of_lanes, see_that_equal_elements_have_no_variance) {
  expect(variance{}, so_many(300, 1.1f), second);
  expect(standard_deviation{1}, so_many(300, -1.1f), second);
  expect(variance{}, so_many(300, 1.1), second);
  expect(sum_of_squares{}, so_many(300, 1.1f), first);
}

TEST(moments_of_lanes, leave_ties_and_what_doubles_cannot_hold_to_agents) {
  std::vector<float> tie(2000, power(23));
  for (std::size_t i = 0; i < tie.size(); i += 2) tie[i] += 4097;
  expect(variance{}, tie, agent);
  std::vector<float> const cancels = {power(120),  0, 0, power(40), 0, 0, power(-60), 0, 0,
                                      -power(120), 0, 0, -power(40)};
  expect(mean{}, cancels, agent);
  expect(variance{}, std::vector<double>{1e200, 2e200, 1}, agent);
  expect(variance{}, std::vector<double>{1e-200, 2e-200, 3e-200}, agent);
  expect(tally::norm{}, std::vector<double>{1e-170, 1e-170}, agent);
  expect(sum_of_squares{}, std::vector<double>{1e-170, 1e-170}, agent);
}

// Elements less the first are no doubles: the rest counts.
TEST(moments_of_lanes, lose_nothing_where_the_first_is_left_out) {
  for (unsigned seed = 1; seed < 40; ++seed) {
    auto const x = normal<double>(7, 1e3, 1, seed);
    auto all = normal<double>(7, 0, 1e-3, seed);
    all.insert(all.begin(), x.begin(), x.end());
    expect(variance{}, all, first);
  }
}

TEST(moments_of_lanes, know_of_narrow_types_what_is_not_finite) {
  auto const inf = infinity<float>(false), nan = quiet_nan<float>();
  for (auto const& x : {std::vector{1.0f, inf}, {-inf, 1.0f, 2.0f}, {inf, -inf}, {1.0f, nan, 2.0f}})
    for (auto const policy : {propagate, skip}) {
      expect(mean{}, x, first, policy);
      expect(variance{}, x, first, policy);
      expect(sum_of_squares{}, x, first, policy);
      expect(tally::norm{}, x, first, policy);
      expect(dot{}, pairs(x, so_many(x.size(), 0.0f)), first, policy);
    }
  for (std::size_t const n : {0, 1, 2}) {
    expect(mean{}, so_many(n, nan), first, skip);
    expect(variance{2}, so_many(n, 1.0f), first);
    expect(tally::norm{}, so_many(n, nan), first, skip);
    expect(variance{}, so_many(n, quiet_nan<double>()), first, skip);
  }
  expect(variance{}, std::vector{1.0, infinity<double>(true)}, agent);
}

template <integer T>
void expect_of_integers(std::vector<T> const& x, way wanted = first) {
  expect(mean{}, x, first);
  expect(variance{}, x, wanted);
  expect(standard_deviation{1}, x, wanted);
  expect(sum_of_squares{}, x, wanted);
  expect(tally::norm{}, x, wanted);
}
template <integer T>
std::vector<T> integers(std::size_t n, unsigned bits) {
  std::mt19937_64 random(n);
  std::vector<T> x(n);
  for (auto& e : x) e = T(random() >> (64 - bits));
  return x;
}
TEST(moments_of_lanes, are_exact_of_integers) {
  for (std::size_t const n : {1, 3, 100, 1000}) {
    expect_of_integers(integers<std::uint8_t>(n, 8));
    expect_of_integers(integers<std::int8_t>(n, 8));
    expect_of_integers(integers<std::int16_t>(n, 16));
    expect_of_integers(integers<std::int32_t>(n, 32));
    expect_of_integers(integers<std::uint32_t>(n, 32));
    if (n > 1) expect_of_integers(integers<std::int64_t>(n, 46));
    expect_of_integers(so_many(n, std::numeric_limits<std::int32_t>::min()));
  }
  expect_of_integers(integers<std::uint64_t>(50, 64), agent);
  expect_of_integers(std::vector<std::int64_t>{1, -(1l << 46) - 1}, agent);
  expect_of_integers(std::vector<std::int64_t>{1, -(1l << 46)});
}

}  // namespace
