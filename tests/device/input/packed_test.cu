// SPDX-License-Identifier: Apache-2.0
#include "tally/device/input/packed.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

using namespace tally;

// Calls f(i) for i below n.
template <class Out, class F>
__global__ void fill(Out* out, int n, F f) {
  int const i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = f(i);
}
template <class Out, class F>
std::vector<Out> computed(int n, F f) {
  device_array<Out> out(n);
  launch(fill<Out, F>, unsigned(n + 255) / 256, 256)(out.data(), n, f);
  return out.to_host();
}

// Two halves in words that a thread's number makes: all that there are, each beside many others.
struct pair_of {
  unsigned a, b;
};
TALLY_FN pair_of pair_at(int i) {
  unsigned const random = unsigned(i) * 0x9e3779b1u;
  return {(unsigned(i) & 0xffff) | (random & 0xffff0000u), random >> 13 ^ random << 7};
}
constexpr int pairs = 1 << 17;

template <class T, bool Least, bool SkipsNan>
struct better_of_pair {
  TALLY_FN unsigned operator()(int i) const {
    auto const [a, b] = pair_at(i);
    return better_halves<T, Least, SkipsNan>(a, b);
  }
};

// What is better, by the numbers' values; NaNs have any bits.
template <class T, bool Least, bool SkipsNan>
bool is_better(std::uint16_t got, std::uint16_t a, std::uint16_t b) {
  if constexpr (floating<T>) {
    auto const x = double(from_bits<T>(a)), y = double(from_bits<T>(b));
    bool const none = SkipsNan ? x != x && y != y : x != x || y != y;
    if (none) return is_nan(from_bits<T>(got));
    if (x != x || y != y) return got == (x != x ? b : a);
    if (x == y) return got == ((std::signbit(x) == Least) ? a : b);
    return got == ((x < y) == Least ? a : b);
  } else {
    T const x = T(a), y = T(b);
    return got == std::uint16_t(Least ? std::min(x, y) : std::max(x, y));
  }
}
template <class T, bool Least, bool SkipsNan>
void expect_better() {
  auto const got = computed<unsigned>(pairs, better_of_pair<T, Least, SkipsNan>{});
  for (int i = 0; i < pairs; ++i) {
    auto const [a, b] = pair_at(i);
    for (int half : {0, 16})
      ASSERT_TRUE((is_better<T, Least, SkipsNan>(
          std::uint16_t(got[i] >> half), std::uint16_t(a >> half), std::uint16_t(b >> half))))
          << std::hex << got[i] << " of " << a << " and " << b;
  }
}

template <class T>
struct halves_of_a_word : ::testing::Test {};
using halves = ::testing::Types<float16, bfloat16, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(halves_of_a_word, halves);

TYPED_TEST(halves_of_a_word, are_compared_in_the_order_of_extrema) {
  expect_better<TypeParam, true, false>();
  expect_better<TypeParam, false, false>();
  expect_better<TypeParam, true, true>();
  expect_better<TypeParam, false, true>();
}

template <class T, int Each>
using vectors_of = device::batch<T, 2, Each>;

TALLY_FN unsigned mixed_bits(int i, int k) {
  unsigned const random = (unsigned(i) * 0x9e3779b1u + unsigned(k) * 0x85ebca6bu) * 0xc2b2ae35u;
  return random ^ random >> 15;
}

// Word k of batch i, from few kinds of words: those whose sums are the largest are among them.
TALLY_FN unsigned word_at(int i, int k) {
  unsigned const kinds[] = {0x80808080u, 0x80008000u, 0x7f7f7f7fu, 0x7fff7fffu, ~0u, 0u};
  if (i < 6) return kinds[i];
  unsigned const word = mixed_bits(i, k);
  return i % 2 ? word | 0x01010101 : word & (word << 9 | 0xff);  // odd ones, and some zeros
}
template <class T, int Each>
__device__ auto batch_at(int i) {
  vectors_of<T, Each> x;
  for (int j = 0; j < x.vectors; ++j) x.clear(j);
  for (int k = 0; k < x.size; ++k) {
    int const byte = k * int(sizeof(T));
    x.set(k, from_bits<T>(bits_of<T>(word_at(i, byte / 4) >> (8 * (byte % 4)))));
  }
  return x;
}
template <class T, int Each>
struct sum_of_batch {
  __device__ std::int64_t operator()(int i) const {
    return device::sum_of_words<T>(batch_at<T, Each>(i));
  }
};
template <class T, int Each>
struct products_of_batches {
  int apart;
  __device__ std::uint64_t operator()(int i) const {
    return device::products_of_words<T>(batch_at<T, Each>(i), batch_at<T, Each>(i + apart));
  }
};

