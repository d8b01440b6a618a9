// SPDX-License-Identifier: Apache-2.0
//
// A payload by the public calls on a GPU: that of the CPU.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/gpu_top_k.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

struct location {
  std::uint32_t document, paragraph, line, word;
  bool operator==(location const&) const = default;
};

template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (T& x : out) {
    std::uint64_t const bytes[] = {random(), random()};
    std::memcpy(static_cast<void*>(&x), bytes, sizeof(T));
  }
  return out;
}
// With ties.
std::vector<float> keys(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<float> out(n);
  for (float& x : out) x = float(random() % 1000);
  return out;
}
std::vector<top_k_options> all_options() {
  std::vector<top_k_options> all;
  for (auto order : {largest, smallest})
    for (bool sorted : {true, false})
      for (bool distinct : {false, true}) all.push_back({order, sorted, distinct, skip});
  return all;
}

template <class P>
class payload_on_a_gpu : public ::testing::Test {};
using sizes = ::testing::Types<std::uint8_t, std::uint16_t, float, std::int64_t, location>;
TYPED_TEST_SUITE(payload_on_a_gpu, sizes);

// Bit for bit, since a payload may be NaN.
template <class P>
bool same(std::vector<P> const& a, std::vector<P> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(P)) == 0;
}

TYPED_TEST(payload_on_a_gpu, is_that_of_the_cpu) {
  using P = TypeParam;
  gpu there;
  for (std::size_t n : {1, 100, 70'001, 3'000'000}) {
    auto const in = keys(n);
    auto const payload = random_values<P>(n);
    device_array<float> const x{std::span<float const>(in)};
    device_array<P> const entries{std::span<P const>(payload)};
    for (auto const& options : all_options())
      for (std::size_t k : {std::size_t(1), std::size_t(30), std::size_t(2000), n / 3}) {
        if (k > n) continue;
        device_array<float> const values(k);
        device_array<P> const chosen(k);
        device_array<std::uint64_t> const count(1);
        std::vector<float> best(k);
        std::vector<P> expected(k);
        std::uint64_t found;
        top_k_into(cpu{}, with_payload(in, payload), k, best, expected, &found, options);
        chosen.fill_bytes(0xa5);
        top_k_into(there, with_payload(x, entries), k, values, chosen, count.data(), options);
        there.synchronise();
        ASSERT_EQ(count.to_host()[0], found);
        ASSERT_EQ(std::memcmp(values.to_host().data(), best.data(), found * 4), 0);
        ASSERT_TRUE(same(chosen.to_host(), expected)) << "n = " << n << ", k = " << k;
      }
  }
}

TYPED_TEST(payload_on_a_gpu, of_rows_is_that_of_the_cpu) {
  using P = TypeParam;
  gpu there;
  for (auto [count, length, stride, k] :
       {std::array{7, 30'000, 30'001, 700}, std::array{1000, 64, 64, 9},
        std::array{300, 1500, 1600, 600}}) {
    auto const in = keys(std::size_t(count * stride));
    auto const payload = random_values<P>(in.size());
    device_array<float> const x{std::span<float const>(in)};
    device_array<P> const entries{std::span<P const>(payload)};
    std::vector<std::int64_t> starts(count), lengths(count), ks(count);
    for (int r = 0; r < count; ++r)
      starts[r] = r % 5, lengths[r] = r % 3 ? length - 5 : r % 60, ks[r] = r % (k + 1);
    device_array<std::int64_t> const s{std::span<std::int64_t const>(starts)},
        l{std::span<std::int64_t const>(lengths)}, each{std::span<std::int64_t const>(ks)};
    auto const n = std::uint64_t(count), m = std::uint64_t(length), d = std::uint64_t(stride);
    auto const places = std::size_t(count * k);
    device_array<float> const values(places);
    device_array<P> const chosen(places);
    std::vector<float> best(places);
    std::vector<P> expected(places);
    for (auto const& options : all_options()) {
      top_k_into(cpu{},
                 with_payload(rows{in.data(), n, m, d, starts.data(), lengths.data()}, payload),
                 k_of_rows{ks.data(), std::uint64_t(k)}, best, expected, nullptr, options);
      top_k_into(there, with_payload(rows{x.data(), n, m, d, s.data(), l.data()}, entries),
                 k_of_rows{each.data(), std::uint64_t(k)}, values, chosen, nullptr, options);
      there.synchronise();
      ASSERT_TRUE(same(chosen.to_host(), expected)) << count << " rows";
    }
  }
}

TEST(payload_on_a_gpu_too, can_be_captured_and_replayed_on_new_data) {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    std::size_t const n = 400'000, k = 777;
    gpu there{.stream = stream};
    device_array<float> x(n), values(k);
    device_array<location> entries(n), chosen(k);
    there.reserve(4 << 20);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    top_k_into(there, with_payload(x, entries), k, values, chosen);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    for (unsigned seed = 0; seed < 10; ++seed) {
      auto const in = keys(n, seed);
      auto const payload = random_values<location>(n, seed);
      x.copy_from(std::span<float const>(in), stream);
      entries.copy_from(std::span<location const>(payload), stream);
      for (int again = 0; again < 20; ++again) check(cudaGraphLaunch(ready, stream));
      check(cudaStreamSynchronize(stream));
      std::vector<float> best(k);
      std::vector<location> expected(k);
      top_k_into(cpu{}, with_payload(in, payload), k, best, expected);
      EXPECT_EQ(chosen.to_host(stream), expected) << "replay " << seed;
      EXPECT_EQ(values.to_host(stream), best) << "replay " << seed;
    }
    check(cudaGraphExecDestroy(ready));
    check(cudaGraphDestroy(graph));
  }
  check(cudaStreamDestroy(stream));
}

