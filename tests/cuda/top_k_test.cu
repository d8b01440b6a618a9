// SPDX-License-Identifier: Apache-2.0
//
// top_k by the public calls: the bits and the order of the CPU.
#include "tally/gpu/top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/gpu_top_k.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

// Inputs that other libraries have been slow on, or wrong.
enum class data { any_bits, normal, equal, few, low_bits, rising, falling, masked, outliers };
constexpr data every_data[] = {data::any_bits, data::normal,   data::equal,
                               data::few,      data::low_bits, data::rising,
                               data::falling,  data::masked,   data::outliers};
template <class T>
T value_of(data which, std::size_t i, std::size_t n, std::mt19937_64& random) {
  std::uint64_t const r = random();
  auto const number = [](double x) {
    if constexpr (floating<T>)
      return convert<T>(x);
    else
      return T(std::int64_t(x));
  };
  double const unit = double(std::int64_t(r) >> 11) * 0x1p-52;
  switch (which) {
    case data::any_bits: break;
    case data::normal: return number(60 * (unit + double(std::int64_t(r << 21) >> 11) * 0x1p-52));
    case data::equal: return number(1);
    case data::few: return number(double(r % 64));
    case data::low_bits:
      return from_bits<T>(
          bits_of<T>(to_bits(number(1)) ^ (r & 0xfff & bits_of<T>(~bits_of<T>(0)) >> 2)));
    case data::rising: return number(100 * double(i) / double(n));
    case data::falling: return number(100 - 100 * double(i) / double(n));
    case data::masked:
      if constexpr (floating<T>)
        return r % 1000 ? from_bits<T>(bits_of<T>(format<T>::infinity | format<T>::sign))
                        : number(unit);
      else
        return r % 1000 ? std::numeric_limits<T>::lowest() : T(r >> 32);
    case data::outliers:
      if constexpr (floating<T>)
        return r % 5000 ? number(unit) : from_bits<T>(format<T>::infinity);
      else
        return r % 5000 ? T(r % 8) : std::numeric_limits<T>::max();
  }
  return from_bits<T>(bits_of<T>(r));
}
template <>
bool value_of<bool>(data which, std::size_t, std::size_t, std::mt19937_64& random) {
  return which == data::equal || random() % 3 == 0;
}
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
template <class T>
std::vector<stored<T>> values(data which, std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<stored<T>> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = value_of<T>(which, i, n, random);
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

template <class T>
void expect_same(top_k_result<T> const& got, top_k_result<T> const& expected,
                 std::string const& what) {
  ASSERT_EQ(got.indices.size(), expected.indices.size()) << what;
  if (got.values.empty()) return;
  if (std::memcmp(got.indices.data(), expected.indices.data(), 8 * got.indices.size()) == 0 &&
      std::memcmp(got.values.data(), expected.values.data(),
                  sizeof got.values[0] * got.values.size()) == 0)
    return;
  for (std::size_t i = 0; i < got.indices.size(); ++i) {
    ASSERT_EQ(got.indices[i], expected.indices[i]) << what << ", place " << i;
    ASSERT_EQ(to_bits(got.values[i]), to_bits(expected.values[i])) << what << ", place " << i;
  }
}

std::vector<top_k_options> all_options() {
  std::vector<top_k_options> all;
  for (auto order : {largest, smallest})
    for (bool sorted : {true, false})
      for (auto nan : {propagate, skip})
        for (bool distinct : {false, true}) all.push_back({order, sorted, distinct, nan});
  return all;
}

template <class T>
class top_k_on_a_gpu : public ::testing::Test {};
using every_element =
    ::testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(top_k_on_a_gpu, every_element);

TYPED_TEST(top_k_on_a_gpu, is_that_of_the_cpu) {
  using T = TypeParam;
  gpu there;
  std::mt19937_64 random(3);
  for (data which : every_data)
    for (std::size_t n : {1, 2, 100, 5000, 70'001, 1'000'003}) {
      auto const in = values<T>(which, n);
      device_array<stored<T>> const x{std::span<stored<T> const>(in)};
      for (auto const& options : all_options())
        for (std::size_t k : {std::size_t(0), std::size_t(1), std::size_t(50), n / 3, n}) {
          if (k > n || (n > 100'000 && random() % 4)) continue;
          expect_same(top_k(there, as<T>(x), k, options), top_k(cpu{}, as<T>(in), k, options),
                      "data " + std::to_string(int(which)) + ", n = " + std::to_string(n) +
                          ", k = " + std::to_string(k));
        }
    }
}

// In one read, and where more are asked for narrowed and sorted by another kernel.
TYPED_TEST(top_k_on_a_gpu, of_a_large_k_is_that_of_the_cpu) {
  using T = TypeParam;
  gpu there;
  unsigned turn = 0;
  for (std::size_t n : {70'001, 1'000'003, 5'000'011})
    for (data which : every_data) {
      auto const in = values<T>(which, n);
      device_array<stored<T>> const x{std::span<stored<T> const>(in)};
      for (std::size_t k : {std::size_t(2305), std::size_t(4096), std::size_t(8704),
                            std::size_t(8705), n / 17, n / 4, n / 2}) {
        top_k_options const options{turn % 3 == 0 ? smallest : largest, turn % 2 == 0, false,
                                    turn % 5 == 0 ? skip : propagate};
        ++turn;
        expect_same(top_k(there, as<T>(x), k, options), top_k(cpu{}, as<T>(in), k, options),
                    "data " + std::to_string(int(which)) + ", n = " + std::to_string(n) +
                        ", k = " + std::to_string(k));
      }
    }
}
TYPED_TEST(top_k_on_a_gpu, of_a_large_k_of_rows_is_that_of_the_cpu) {
  using T = TypeParam;
  gpu there;
  unsigned turn = 0;
  for (auto [count, length] :
       {std::array{3, 70'001}, std::array{40, 50'000}, std::array{200, 40'000}})
    for (data which : every_data) {
      auto const in = values<T>(which, std::size_t(count * length));
      device_array<stored<T>> const x{std::span<stored<T> const>(in)};
      auto const n = std::uint64_t(count), m = std::uint64_t(length);
      for (std::uint64_t k : {3000u, 8000u}) {
        ++turn;
        top_k_options const options{turn % 4 / 2 ? smallest : largest, turn % 3 != 0};
        expect_same<T>(top_k(there, rows{as<T>(x).data(), n, m, m}, k, options),
                       top_k(cpu{}, rows{as<T>(in).data(), n, m, m}, k, options),
                       std::to_string(count) + " rows, data " + std::to_string(int(which)) +
                           ", k = " + std::to_string(k));
      }
    }
}

TYPED_TEST(top_k_on_a_gpu, of_rows_is_that_of_the_cpu) {
  using T = TypeParam;
  gpu there;
  for (auto [count, length, stride] :
       {std::array{1, 3000, 3000}, std::array{7, 30'000, 30'001}, std::array{1000, 64, 64},
        std::array{300, 1500, 1600}, std::array{100, 10'000, 10'000}})
    for (data which : {data::any_bits, data::few}) {
      auto const in = values<T>(which, std::size_t(count * stride));
      device_array<stored<T>> const x{std::span<stored<T> const>(in)};
      std::vector<std::int64_t> starts(count), lengths(count), ks(count);
      for (int r = 0; r < count; ++r)
        starts[r] = r % 5, lengths[r] = r % 3 ? length - r % 7 - 5 : r % 60, ks[r] = r % 41;
      device_array<std::int64_t> const s{std::span<std::int64_t const>(starts)},
          l{std::span<std::int64_t const>(lengths)}, k{std::span<std::int64_t const>(ks)};
      for (auto const& options : all_options()) {
        auto const go = [&](auto const& on_gpu, auto const& on_cpu, auto const& k_gpu,
                            auto const& k_cpu) {
          auto const got = top_k(there, on_gpu, k_gpu, options);
          auto const expected = top_k(cpu{}, on_cpu, k_cpu, options);
          expect_same<T>(got, expected, "rows");
          ASSERT_EQ(got.counts, expected.counts);
        };
        auto const n = std::uint64_t(count), m = std::uint64_t(length), d = std::uint64_t(stride);
        go(rows{as<T>(x).data(), n, m, d}, rows{as<T>(in).data(), n, m, d}, 40u, 40u);
        go(rows{as<T>(x).data(), n, m, d, s.data(), l.data()},
           rows{as<T>(in).data(), n, m, d, starts.data(), lengths.data()}, k_of_rows{k.data(), 40},
           k_of_rows{ks.data(), 40});
      }
    }
}

TYPED_TEST(top_k_on_a_gpu, may_begin_anywhere) {
  using T = TypeParam;
  gpu there;
  auto const in = values<T>(data::few, 50'000);
  device_array<stored<T>> const x{std::span<stored<T> const>(in)};
  for (std::size_t offset = 1; offset < 17; ++offset)
    expect_same(top_k(there, as<T>(x, offset), 300), top_k(cpu{}, as<T>(in).subspan(offset), 300),
                "offset " + std::to_string(offset));
}

TEST(top_k_on_a_gpu_too, takes_inputs_of_ones_own) {
  gpu there;
  auto const in = values<float>(data::normal, 100'000);
  device_array<float> const x{std::span<float const>(in)};
  expect_same(top_k(there, transform(x, square{}), 500), top_k(cpu{}, transform(in, square{}), 500),
              "squares");
}

TEST(top_k_on_a_gpu_too, gives_the_same_a_hundred_times) {
  gpu there;
  auto const in = values<float>(data::few, 3'000'000);
  device_array<float> const x{std::span<float const>(in)};
  auto const expected = top_k(cpu{}, in, 1000);
  for (int i = 0; i < 100; ++i) expect_same(top_k(there, x, 1000), expected, "again");
}

// What a call leaves in device memory, with 32-bit indices.
struct outputs {
  explicit outputs(std::size_t k) : values(k), indices(k), count(1) {
    values.fill_bytes(0xa5), indices.fill_bytes(0xa5), count.fill_bytes(0xa5);
  }
  void expect(std::vector<float> const& in, std::uint64_t k, std::string const& what) const {
    auto const best = top_k(cpu{}, in, k);
    EXPECT_EQ(count.to_host()[0], k) << what;
    auto const at = indices.to_host();
    auto const found = values.to_host();
    for (std::size_t i = 0; i < k; ++i) {
      ASSERT_EQ(at[i], best.indices[i]) << what;
      ASSERT_EQ(to_bits(found[i]), to_bits(best.values[i])) << what;
    }
  }
  device_array<float> values;
  device_array<std::int32_t> indices;
  device_array<std::uint64_t> count;
};

// A selection that is captured once, and replayed on arrays of every kind.
void expect_replays(std::size_t n, std::size_t k, std::size_t workspace, int times) {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    gpu there{.stream = stream};
    device_array<float> x(n);
    outputs const to(k);
    there.reserve(workspace);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    top_k_into(there, x, k, to.values, to.indices, to.count.data());
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    for (unsigned seed = 0; seed < 20; ++seed) {
      auto const in = values<float>(every_data[seed % 9], n, seed);
      x.copy_from(std::span<float const>(in), stream);
      for (int again = 0; again < times; ++again) check(cudaGraphLaunch(ready, stream));
      check(cudaStreamSynchronize(stream));
      to.expect(in, k, "replay " + std::to_string(seed));
    }
    check(cudaGraphExecDestroy(ready));
    check(cudaGraphDestroy(graph));
  }
  check(cudaStreamDestroy(stream));
}
TEST(top_k_on_a_gpu_too, can_be_captured_and_replayed_on_new_data) {
  expect_replays(400'000, 777, 4 << 20, 50);
}
TEST(top_k_on_a_gpu_too, of_a_large_k_can_be_captured_and_replayed_on_new_data) {
  std::size_t const n = 4'000'000, k = 50'000;
  // No more than 15 % of the array, a megabyte, and four times what is put out.
  expect_replays(n, k, n * sizeof(float) * 15 / 100 + (1 << 20) + 4 * k * (4 + 4), 5);
}

__global__ void fill_the_gpu(int clocks) {
  auto const start = clock64();
  while (clock64() - start < clocks) {
  }
}
TEST(top_k_on_a_gpu_too, runs_beside_another_and_a_kernel_that_fills_the_gpu) {
  cudaStream_t streams[3];
  for (auto& s : streams) check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  {
    auto const in = values<float>(data::normal, 2'000'000);
    device_array<float> const x{std::span<float const>(in)};
    gpu first{.stream = streams[0]}, second{.stream = streams[1]};
    outputs const a(500), b(5000);
    for (int i = 0; i < 50; ++i) {
      launch(fill_the_gpu, 132 * 8, 256, 0, streams[2])(100'000);
      top_k_into(first, x, 500, a.values, a.indices, a.count.data());
      top_k_into(second, x, 5000, b.values, b.indices, b.count.data());
    }
    check(cudaDeviceSynchronize());
    a.expect(in, 500, "first"), b.expect(in, 5000, "second");
  }
  for (auto& s : streams) check(cudaStreamDestroy(s));
}

TEST(top_k_on_a_gpu_too, leaves_scans_and_reductions_the_memory_that_they_need) {
  gpu there;
  auto const in = values<float>(data::normal, 5'000'000);
  device_array<float> const x{std::span<float const>(in)};
  device_array<float> sums(in.size());
  std::vector<float> expected(in.size());
  inclusive_scan(cpu{}, in, expected, sum{});
  auto const best = top_k(cpu{}, in, 300'000);
  auto const total = reduce(cpu{}, in, sum{});
  for (int i = 0; i < 10; ++i) {
    expect_same(top_k(there, x, 300'000), best, "between scans");
    inclusive_scan(there, x, sums, sum{});
    EXPECT_EQ(reduce(there, x, sum{}), total);
  }
  there.synchronise();
  EXPECT_EQ(sums.to_host(), expected);
}

TEST(top_k_on_a_gpu_too, works_beyond_32_bits) {
  std::size_t const n = (std::size_t(1) << 32) + 12345;
  std::size_t free, all;
  check(cudaMemGetInfo(&free, &all));
  if (free < n + (std::size_t(1) << 30)) GTEST_SKIP() << "less than " << n << " bytes are free";
  device_array<std::int8_t> x(n);
  x.fill_bytes(1);
  std::vector<std::size_t> const planted = {3, n / 2, (std::size_t(1) << 32) - 1,
                                            std::size_t(1) << 32, n - 1};
  for (std::size_t i = 0; i < planted.size(); ++i) {
    std::int8_t const big = i == 2 ? 9 : 7;
    check(cudaMemcpy(x.data() + planted[i], &big, 1, cudaMemcpyHostToDevice));
  }
  gpu there;
  auto const best = top_k(there, x, 7);
  std::vector<std::int64_t> expected;
  for (std::size_t i : {2, 0, 1, 3, 4}) expected.push_back(std::int64_t(planted[i]));
  expected.push_back(0), expected.push_back(1);
  EXPECT_EQ(best.indices, expected);
  EXPECT_EQ(best.values, (std::vector<std::int8_t>{9, 7, 7, 7, 7, 1, 1}));
}

TEST(top_k_on_a_gpu_too, runs_where_the_array_lies) {
  auto where = best();
  auto const in = values<float>(data::normal, 10'000);
  device_array<float> const x{std::span<float const>(in)};
  expect_same(top_k(where, x, 10), top_k(cpu{}, in, 10), "automatic");
  EXPECT_EQ(where.ran(), "gpu:0");
  top_k(where, in, 10);
  EXPECT_EQ(where.ran(), "cpu");
  EXPECT_EQ(top_k(where, rows{x.data(), 10, 1000}, 3).indices,
            top_k(cpu{}, rows{in.data(), 10, 1000}, 3).indices);
}

TEST(top_k_on_a_gpu_too, names_what_it_refuses) {
  gpu there;
  device_array<float> const x(5), values(2);
  device_array<std::int64_t> const indices(3);
  EXPECT_EQ(failure_of([&] { top_k(there, x, 7); }), "top_k: k = 7 is larger than n = 5");
  EXPECT_EQ(failure_of([&] { top_k_into(there, x, 3, values, indices); }),
            "top_k_into: values has room for 2, k = 3");
}

}  // namespace