template <class T, int Each>
struct product_of_batch {
  __device__ std::uint64_t operator()(int i) const {
    return device::product_of_words<T>(batch_at<T, Each>(i));
  }
};
template <class T, int Each>
struct nonzero_of_batch {
  __device__ int operator()(int i) const { return device::nonzero_bytes(batch_at<T, Each>(i)); }
};

template <class T, int Each>
void expect_sums() {
  constexpr int batches = 500, size = vectors_of<T, Each>::size;
  auto const sums = computed<std::int64_t>(batches, sum_of_batch<T, Each>{});
  auto const squares = computed<std::uint64_t>(batches, products_of_batches<T, Each>{0});
  auto const of_pairs = computed<std::uint64_t>(batches, products_of_batches<T, Each>{1});
  auto const products = computed<std::uint64_t>(batches, product_of_batch<T, Each>{});
  auto const nonzeros = computed<int>(batches, nonzero_of_batch<T, Each>{});
  for (int i = 0; i < batches; ++i) {
    std::int64_t sum = 0, sum_of_squares = 0, sum_of_products = 0;
    std::uint64_t product = 1;
    int nonzero = 0;
    for (int k = 0; k < size; ++k) {
      int const byte = k * int(sizeof(T));
      auto const at = [&](int j) {
        return from_bits<T>(bits_of<T>(word_at(j, byte / 4) >> (8 * (byte % 4))));
      };
      auto const x = at(i);
      sum += x;
      sum_of_squares += std::int64_t(x) * x;
      sum_of_products += std::int64_t(x) * at(i + 1);
      product *= std::uint64_t(x);
      for (unsigned bytes = bits_of<T>(x); bytes != 0; bytes >>= 8) nonzero += (bytes & 0xff) != 0;
    }
    EXPECT_EQ(sums[i], sum) << i;
    EXPECT_EQ(squares[i], std::uint64_t(sum_of_squares)) << i;
    EXPECT_EQ(of_pairs[i], std::uint64_t(sum_of_products)) << i;
    EXPECT_EQ(products[i], product) << i;
    EXPECT_EQ(nonzeros[i], nonzero) << i;
  }
}

template <class T>
struct integers_in_words : ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(integers_in_words, integers);

TYPED_TEST(integers_in_words, are_added_up_with_their_squares_multiplied_and_counted) {
  constexpr int word = 4 / sizeof(TypeParam);
  expect_sums<TypeParam, 4 * word>();
  expect_sums<TypeParam, word>();
  expect_sums<TypeParam, device::most_in_words / 2>();
}

// Vectors of few values, of floats both zeros and several NaNs among them.
template <class T>
TALLY_FN T few_values(int i, int k) {
  constexpr unsigned bits[] = {0x0000, 0x8000, 0x7fff, 0xff81, 0x3f80, 0x7f80, 0xfc00, 0x0080};
  return from_bits<T>(bits_of<T>(bits[mixed_bits(i, k) % 8] >> (sizeof(T) == 1 ? 7 : 0)));
}
template <class T>
struct place_of_equal {
  __device__ int operator()(int i) const {
    device::batch<T, 1> x;
    x.clear(0);
    for (int k = 0; k < x.size; ++k) x.set(k, few_values<T>(i, k));
    return device::first_equal(x, T(x[i % x.size]));
  }
};

template <class T>
struct narrow_elements_of_a_vector : ::testing::Test {};
using narrow_types = ::testing::Types<float16, bfloat16, std::int8_t, std::uint8_t, std::int16_t>;
TYPED_TEST_SUITE(narrow_elements_of_a_vector, narrow_types);

TYPED_TEST(narrow_elements_of_a_vector, are_found_where_the_first_equal_one_is) {
  using T = TypeParam;
  constexpr int vectors = 5000, size = device::batch<T, 1>::size;
  auto const places = computed<int>(vectors, place_of_equal<T>{});
  for (int i = 0; i < vectors; ++i) {
    auto const equal = [&](T x, T y) {
      if constexpr (floating<T>)
        if (is_nan(x)) return is_nan(y);
      return double(x) == double(y);
    };
    int first = 0;
    while (!equal(few_values<T>(i, i % size), few_values<T>(i, first))) ++first;
    ASSERT_EQ(places[i], first) << i;
  }
}

// A number of words that is odd.
struct squares_of_a_word {
  __device__ std::uint64_t operator()(int i) const {
    device::batch<std::int16_t, 1, 2> x;
    x.clear(0);
    x.set(0, std::int16_t(-i)), x.set(1, std::int16_t(300 * i));
    return device::products_of_words<std::int16_t>(x, x);
  }
};
TEST(a_word_of_integers, has_squares_without_a_second_word) {
  auto const squares = computed<std::uint64_t>(10, squares_of_a_word{});
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(squares[i], i * i * 90001);
}

}  // namespace
