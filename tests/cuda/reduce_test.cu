// SPDX-License-Identifier: Apache-2.0
//
// The kernels that the library holds, by the public calls: the bits of the CPU.
#include "tally/gpu/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/devices.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

__host__ __device__ std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// Any bits, but seldom NaN: one of 2^20 elements, as far as there are so many.
template <class T>
__host__ __device__ T any_bits(std::uint64_t i) {
  std::uint64_t const r = mixed(i + 1);
  if constexpr (std::is_same_v<T, bool>) {
    return r % 3 == 0;
  } else if constexpr (floating<T>) {
    T const x = from_bits<T>(bits_of<T>(r));
    return is_finite(x) || r >> 44 == 0 ? x : from_bits<T>(bits_of<T>(format<T>::sign & r));
  } else {
    return T(r);
  }
}

// (A std::vector<bool> is no array.)
template <class T>
class host_array {
 public:
  explicit host_array(std::size_t n, std::uint64_t from = 0) : data_(new T[n]), size_(n) {
    for (std::size_t i = 0; i < n; ++i) data_[i] = any_bits<T>(from + i);
  }
  std::span<T const> all() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_;
};

template <class R>
bool same(R const& a, R const& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// What a description holds, without the padding between.
template <class T>
bool same(description<T> const& a, description<T> const& b) {
  return a.count == b.count && a.nan_count == b.nan_count && same(a.sum, b.sum) &&
         same(a.mean, b.mean) && same(a.standard_deviation, b.standard_deviation) &&
         same(a.minimum, b.minimum) && same(a.maximum, b.maximum) &&
         a.minimum_index == b.minimum_index && a.maximum_index == b.maximum_index;
}

// States of the same values have the same bytes, whatever lies in their digits.
template <class State>
std::vector<std::byte> bytes_of(State const& s) {
  byte_writer out;
  s.write(out);
  return out.take();
}
template <class T>
bool same(exact_state<T> const& a, exact_state<T> const& b) {
  return bytes_of(a) == bytes_of(b);
}
template <class T>
bool same(exact_products<T> const& a, exact_products<T> const& b) {
  return bytes_of(a) == bytes_of(b);
}

template <class T>
bool same(moment_sums<T, true> const& a, moment_sums<T, true> const& b) {
  return a.count == b.count && same(a.sum, b.sum) &&
         bytes_of(a.squares.finite) == bytes_of(b.squares.finite);
}

template <class T>
class reductions {
 public:
  reductions(gpu& there, std::span<T const> host, T const* device)
      : there_(there), host_(host), device_(device, host.size()) {}

  template <class Op>
  void expect(Op const& op, nan_policy nan) const {
    reduce_options const options{.nan = nan};
    bool equal = false;
    auto const on_gpu = failure_of([&] {
      equal = same(reduce(there_, device_, op, options), reduce(cpu{}, host_, op, options));
    });
    EXPECT_EQ(on_gpu, failure_of([&] { reduce(cpu{}, host_, op, options); }));
    EXPECT_TRUE(equal || on_gpu != failure_of([] {}))
        << Op::name << " of " << host_.size() << " elements"
        << (nan == skip ? ", NaN skipped" : "");
  }
  // A line of the table, if it takes these elements.
  template <class Op>
  void expect_held(Op const& op = {}) const {
    if constexpr (detail::held_on_gpu<Op, array_input<T>>) {
      expect(op, propagate);
      if (floating<T>) expect(op, skip);
    }
  }
  template <class F, class Op>
  void expect_each(F const& f, Op const& op, char const* name) const {
    EXPECT_TRUE(
        same(reduce(there_, transform(device_, f), op), reduce(cpu{}, transform(host_, f), op)))
        << name << " of " << host_.size() << " elements";
  }
  void expect_dot(T const* second) const {
    std::span<T const> const device_second(second, host_.size());
    EXPECT_TRUE(same(reduce(there_, zip(device_, device_second), dot{}),
                     reduce(cpu{}, zip(host_, host_), dot{})))
        << "dot of " << host_.size() << " elements";
    if constexpr (floating<T>)
      EXPECT_TRUE(same(reduce(there_, zip(device_, device_second), dot_state{}),
                       reduce(cpu{}, zip(host_, host_), dot_state{})))
          << "state of the dot of " << host_.size() << " elements";
  }

  void expect_all() const {
#define L(ELEMENTS, O) expect_held<tally::O>();  // CUDA has a norm of its own
    TALLY_REDUCTIONS(L)
#undef L
    expect(standard_deviation{1}, propagate);
    expect_dot(device_.data());
    if constexpr (floating<T> || std::is_signed_v<T>) {
      expect_each(absolute{}, sum{}, "sum of absolute");
      expect_each(square{}, sum{}, "sum of square");
      if (host_.empty()) return;
      expect_each(absolute{}, maximum{}, "maximum of absolute");
      expect_each(square{}, maximum{}, "maximum of square");
    }
  }

 private:
  gpu& there_;
  std::span<T const> host_, device_;
};

template <class T>
struct Reductions : ::testing::Test {};
using all_types =
    ::testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(Reductions, all_types);

// Sizes around a vector, a block alone, what a block reads at once, and what the device does.
template <class T>
std::vector<std::uint64_t> sizes() {
  std::uint64_t const vector = 16 / sizeof(T), alone = 1024 * vector, block = 4 * 512 * vector;
  std::uint64_t const wave = block * 2 * std::uint64_t(gpus().at(0).multiprocessors);
  std::vector<std::uint64_t> out{0, 1, 2, 31, 32, 33, 1023, 1024, 1025};
  for (auto const edge : {alone, block, 3 * block, wave})
    for (int const by : {-1, 0, 1}) out.push_back(edge + by);
  out.push_back(2 * wave + 1);
  return out;
}

TYPED_TEST(Reductions, have_the_cpus_bits_at_every_boundary) {
  gpu there;
  auto const n = sizes<TypeParam>();
  host_array<TypeParam> const host(*std::max_element(n.begin(), n.end()));
  device_array<TypeParam> const device(host.all());
  for (auto const size : n)
    reductions<TypeParam>(there, host.all().first(size), device.data()).expect_all();
}

TYPED_TEST(Reductions, have_the_cpus_bits_at_every_address) {
  gpu there;
  host_array<TypeParam> const host(50'000);
  device_array<TypeParam> const device(host.all());
  for (std::size_t at = 0; at < 16 / sizeof(TypeParam); ++at) {
    auto const from = host.all().subspan(at, 49'000 + at);
    reductions<TypeParam> const here(there, from, device.data() + at);
    here.expect_all();
    device_array<TypeParam> const beside(from);
    here.expect_dot(beside.data());
  }
}

TYPED_TEST(Reductions, are_the_same_a_hundred_times) {
  gpu there;
  host_array<TypeParam> const host(3'000'001);
  device_array<TypeParam> const device(host.all());
  auto const repeat = [&](auto const& op) {
    auto const want = reduce(cpu{}, host.all(), op, {.nan = skip});
    for (int i = 0; i < 100; ++i)
      ASSERT_TRUE(same(reduce(there, device, op, {.nan = skip}), want)) << i;
  };
  repeat(sum{});
  repeat(variance{});
  repeat(arg_maximum{});
  if constexpr (floating<TypeParam>) repeat(fast_sum{});
}

// What one call leaves between the blocks must not be taken for the next one's.
TYPED_TEST(Reductions, do_not_remember_other_data) {
  std::uint64_t const n = 3'000'001;
  host_array<TypeParam> const first(n), second(n, n);
  device_array<TypeParam> const device[] = {device_array<TypeParam>(first.all()),
                                            device_array<TypeParam>(second.all())};
  gpu there;
  auto const take_turns = [&](auto const& op, char const* name) {
    std::decay_t<decltype(reduce(cpu{}, first.all(), op))> const want[] = {
        reduce(cpu{}, first.all(), op, {.nan = skip}),
        reduce(cpu{}, second.all(), op, {.nan = skip})};
    for (int i = 0; i < 1000; ++i)
      ASSERT_TRUE(same(reduce(there, device[i % 2], op, {.nan = skip}), want[i % 2]))
          << name << ", call " << i;
  };
  take_turns(sum{}, "sum");
  take_turns(variance{}, "variance");
  take_turns(sum_of_squares{}, "sum_of_squares");
  take_turns(describe{}, "describe");
  take_turns(product{}, "product");
  take_turns(count_nonzero{}, "count_nonzero");
  take_turns(arg_maximum{}, "arg_maximum");
}

// Inputs on which a peer's deterministic sum goes wrong.
TEST(ReductionsOfFloats, are_right_where_others_are_not) {
  gpu there;
  device_array<float> const first(std::vector<float>{INFINITY, 1, 0, 0, 0});
  device_array<float> const second(std::vector<float>(4096, 1e-42f));
  EXPECT_EQ(reduce(there, first, sum{}), INFINITY);
  EXPECT_EQ(reduce(there, second, sum{}), 4096 * 1e-42f);
}

template <class T>
__global__ void fill(T* data, std::uint64_t n, T value) {
  std::uint64_t const step = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    data[i] = value;
}
template <class T>
__global__ void fill_any(T* data, std::uint64_t n) {
  std::uint64_t const step = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    data[i] = any_bits<T>(i);
}

TEST(LargeReductions, of_2_to_the_30_floats_that_are_equal_are_their_multiple) {
  gpu there;
  std::uint64_t const n = std::uint64_t(1) << 30;
  device_array<float> const data(n);
  for (float const x : {0.24f, 1e-42f, -1e28f}) {
    launch(fill<float>, 1024, 512)(data.data(), n, x);
    EXPECT_EQ(reduce(there, data, sum{}), float(double(x) * double(n)));
    EXPECT_EQ(reduce(there, data, mean{}), x);
    EXPECT_EQ(reduce(there, data, variance{}), 0);
    EXPECT_EQ(reduce(there, data, arg_maximum{}), 0);
  }
}

// More than what a warp may add to its block's digits before it has to empty them.
template <class T>
void expect_of_any_bits(std::uint64_t n) {
  gpu there;
  device_array<T> const data(n);
  launch(fill_any<T>, 1024, 512)(data.data(), n);
  auto const host = data.to_host();
  reductions<T> const here(there, host, data.data());
  here.expect(sum{}, skip);
  here.expect(fast_sum{}, skip);
  here.expect(describe{}, skip);
  here.expect_dot(data.data());
}
TEST(LargeReductions, of_2_to_the_30_floats_of_any_bits_are_those_of_the_cpu) {
  expect_of_any_bits<float>(std::uint64_t(1) << 30);
}
TEST(LargeReductions, of_2_to_the_29_doubles_of_any_bits_are_those_of_the_cpu) {
  expect_of_any_bits<double>(std::uint64_t(1) << 29);
}

TEST(LargeReductions, of_more_than_2_to_the_32_elements_are_those_of_the_cpu) {
  gpu there;
  std::uint64_t const n = (std::uint64_t(1) << 32) + 3;
  device_array<std::int8_t> const data(n);
  launch(fill_any<std::int8_t>, 1024, 512)(data.data(), n);
  std::int8_t const last[] = {-128, 127};  // the only ones, where a 32-bit index would begin anew
  launch(fill<std::int8_t>, 1024, 512)(data.data(), n - 2, 5);
  check(cudaMemcpy(data.data() + n - 2, last, 2, cudaMemcpyHostToDevice));
  auto const host = data.to_host();
  reductions<std::int8_t> const here(there, host, data.data());
  here.expect(sum{}, propagate);
  here.expect(variance{}, propagate);
  here.expect(arg_minimum{}, propagate);
  here.expect(arg_maximum{}, propagate);
  here.expect(count_nonzero{}, propagate);
  here.expect(product{}, propagate);
  here.expect_dot(data.data());
}

}  // namespace