// One after another with nothing between them, in a workspace that grows.
TEST(payload_on_a_gpu_too, is_not_mixed_up_with_that_of_the_next_call) {
  gpu there;
  std::size_t const n = 2'000'000;
  auto const in = keys(n);
  auto const payload = random_values<std::uint64_t>(n);
  device_array<float> const x{std::span<float const>(in)};
  device_array<std::uint64_t> const entries{std::span<std::uint64_t const>(payload)};
  std::vector<std::size_t> const ks = {10, 100'000, 50, 900'000, 2048, 3};
  for (int round = 0; round < 5; ++round) {
    std::vector<device_array<float>> values;
    std::vector<device_array<std::uint64_t>> chosen;
    for (auto const k : ks) {
      values.emplace_back(k), chosen.emplace_back(k);
      top_k_into(there, with_payload(x, entries), k, values.back(), chosen.back());
    }
    there.synchronise();
    for (std::size_t i = 0; i < ks.size(); ++i) {
      std::vector<float> best(ks[i]);
      std::vector<std::uint64_t> expected(ks[i]);
      top_k_into(cpu{}, with_payload(in, payload), ks[i], best, expected);
      ASSERT_EQ(chosen[i].to_host(), expected) << "k = " << ks[i];
      ASSERT_EQ(values[i].to_host(), best) << "k = " << ks[i];
    }
  }
}

TEST(payload_on_a_gpu_too, belongs_to_inputs_of_ones_own) {
  gpu there;
  auto const in = keys(100'000);
  auto const payload = random_values<std::uint32_t>(in.size());
  device_array<float> const x{std::span<float const>(in)}, values(500);
  device_array<std::uint32_t> const entries{std::span<std::uint32_t const>(payload)}, chosen(500);
  std::vector<float> best(500);
  std::vector<std::uint32_t> expected(500);
  top_k_into(cpu{}, with_payload(transform(in, square{}), payload), 500, best, expected);
  top_k_into(there, with_payload(transform(x, square{}), entries), 500, values, chosen);
  there.synchronise();
  EXPECT_EQ(chosen.to_host(), expected);
}

TEST(payload_on_a_gpu_too, lies_where_its_keys_lie) {
  auto where = best();
  auto const in = keys(10'000);
  auto const payload = random_values<std::uint32_t>(in.size());
  device_array<float> const x{std::span<float const>(in)}, values(10);
  device_array<std::uint32_t> const entries{std::span<std::uint32_t const>(payload)}, chosen(10);
  std::vector<float> best(10);
  std::vector<std::uint32_t> expected(10);
  top_k_into(where, with_payload(in, payload), 10, best, expected);
  EXPECT_EQ(where.ran(), "cpu");
  top_k_into(where, with_payload(x, entries), 10, values, chosen);
  EXPECT_EQ(where.ran(), "gpu:0");
  EXPECT_EQ(chosen.to_host(), expected);
  EXPECT_EQ(failure_of([&] { top_k_into(where, with_payload(x, payload), 10, values, chosen); }),
            "top_k_into: in is in the memory of gpu:0, its payload in that of the cpu");
  EXPECT_EQ(failure_of([&] {
              top_k_into(where, with_payload(rows{in.data(), 1, 10'000}, entries), 10, best,
                         expected, nullptr);
            }),
            "top_k_into: in is in the memory of the cpu, its payload in that of gpu:0");
  gpu there;
  EXPECT_EQ(failure_of([&] { top_k_into(there, with_payload(x, entries), 11, values, chosen); }),
            "top_k_into: values has room for 10, k = 11");
}

}  // namespace
