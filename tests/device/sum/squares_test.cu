// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/squares.cuh"

#include "support/full_windows.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/definition/moments.hpp"
#include "tally/device/input/load.cuh"
#include "tally/device/sum/half_squares.cuh"
#include "tally/exact/exact_state.hpp"

namespace {

using namespace support;
using namespace tally;

template <class T>
using batch_type = device::batch<T, device::loads_in_flight>;
template <class T>
constexpr int sum_size = detail::sum_digits<T>::digits;
template <class T>
constexpr int squares_size = detail::square_digits<T>::digits;

// A warp adds up batch after batch.
template <class T, class Batch>
__global__ void add_batches(T const* in, int count, std::int64_t* out) {
  using adder_type = device::square_adder<T>;
  __shared__ typename adder_type::sums sums;
  __shared__ typename adder_type::digits squares;
  sums.clear();
  squares.clear();
  adder_type::clear_apart();
  __syncthreads();
  adder_type adder;
  for (int b = 0; b < count; ++b) {
    Batch x;
    for (int j = 0; j < x.vectors; ++j) x.clear(j);
    for (int k = 0; k < x.size; ++k) x.set(k, in[(b * warp_size + int(threadIdx.x)) * x.size + k]);
    adder.add(x, sums, squares);
  }
  adder.close(sums, squares);
  __syncthreads();
  if (adder_type::close_apart(sums, squares)) __syncthreads();
  for (int i = int(threadIdx.x); i < sum_size<T>; i += warp_size) out[i] = sums.digits.digit(i);
  for (int i = int(threadIdx.x); i < squares_size<T>; i += warp_size)
    out[sum_size<T> + i] = squares.digit(i);
  if (threadIdx.x < device::specials)
    out[sum_size<T> + squares_size<T> + threadIdx.x] =
        std::int64_t(sums.count(device::special(threadIdx.x)));
}

template <class T, class Batch = batch_type<T>>
void expect_exact(batches_of_lanes<T> const& in, std::string const& what) {
  device_array<T> const data(in.x);
  device_array<std::int64_t> out(sum_size<T> + squares_size<T> + device::specials);
  launch(add_batches<T, Batch>, 1, warp_size, device::square_adder<T>::dynamic_bytes)(
      data.data(), in.count, out.data());
  exact_state<T> sum;
  detail::exact_squares<T> squares;
  for (T const x : in.x) sum.add(x), squares.add(x);
  auto const got = out.to_host();
  auto const middle = got.begin() + sum_size<T>, counts = middle + squares_size<T>;
  EXPECT_EQ(std::vector(counts, got.end()), counts_of(sum)) << what;
  if (!sum.is_finite_sum()) return;  // whose digits do not matter
  expect_number({got.begin(), middle}, sum.finite, "sum, " + what);
  expect_number({middle, counts}, squares.finite, "squares, " + what);
}

template <class T>
struct square_adders : ::testing::Test {};
using floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(square_adders, floats);

template <class T>
constexpr int batch_size = batch_type<T>::size;
// Twice as many batches as fill a window.
template <class T>
constexpr int many = std::is_same_v<T, double> ? 18 : 512 / batch_size<T> + 2;
// The exponent of most elements: with room for a window below.
template <class T>
constexpr int middle = std::is_same_v<T, float16> ? 11 : 20;
template <class T>
constexpr int deepest = std::is_same_v<T, float16> ? 25 : 56;

TYPED_TEST(square_adders, keep_the_last_bit_of_an_element_at_every_depth) {
  using T = TypeParam;
  for (int depth = 0; depth <= deepest<T>; ++depth)
    expect_exact(full_window<T>(batch_size<T>, many<T>, middle<T>, depth),
                 "depth " + std::to_string(depth));
}

TYPED_TEST(square_adders, keep_the_last_bit_when_the_window_has_moved) {
  using T = TypeParam;
  for (int drift : {1, 2, 3, 4})
    for (int depth = 16; depth <= 24; ++depth)
      expect_exact(full_window<T>(batch_size<T>, many<T>, middle<T>, depth, drift),
                   "depth " + std::to_string(depth) + ", drift " + std::to_string(drift));
}

TYPED_TEST(square_adders, follow_elements_that_move) {
  for (unsigned seed = 0; seed < 2; ++seed)
    expect_exact(moving_elements<TypeParam>(batch_size<TypeParam>, seed),
                 "seed " + std::to_string(seed));
}

template <class T>
void expect_exact_around(int exponent) {
  expect_exact(elements_beside_the_last_bit<T>(batch_size<T>, exponent),
               "exponent " + std::to_string(exponent));
}

TYPED_TEST(square_adders, keep_every_bit_at_every_exponent) {
  constexpr int least = 1 - format<TypeParam>::bias, most = format<TypeParam>::bias;
  constexpr int step = most > 200 ? 13 : 5;
  for (int exponent = least; exponent <= most; exponent += step)
    expect_exact_around<TypeParam>(exponent);
  for (int near = 0; near < 5; ++near) {
    expect_exact_around<TypeParam>(most - near);
    expect_exact_around<TypeParam>(least + near);
  }
}

TYPED_TEST(square_adders, keep_the_last_bit_of_the_smallest_element) {
  using T = TypeParam;
  for (int depth = 12; depth <= 44 && depth < 2 * format<T>::bias; ++depth)
    expect_exact(full_window_above_the_smallest<T>(batch_size<T>, many<T>, depth),
                 "depth " + std::to_string(depth));
}

// Elements of all sizes, of which a sigma takes what comes after them: the largest, and some that
// are not finite.
template <class T>
void expect_exact_after_wide(bool negative) {
  batches_of_lanes<T> in(batch_size<T>, 24);
  using bits = bits_of<T>;
  for (int lane = 0; lane < warp_size; ++lane)
    for (int batch = 0; batch < in.count; ++batch)
      for (int k = 0; k < in.size; ++k) {
        auto const all = bits(any_fraction<T>(unsigned(batch * in.size + k + lane)));
        auto& x = in.at(lane, batch, k);
        if (batch < 4)
          x = from_bits<T>(k % 2 ? bits(format<T>::infinity - 1 - all) : bits(all | 1));
        else if (batch < 12)
          x = from_bits<T>(bits(format<T>::infinity - 1));
        else
          x = from_bits<T>(bits(1 + k % 3));
        if (negative && k % 3 == 0) x = from_bits<T>(bits(to_bits(x) | format<T>::sign));
      }
  expect_exact(in, "wide, and then the largest");
  for (T const x : {infinity<T>(negative), quiet_nan<T>()})
    for (int batch : {2, 5, 15}) {
      auto more = in;
      more.at(7, batch, 3) = more.at(8, batch, in.size - 1) = x;
      expect_exact(more, "not finite in batch " + std::to_string(batch));
    }
}
TEST(square_adders_of_halves, take_all_that_is_finite_after_wide_batches) {
  for (bool const negative : {false, true}) {
    expect_exact_after_wide<float16>(negative);
    expect_exact_after_wide<bfloat16>(negative);
  }
}

// Vectors of an element, and so an odd number of them.
template <class T>
void expect_exact_of_single_elements() {
  constexpr int size = 3;
  for (int depth = 0; depth <= deepest<T>; ++depth)
    for (int drift : {0, 1})
      expect_exact<T, device::batch<T, size, 1>>(full_window<T>(size, 6, middle<T>, depth, drift),
                                                 "depth " + std::to_string(depth));
}
TEST(square_adders_of_halves, take_an_odd_number) {
  expect_exact_of_single_elements<float16>();
  expect_exact_of_single_elements<bfloat16>();
}

// One large element sets sigma, of whose last bit the squares of most others are nearly half; what
// is left of them has 53 bits down to the last one of a small element, or one bit more.
TEST(square_adders_of_bfloat16, keep_the_last_bit_of_what_sigma_leaves) {
  for (int depth : {41, 42, 43}) {
    batches_of_lanes<bfloat16> in(batch_size<bfloat16>, 3);
    for (int lane = 0; lane < warp_size; ++lane)
      for (int batch = 0; batch < in.count; ++batch) {
        for (int k = 0; k < in.size; ++k)
          in.at(lane, batch, k) = element_of<bfloat16>(k % 2, 14, 53);  // 181^2 is below 2^15
        in.at(lane, batch, lane) = element_of<bfloat16>(false, 40, 0);
        in.at(lane, batch, (lane + 9) % in.size) = element_of<bfloat16>(true, 40 - depth, 1);
      }
    expect_exact(in, "depth " + std::to_string(depth));
  }
}

TEST(square_adders_of_bfloat16, empty_their_columns_before_these_are_full) {
  expect_exact(full_columns<bfloat16>(batch_size<bfloat16>), "full columns");
}

TYPED_TEST(square_adders, count_what_is_not_finite) {
  for (int lanes : {1, 3, 32})
    for (int batch : {0, 4, 8})
      expect_exact(largest_and_not_finite<TypeParam>(batch_size<TypeParam>, lanes, batch),
                   std::to_string(lanes) + " in " + std::to_string(batch));
}

}  // namespace
