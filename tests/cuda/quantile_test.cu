// SPDX-License-Identifier: Apache-2.0
//
// kth_value, quantile and median by the public calls: the bits of the CPU.
#include "tally/gpu/quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/gpu_top_k.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

// Of any bits, or of few values.
template <class T>
std::vector<stored<T>> values(std::size_t n, unsigned kinds, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<stored<T>> out(n);
  for (auto& x : out) {
    if constexpr (std::is_same_v<T, bool>)
      x = random() & 1;
    else if (kinds == 0)
      x = from_bits<T>(bits_of<T>(random()));
    else
      x = T(double(random() % kinds));
  }
  return out;
}
// Without NaNs, of which an array of any bits has some.
template <class T>
std::vector<stored<T>> numbers(std::size_t n, unsigned kinds, unsigned seed = 1) {
  auto out = values<T>(n, kinds, seed);
  for (auto& x : out)
    if (is_nan(x)) x = stored<T>();
  return out;
}
template <class T>
std::span<T const> as(std::vector<stored<T>> const& v) {
  return {reinterpret_cast<T const*>(v.data()), v.size()};
}
template <class T>
std::span<T const> as(device_array<stored<T>> const& v, std::size_t offset = 0) {
  return {reinterpret_cast<T const*>(v.data()) + offset, v.size() - offset};
}

template <class R>
std::vector<std::uint64_t> all_bits(std::vector<R> const& found) {
  std::vector<std::uint64_t> bits;
  for (auto const x : found) bits.push_back(to_bits(x));
  return bits;
}

std::vector<kth_value_options> all_orders() {
  return {{smallest, propagate}, {smallest, skip}, {largest, propagate}, {largest, skip}};
}
std::vector<quantile_options> all_methods() {
  std::vector<quantile_options> all;
  for (auto method : {interpolation::linear, interpolation::lower, interpolation::higher,
                      interpolation::nearest, interpolation::midpoint})
    for (auto nan : {propagate, skip}) all.push_back({method, nan});
  return all;
}
std::vector<double> const some_q = {0, 0.1, 1.0 / 3, 0.5, 0.999, 1};
std::vector<fraction> const some_fractions = {{0, 1}, {1, 10}, {1, 3}, {999, 1000}, {7, 7}};

template <class T>
class quantile_on_a_gpu : public ::testing::Test {};
using every_element =
    ::testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(quantile_on_a_gpu, every_element);

