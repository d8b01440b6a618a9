// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/interval.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/exact/fixed_point.hpp"

namespace {

using namespace tally;
using device::interval;
using device::long_interval;
using number = detail::sum_digits<double>;

constexpr int terms = 12;
template <class T>
struct run {
  T x[terms];
};
struct computed {
  interval narrow;
  long_interval wide, joined, normalised;
};

template <class T>
__global__ void add_up(run<T> const* in, int n, computed* out) {
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) {
    computed c{};
    long_interval half{};
    for (int k = 0; k < terms; ++k) {
      c.narrow.add(in[i].x[k]);
      c.wide.add(in[i].x[k]);
      k < terms / 2 ? c.joined.add(in[i].x[k]) : half.add(in[i].x[k]);
    }
    c.joined = c.joined + half;
    c.normalised = c.joined.normalised();
    out[i] = c;
  }
}

template <class Kernel, class In, class Out>
std::vector<Out> run_kernel(Kernel kernel, std::vector<In> const& in, Out) {
  device_array<In> const from(in);
  device_array<Out> to(in.size());
  launch(kernel, 1, 64)(from.data(), int(in.size()), to.data());
  check(cudaDeviceSynchronize());
  return to.to_host();
}

int sign_of(number n) {
  n.carry();
  bool negative;
  return n.magnitude(negative).bit_length() == 0 ? 0 : negative ? -1 : 1;
}
// The sum less x and y, exactly: -1, 0 or 1.
int compare(number sum, double x, double y = 0) {
  sum.add(-x), sum.add(-y);
  return sign_of(sum);
}

template <class T>
T any(std::mt19937_64& random, int spread) {
  for (;;) {
    T x = from_bits<T>(bits_of<T>(random()));
    if (spread < 2000)
      x = convert<T>(std::ldexp(double(std::int64_t(random()) >> 10), int(random() % spread) - 60));
    if (is_finite(x) && (sizeof(T) < 8 || std::fabs(double(x)) < 0x1p1000)) return x;
  }
}

template <class T>
void expect_bounds(int spread) {
  std::mt19937_64 random(static_cast<unsigned>(spread));
  std::vector<run<T>> in(200);
  for (auto& r : in)
    for (int k = 0; k < terms; ++k)
      r.x[k] =
          k > 0 && random() % 4 == 0 ? convert<T>(-double(r.x[k - 1])) : any<T>(random, spread);
  auto const got = run_kernel(add_up<T>, in, computed{});
  int exact = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    number sum{};
    for (T const x : in[i].x) sum.add(double(x));
    auto const& c = got[i];
    ASSERT_GE(compare(sum, c.narrow.least), 0) << i;
    ASSERT_LE(compare(sum, c.narrow.most), 0) << i;
    if (c.narrow.is_exact()) {
      ++exact;
      ASSERT_EQ(compare(sum, c.narrow.most), 0) << i;
    }
    long_interval const all[] = {c.wide, c.joined, c.normalised};
    for (auto const& x : all) {
      ASSERT_GE(compare(sum, x.head, x.least), 0) << i;
      ASSERT_LE(compare(sum, x.head, x.most), 0) << i;
    }
    ASSERT_EQ(c.normalised.head + c.normalised.least, c.normalised.head) << i;
  }
  EXPECT_TRUE(spread > 4 || exact > 0);
}

TEST(intervals, hold_the_exact_sum) {
  for (int spread : {1, 4, 40, 2000}) {
    expect_bounds<float>(spread);
    expect_bounds<double>(spread);
    expect_bounds<float16>(spread);
    expect_bounds<bfloat16>(spread);
  }
}

template <class T>
__global__ void move(T const* in, int n, double* out) {
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) {
    using moved = device::moved_to_double<T>;
    out[i] = __dmul_rn(moved::of(in[i]), moved::scale);
  }
}
template <class T>
void expect_moved() {
  std::mt19937_64 random(3);
  std::vector<T> in(5000);
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto const bits = i < 40 ? i : random();  // zero and subnormals, too
    in[i] = from_bits<T>(bits_of<T>(i % 2 ? bits : bits | format<T>::sign));
    if (!is_finite(in[i])) in[i] = from_bits<T>(bits_of<T>(i));
  }
  auto const got = run_kernel(move<T>, in, double{});
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(to_bits(got[i]), to_bits(convert<double>(in[i]))) << i;
}
TEST(intervals, take_values_as_doubles_have_their_bits) {
  expect_moved<float>();
  expect_moved<float16>();
  expect_moved<bfloat16>();
}

struct pair {
  double head, rest;
};
template <class Out, class In>
__global__ void round_pairs(pair const* in, int n, Out* out) {
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x))
    out[i] = device::rounded_pair<Out, In>(in[i].head, in[i].rest);
}
// Pairs beside, on and far from midpoints of Out, all multiples of 2^lowest.
template <class Out>
std::vector<pair> pairs_beside_midpoints(int lowest) {
  std::mt19937_64 random(5);
  using f = format<Out>;
  std::vector<pair> in;
  for (int i = 0; i < 3000; ++i) {
    auto bits = bits_of<Out>(random() & (f::infinity - 1));
    if (i % 8 == 0) bits = bits_of<Out>(random() % 64);  // subnormal
    if ((bits & f::infinity) == f::infinity) bits = 1;
    auto const x = take_apart(from_bits<Out>(bits));
    double const half = std::ldexp(1, x.exponent - 1), least = std::ldexp(1, lowest);
    double const middle = convert<double>(from_bits<Out>(bits)) + half;
    if (x.exponent - 1 < lowest) continue;
    double const step = std::ldexp(1, std::max(x.exponent - 1 - int(random() % 70), lowest));
    double const off[] = {0, least, -least, step, -step};
    pair p{middle, off[i % 5]};
    if (i % 2) p = {-p.head, -p.rest};
    double const sum = p.head + p.rest;
    in.push_back({sum, (p.head - sum) + p.rest});  // as a sum in two doubles is
  }
  return in;
}
template <class Out, class In>
void expect_rounded() {
  auto const in = pairs_beside_midpoints<Out>(format<In>::lowest);
  auto const got = run_kernel(round_pairs<Out, In>, in, Out{});
  for (std::size_t i = 0; i < in.size(); ++i) {
    number sum{};
    sum.add(in[i].head), sum.add(in[i].rest);
    ASSERT_EQ(to_bits(got[i]), to_bits(sum.round<Out>())) << in[i].head << " and " << in[i].rest;
  }
}
TEST(rounding, of_two_doubles_is_done_once) {
  expect_rounded<float, float>();
  expect_rounded<float, double>();
  expect_rounded<double, double>();
  expect_rounded<float16, float16>();
  expect_rounded<float16, float>();
  expect_rounded<float16, double>();
  expect_rounded<bfloat16, bfloat16>();
  expect_rounded<bfloat16, float>();
  expect_rounded<bfloat16, double>();
}

}  // namespace
