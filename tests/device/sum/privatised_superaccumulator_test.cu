// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/privatised_superaccumulator.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/device/sum/block_superaccumulator.cuh"

namespace {

using namespace tally;

// value * 2^position, an even value where that is 0
template <class Integer>
struct term {
  Integer value;
  int position;
};

constexpr int before = 16;

// As many terms a thread, behind bytes of something else.
template <class Number, int Step, int First, int Bits, int Columns, class Integer>
__global__ void add_all(term<Integer> const* in, int each, std::int64_t* out, int* changed) {
  using sum_type = device::privatised_superaccumulator<Number, Step, First, before, Columns>;
  __shared__ device::block_superaccumulator<Number> digits;
  int* const other = dynamic_shared<int>();
  digits.clear();
  sum_type::clear();
  if (threadIdx.x < before / sizeof(int)) other[threadIdx.x] = 77;
  __syncthreads();
  sum_type sum;
  for (int i = 0; i < each; ++i) {
    sum.reserve(1, digits);
    auto const t = in[i * int(blockDim.x) + int(threadIdx.x)];
    sum.template add<Bits>(t.value, t.position);
  }
  __syncthreads();
  if (sum_type::close(digits) != (each > 0)) *changed = 1;
  __syncthreads();
  for (int i = int(threadIdx.x); i < Number::digits; i += int(blockDim.x)) out[i] = digits.digit(i);
  if (threadIdx.x < before / sizeof(int) && other[threadIdx.x] != 77) *changed = 1;
}

// The same term again and again by the lanes of each warp that share a column with the first one,
// while the others only make room.
template <class Number, int Step, int First, int Bits, int Columns, class Integer>
__global__ void add_again(term<Integer> const t, int at_once, int times, std::int64_t* out) {
  using sum_type = device::privatised_superaccumulator<Number, Step, First, 0, Columns>;
  __shared__ device::block_superaccumulator<Number> digits;
  digits.clear();
  sum_type::clear();
  __syncthreads();
  sum_type sum;
  for (int i = 0; i < times; ++i) {
    sum.reserve(at_once, digits);
    if (threadIdx.x % Columns == 0)
      for (int k = 0; k < at_once; ++k) sum.template add<Bits>(t.value, t.position);
  }
  __syncthreads();
  sum_type::close(digits);
  __syncthreads();
  for (int i = int(threadIdx.x); i < Number::digits; i += int(blockDim.x)) out[i] = digits.digit(i);
}

// value * 2^position, so many times.
template <class Number, class Integer>
void add_term(Number& to, term<Integer> const& t, std::int64_t times, int first) {
  auto const size = static_cast<unsigned __int128>(t.value < 0 ? -__int128(t.value) : t.value);
  Number one;
  for (int i = 0; i < 4; ++i)
    if (auto const part = std::uint64_t(size >> 32 * i) & 0xffffffff)
      one.add(t.value < 0, part, t.position + first + Number::lsb + 32 * i);
  for (int i = 0; i < Number::digits; ++i) to.digit[i] += one.digit[i] * times;
}

template <class Number>
void expect_digits(std::vector<std::int64_t> const& digit, Number want) {
  Number got;
  std::copy(digit.begin(), digit.end(), got.digit);
  got.carry();
  want.carry();
  for (int i = 0; i < Number::digits; ++i) EXPECT_EQ(got.digit[i], want.digit[i]) << "digit " << i;
}

template <class Number, int Step, int First, int Bits, int Columns, class Integer>
void expect_sum(std::vector<term<Integer>> const& in, int threads) {
  device_array<term<Integer>> const data(in);
  device_array<std::int64_t> out(Number::digits);
  device_array<int> changed(1);
  changed.fill_bytes(0);
  launch(add_all<Number, Step, First, Bits, Columns, Integer>, 1, unsigned(threads),
         before + device::privatised_superaccumulator<Number, Step, First, before, Columns>::bytes)(
      data.data(), int(in.size()) / threads, out.data(), changed.data());
  Number want;
  for (auto const& t : in) add_term(want, t, 1, First);
  expect_digits(out.to_host(), want);
  EXPECT_EQ(changed.to_host()[0], 0);
}

template <class Number, int Step, int First, int Bits, class Integer, int Positions,
          int Columns = warp_size>
struct terms {
  static void expect_random() {
    std::mt19937_64 random(1);
    for (int n : {0, 64, 64 * 50, 64 * 300}) {
      std::vector<term<Integer>> in(n);
      for (auto& t : in) {
        t = {Integer((__int128(random()) << 64 | random()) & largest), int(random() % Positions)};
        if (random() % 5 == 0) t.value >>= random() % Bits;
        if (random() % 2) t.value = -t.value;
        if (t.position == 0) t.value &= Integer(-2);
      }
      expect_sum<Number, Step, First, Bits, Columns>(in, 64);
    }
  }
  // As many as a digit bears, 2^15 in a column, and some more, all of one sign; by few warps or
  // many, one at a time or some.
  static void expect_full() {
    constexpr int sharing = warp_size / Columns;
    for (int const warps : {1, 3, 32})
      for (Integer value : {largest, Integer(-largest)}) {
        term<Integer> const t{value, warps == 3 ? Positions - 1 : Step - 1};
        int const at_once = warps == 32 ? 1 : 8;
        int const times = 33'500 / (warps * sharing * at_once);
        device_array<std::int64_t> out(Number::digits);
        launch(add_again<Number, Step, First, Bits, Columns, Integer>, 1, unsigned(32 * warps),
               device::privatised_superaccumulator<Number, Step, First, 0, Columns>::bytes)(
            t, at_once, times, out.data());
        Number want;
        add_term(want, t, std::int64_t(times) * at_once * sharing * warps, First);
        expect_digits(out.to_host(), want);
      }
  }

 private:
  static constexpr Integer largest = Integer((static_cast<unsigned __int128>(1) << Bits) - 1);
};

using of_floats = terms<detail::sum_digits<float>, 8, -1, 24, int, 250>;
using of_doubles = terms<detail::sum_digits<double>, 16, -1, 53, std::int64_t, 2000>;
using of_float_squares = terms<detail::square_digits<float>, 16, 30, 48, std::int64_t, 500>;
using of_double_squares = terms<detail::square_digits<double>, 16, 0, 106, __int128, 4000>;
using in_few_columns = terms<detail::square_digits<double>, 16, 0, 106, __int128, 4000, 8>;
using in_one_column = terms<detail::sum_digits<float>, 8, -1, 24, int, 250, 1>;

TEST(privatised_superaccumulator, holds_the_exact_sum) {
  of_floats::expect_random();
  of_doubles::expect_random();
  of_float_squares::expect_random();
  of_double_squares::expect_random();
  in_few_columns::expect_random();
  in_one_column::expect_random();
}

TEST(privatised_superaccumulator, is_emptied_when_it_is_full) { of_floats::expect_full(); }
TEST(privatised_superaccumulator, is_emptied_when_it_is_full_of_squares) {
  of_double_squares::expect_full();
}
TEST(privatised_superaccumulator, is_emptied_when_it_is_full_in_few_columns) {
  in_few_columns::expect_full();
  in_one_column::expect_full();
}

}  // namespace