TYPED_TEST(quantile_on_a_gpu, is_that_of_the_cpu) {
  using T = TypeParam;
  gpu there;
  for (unsigned kinds : {0u, 5u})
    for (std::size_t n : {1, 2, 100, 5000, 70'001, 1'000'003})
      for (auto const& in : {values<T>(n, kinds), numbers<T>(n, kinds)}) {
        device_array<stored<T>> const x{std::span<stored<T> const>(in)};
        for (auto const& options : all_methods())
          ASSERT_EQ(all_bits(quantile(there, as<T>(x), some_q, options)),
                    all_bits(quantile(cpu{}, as<T>(in), some_q, options)))
              << n << ", method " << int(options.method);
        for (auto const& options : all_methods())
          ASSERT_EQ(all_bits(quantile(there, as<T>(x), some_fractions, options)),
                    all_bits(quantile(cpu{}, as<T>(in), some_fractions, options)))
              << n << ", method " << int(options.method);
      }
}

TYPED_TEST(quantile_on_a_gpu, and_the_kth_value_are_those_of_the_cpu) {
  using T = TypeParam;
  gpu there;
  for (unsigned kinds : {0u, 5u})
    for (std::size_t n : {1, 2, 100, 5000, 70'001, 1'000'003}) {
      auto const in = values<T>(n, kinds);
      device_array<stored<T>> const x{std::span<stored<T> const>(in)};
      for (auto const& options : all_orders())
        for (std::size_t k : {std::size_t(1), n / 3 + 1, (n + 1) / 2, n}) {
          auto const got = kth_value(there, as<T>(x), k, options);
          auto const expected = kth_value(cpu{}, as<T>(in), k, options);
          ASSERT_EQ(got.index, expected.index) << n << ", k = " << k;
          ASSERT_EQ(to_bits(got.value), to_bits(expected.value)) << n << ", k = " << k;
        }
    }
}

TYPED_TEST(quantile_on_a_gpu, of_rows_is_that_of_the_cpu) {
  using T = TypeParam;
  gpu there;
  for (auto [count, length, stride] : {std::array{1, 3000, 3000}, std::array{7, 30'000, 30'001},
                                       std::array{1000, 64, 64}, std::array{100, 10'000, 10'000}}) {
    auto const in = values<T>(std::size_t(count * stride), 100);
    device_array<stored<T>> const x{std::span<stored<T> const>(in)};
    std::vector<std::int64_t> starts(count), lengths(count);
    for (int r = 0; r < count; ++r)
      starts[r] = r % 5, lengths[r] = r % 3 ? length - r % 7 - 5 : r % 60;
    device_array<std::int64_t> const s{std::span<std::int64_t const>(starts)},
        l{std::span<std::int64_t const>(lengths)};
    auto const n = std::uint64_t(count), m = std::uint64_t(length), d = std::uint64_t(stride);
    rows const far{as<T>(x).data(), n, m, d, s.data(), l.data()};
    rows const near{as<T>(in).data(), n, m, d, starts.data(), lengths.data()};
    for (auto const& options : all_methods())
      ASSERT_EQ(all_bits(quantile(there, far, some_q, options)),
                all_bits(quantile(cpu{}, near, some_q, options)));
    for (auto const& options : all_orders()) {
      auto const got = kth_value(there, far, 30, options);
      auto const expected = kth_value(cpu{}, near, 30, options);
      ASSERT_EQ(got.indices, expected.indices);
      ASSERT_EQ(all_bits(got.values), all_bits(expected.values));
    }
  }
}

TYPED_TEST(quantile_on_a_gpu, may_begin_anywhere) {
  using T = TypeParam;
  gpu there;
  auto const in = values<T>(50'000, 7);
  device_array<stored<T>> const x{std::span<stored<T> const>(in)};
  for (std::size_t offset = 1; offset < 17; ++offset) {
    auto const near = as<T>(in).subspan(offset);
    EXPECT_EQ(kth_value(there, as<T>(x, offset), 20'000).index,
              kth_value(cpu{}, near, 20'000).index);
    EXPECT_EQ(to_bits(median(there, as<T>(x, offset))), to_bits(median(cpu{}, near)));
  }
}

TEST(quantile_on_a_gpu_too, takes_inputs_of_ones_own) {
  gpu there;
  auto const in = numbers<float>(100'000, 1000);
  device_array<float> const x{std::span<float const>(in)};
  EXPECT_EQ(median(there, transform(x, square{})), median(cpu{}, transform(in, square{})));
  EXPECT_EQ(kth_value(there, transform(x, square{}), 777).index,
            kth_value(cpu{}, transform(in, square{}), 777).index);
}

TEST(quantile_on_a_gpu_too, may_be_many_at_once) {
  gpu there;
  auto const in = numbers<float>(30'000, 0);
  device_array<float> const x{std::span<float const>(in)};
  std::vector<double> qs;
  for (int i = 0; i <= 100; ++i) qs.push_back(i / 100.0);
  EXPECT_EQ(quantile(there, x, qs), quantile(cpu{}, in, qs));
}

TEST(quantile_on_a_gpu_too, can_be_captured_and_replayed_on_new_data) {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    std::size_t const n = 400'000, k = 777;
    gpu there{.stream = stream};
    device_array<float> x(n), value(1), found(some_q.size());
    device_array<std::int64_t> index(1);
    there.reserve(4 << 20);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    kth_value_into(there, x, k, value, index);
    quantile_into(there, x, some_q, found);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    for (unsigned seed = 0; seed < 20; ++seed) {
      auto const in = numbers<float>(n, seed % 2 ? 0 : 100, seed);
      x.copy_from(std::span<float const>(in), stream);
      for (int again = 0; again < 50; ++again) check(cudaGraphLaunch(ready, stream));
      check(cudaStreamSynchronize(stream));
      EXPECT_EQ(index.to_host()[0], kth_value(cpu{}, in, k).index);
      EXPECT_EQ(value.to_host()[0], kth_value(cpu{}, in, k).value);
      EXPECT_EQ(all_bits(found.to_host()), all_bits(quantile(cpu{}, in, some_q)));
    }
    check(cudaGraphExecDestroy(ready));
    check(cudaGraphDestroy(graph));
  }
  check(cudaStreamDestroy(stream));
}

TEST(quantile_on_a_gpu_too, counts_beyond_32_bits) {
  std::size_t const n = (std::size_t(1) << 32) + 1000;
  device_array<std::int8_t> x(n);
  x.fill_bytes(1);
  std::int8_t const big = 7;
  check(cudaMemcpy(x.data() + n - 3, &big, 1, cudaMemcpyHostToDevice));
  gpu there;
  EXPECT_EQ(kth_value(there, x, n).index, std::int64_t(n - 3));
  EXPECT_EQ(kth_value(there, x, n - 1).index, std::int64_t(n - 1));
  EXPECT_EQ(kth_value(there, x, (std::size_t(1) << 32) + 5).index, (std::int64_t(1) << 32) + 4);
  EXPECT_EQ(median(there, x), 1);
}

TEST(quantile_on_a_gpu_too, runs_where_the_array_lies) {
  auto where = best();
  auto const in = numbers<float>(10'000, 0);
  device_array<float> const x{std::span<float const>(in)};
  EXPECT_EQ(median(where, x), median(cpu{}, in));
  EXPECT_EQ(where.ran(), "gpu:0");
  EXPECT_EQ(kth_value(where, in, 10).index, kth_value(cpu{}, in, 10).index);
  EXPECT_EQ(where.ran(), "cpu");
  EXPECT_EQ(median(where, rows{x.data(), 10, 1000}), median(cpu{}, rows{in.data(), 10, 1000}));
}

TEST(quantile_on_a_gpu_too, names_what_it_refuses) {
  gpu there;
  device_array<float> const x(5), none(0);
  EXPECT_EQ(failure_of([&] { kth_value(there, x, 7); }), "kth_value: k = 7 is larger than n = 5");
  EXPECT_EQ(failure_of([&] { quantile(there, x, 1.5); }), "quantile: q = 1.5 is not from 0 to 1");
  EXPECT_EQ(failure_of([&] { median(there, none); }), "median: the array is empty");
}

}  // namespace
