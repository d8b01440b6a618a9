// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/products.cuh"

#include "support/full_windows.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/device/input/load.cuh"

namespace {

using namespace support;
using namespace tally;

template <class T>
using vectors_of = device::batch<T, device::loads_in_flight / 2>;
template <class T>
using batch_type = device::zipped_batch<vectors_of<T>, vectors_of<T>>;
template <class T>
using pair = zipped<T, T>;

// A warp adds up batch after batch.
template <class T>
__global__ void add_batches(pair<T> const* in, int count, std::int64_t* out) {
  using adder_type = device::product_adder<T>;
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
}

template <class Number, class T>
void add_product(Number& to, T a, T b) {
  auto const p = take_apart(a), q = take_apart(b);
  auto const product = static_cast<unsigned __int128>(p.significand) * q.significand;
  bool const negative = p.negative != q.negative;
  int const exponent = p.exponent + q.exponent;
  for (int i = 0; i < 4; ++i)
    if (auto const part = std::uint64_t(product >> 32 * i) & 0xffffffff)
      to.add(negative, part, exponent + 32 * i);
}

template <class T>
void expect_exact(batches_of_lanes<pair<T>> const& in, std::string const& what) {
  detail::square_digits<T> want;
  device_array<pair<T>> const data(in.x);
  device_array<std::int64_t> out(want.digits);
  launch(add_batches<T>, 1, warp_size, device::product_adder<T>::dynamic_bytes)(
      data.data(), in.count, out.data());
  for (auto const& x : in.x) add_product(want, x.first, x.second);
  expect_number(out.to_host(), want, what);
}

template <class T>
struct product_adders : ::testing::Test {};
using floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(product_adders, floats);

template <class T>
constexpr int batch_size = batch_type<T>::size;

// In each batch three lanes have products that differ by `depth` binades: of all ones by all ones,
// and an odd one. Not more of them, so that a warp leaves none to others.
template <class T>
void put_depth(batches_of_lanes<pair<T>>& in, int batch, int top, int depth, bool by_one) {
  for (int i = 0; i < 3; ++i) {
    int const lane = (3 * batch + i) % warp_size;
    for (int k = 0; k < in.size; ++k)
      in.at(lane, batch, k) = {
          element_of<T>(i == 1, top, ~std::uint64_t(0)),
          element_of<T>(false, 0, by_one ? 0 : filling_fraction<T>(unsigned(2 + batch % 2)))};
    in.at(lane, batch, (batch + i) % in.size) = {
        element_of<T>(i == 1, top - depth / 2, odd_fraction<T>(unsigned(batch + i))),
        element_of<T>(false, -(depth - depth / 2), by_one ? 0 : odd_fraction<T>(unsigned(i)))};
  }
}

TYPED_TEST(product_adders, keep_the_last_bit_of_a_product_at_every_depth) {
  using T = TypeParam;
  constexpr int top = std::is_same_v<T, float16> ? 0 : 20;
  constexpr int deepest = std::is_same_v<T, float16> ? 26 : 60;
  for (bool by_one : {true, false})
    for (int i = 0; i < 4; ++i) {
      batches_of_lanes<pair<T>> in(batch_size<T>, deepest + 1);
      for (int depth = 0; depth <= deepest; ++depth) put_depth<T>(in, depth, top, depth, by_one);
      expect_exact(in, by_one ? "elements" : "products");
    }
}

// Products near 2^exponent, whose errors may lie below all doubles, or sums of which above them.
template <class T>
void expect_exact_around(int exponent) {
  batches_of_lanes<pair<T>> in(batch_size<T>, 6);
  int const half = exponent / 2;
  for (int b = 0; b < in.count; ++b)
    for (int lane = 0; lane < (b < 4 ? 3 : warp_size); ++lane)
      for (int k = 0; k < in.size; ++k) {
        auto const at = unsigned(in.size * b + k);
        auto const one = b % 2 ? any_fraction<T>(at) | 1 : ~std::uint64_t(0);
        in.at(lane, b, k) = {element_of<T>(lane == 2, half, one),
                             element_of<T>(false, exponent - half, any_fraction<T>(at + 77) | 1)};
      }
  expect_exact(in, "exponent " + std::to_string(exponent));
}

TYPED_TEST(product_adders, keep_every_bit_at_every_exponent) {
  constexpr int least = 2 * (1 - format<TypeParam>::bias), most = 2 * format<TypeParam>::bias;
  constexpr int step = most > 1000 ? 31 : most > 100 ? 7 : 1;
  for (int exponent = least; exponent <= most; exponent += step)
    expect_exact_around<TypeParam>(exponent);
}

TEST(product_adders_of_doubles, keep_errors_that_are_below_all_doubles) {
  for (int exponent = -1080; exponent < -940; ++exponent) expect_exact_around<double>(exponent);
  for (int exponent = 990; exponent < 1030; ++exponent) expect_exact_around<double>(exponent);
}

// Zeros, and elements below all normal ones.
TYPED_TEST(product_adders, keep_products_with_the_smallest_elements) {
  using T = TypeParam;
  batches_of_lanes<pair<T>> in(batch_size<T>, 8);
  for (unsigned i = 0; i < in.x.size(); ++i) {
    T const small = from_bits<T>(bits_of<T>(any_fraction<T>(i) >> i % 9));
    T const other = i % 3 == 0 ? small : element_of<T>(i % 5 == 0, int(i % 21) - 10, i);
    in.x[i] = i % 4 == 0 ? pair<T>{T{}, other} : pair<T>{small, other};
  }
  expect_exact(in, "the smallest");
}

TEST(product_adders_of_bfloat16, empty_their_columns_before_these_are_full) {
  using T = bfloat16;
  auto const one = full_columns<T>(batch_size<T>);
  batches_of_lanes<pair<T>> in(one.size, one.count);
  for (std::size_t i = 0; i < in.x.size(); ++i) in.x[i] = {one.x[i], one.x[i]};
  expect_exact(in, "full columns");
}

}  // namespace
