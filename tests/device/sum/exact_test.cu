// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/exact.cuh"

#include "support/full_windows.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/device/input/load.cuh"
#include "tally/exact/exact_state.hpp"

namespace {

using namespace support;
using namespace tally;

template <class T>
using batch_type = device::batch<T, device::loads_in_flight>;

// A warp adds up batch after batch.
template <class T>
__global__ void add_batches(T const* in, int count, std::int64_t* out) {
  using adder_type = device::exact_adder<T>;
  using number = typename adder_type::number;
  __shared__ typename adder_type::shared_type shared;
  shared.clear();
  adder_type::clear_apart();
  __syncthreads();
  adder_type adder;
  for (int b = 0; b < count; ++b) {
    batch_type<T> x;
    for (int j = 0; j < x.vectors; ++j) x.clear(j);
    for (int k = 0; k < x.size; ++k) x.set(k, in[(b * warp_size + int(threadIdx.x)) * x.size + k]);
    adder.add(x, shared);
  }
  adder.close(shared);
  __syncthreads();
  if (adder_type::close_apart(shared)) __syncthreads();
  for (int i = int(threadIdx.x); i < number::digits; i += warp_size)
    out[i] = shared.digits.digit(i);
  if (threadIdx.x < device::specials)
    out[number::digits + threadIdx.x] = std::int64_t(shared.count(device::special(threadIdx.x)));
}

template <class T>
void expect_exact(batches_of_lanes<T> const& in, std::string const& what) {
  device_array<T> const data(in.x);
  constexpr int digits = detail::sum_digits<T>::digits;
  device_array<std::int64_t> out(digits + device::specials);
  launch(add_batches<T>, 1, warp_size, device::exact_adder<T>::dynamic_bytes)(data.data(), in.count,
                                                                              out.data());
  exact_state<T> want;
  for (T const x : in.x) want.add(x);
  auto const got = out.to_host();
  auto const counts = got.begin() + digits;
  EXPECT_EQ(std::vector(counts, got.end()), counts_of(want)) << what;
  if (want.is_finite_sum()) expect_number({got.begin(), counts}, want.finite, what);
}

template <class T>
struct exact_adders : ::testing::Test {};
using floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(exact_adders, floats);

template <class T>
constexpr int batch_size = batch_type<T>::size;

// Twice as many batches as fill a window of doubles.
template <class T>
constexpr int many = std::is_same_v<T, double> ? 66 : 33;
// An exponent that has room for a window below it.
template <class T>
constexpr int middle = std::is_same_v<T, float16> ? 10 : 20;
template <class T>
constexpr int deepest =
    std::is_same_v<T, float16> ? 24 : format<T>::precision + (std::is_same_v<T, double> ? 0 : 45);

TYPED_TEST(exact_adders, keep_the_last_bit_of_an_element_at_every_depth) {
  using T = TypeParam;
  for (int depth = 0; depth <= deepest<T>; ++depth)
    expect_exact(full_window<T>(batch_size<T>, many<T>, middle<T>, depth),
                 "depth " + std::to_string(depth));
}

TEST(exact_adders_of_doubles, keep_the_last_bit_when_the_window_has_moved) {
  for (int drift : {1, 2, 3, 4})
    for (int depth = 30; depth <= 40; ++depth)
      expect_exact(full_window<double>(batch_size<double>, many<double>, 20, depth, drift),
                   "depth " + std::to_string(depth) + ", drift " + std::to_string(drift));
}

TYPED_TEST(exact_adders, follow_elements_that_move) {
  for (unsigned seed = 0; seed < 3; ++seed)
    expect_exact(moving_elements<TypeParam>(batch_size<TypeParam>, seed),
                 "seed " + std::to_string(seed));
}

// Where three lanes have elements alone, these are added one by one.
TYPED_TEST(exact_adders, keep_every_bit_at_both_ends_of_the_exponents) {
  constexpr int least = 1 - format<TypeParam>::bias, most = format<TypeParam>::bias;
  for (int near = 0; near <= 66; ++near)
    for (int exponent : {most - near, least + near})
      if (least <= exponent && exponent <= most)
        expect_exact(elements_beside_the_last_bit<TypeParam>(batch_size<TypeParam>, exponent),
                     "exponent " + std::to_string(exponent));
}

TYPED_TEST(exact_adders, keep_the_last_bit_of_the_smallest_element) {
  using T = TypeParam;
  for (int depth = 12; depth <= 44 && depth < 2 * format<T>::bias; ++depth)
    expect_exact(full_window_above_the_smallest<T>(batch_size<T>, many<T>, depth),
                 "depth " + std::to_string(depth));
}

TEST(exact_adders_of_doubles, empty_their_columns_before_these_are_full) {
  expect_exact(full_columns<double>(batch_size<double>), "full columns");
}
TEST(exact_adders_of_bfloat16, empty_their_columns_before_these_are_full) {
  expect_exact(full_columns<bfloat16>(batch_size<bfloat16>, true), "full columns");
}

TYPED_TEST(exact_adders, count_what_is_not_finite) {
  for (int lanes : {1, 3, 32})
    for (int batch : {0, 4, 8})
      expect_exact(largest_and_not_finite<TypeParam>(batch_size<TypeParam>, lanes, batch),
                   std::to_string(lanes) + " in " + std::to_string(batch));
}

}  // namespace
