// SPDX-License-Identifier: Apache-2.0
#include "tally/device/column_digits.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/device/shared_digits.cuh"
#include "tally/device_array.cuh"
#include "tally/launch.cuh"

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
  using sum_type = device::column_digits<Number, Step, First, before, Columns>;
  __shared__ device::shared_digits<Number> digits;
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

template <class Number, int Step, int First, int Bits, int Columns, class Integer>
void expect_sum(std::vector<term<Integer>> const& in, int threads) {
  device_array<term<Integer>> const data(in);
  device_array<std::int64_t> out(Number::digits);
  device_array<int> changed(1);
  changed.fill_bytes(0);
  launch(add_all<Number, Step, First, Bits, Columns, Integer>, 1, unsigned(threads),
         before + device::column_digits<Number, Step, First, before, Columns>::bytes)(
      data.data(), int(in.size()) / threads, out.data(), changed.data());
  auto const digit = out.to_host();
  Number got, want;
  std::copy(digit.begin(), digit.end(), got.digit);
  for (auto const& t : in) {
    auto const size = static_cast<unsigned __int128>(t.value < 0 ? -__int128(t.value) : t.value);
    auto const low = std::uint64_t(size), high = std::uint64_t(size >> 64);
    int const exponent = t.position + First + Number::lsb;
    if (low) want.add(t.value < 0, low, exponent);
    if (high) want.add(t.value < 0, high, exponent + 64);
  }
  got.carry();
  want.carry();
  for (int i = 0; i < Number::digits; ++i) EXPECT_EQ(got.digit[i], want.digit[i]) << "digit " << i;
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
  // As many as a digit bears, and some more, all of one sign.
  static void expect_full() {
    for (Integer value : {largest, Integer(-largest)})
      for (int position : {15, Positions - 1})
        expect_sum<Number, Step, First, Bits, Columns>(
            std::vector<term<Integer>>(std::size_t(32) * 33'000, {value, position}), 64);
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

TEST(column_digits, hold_the_exact_sum) {
  of_floats::expect_random();
  of_doubles::expect_random();
  of_float_squares::expect_random();
  of_double_squares::expect_random();
  in_few_columns::expect_random();
  in_one_column::expect_random();
}

TEST(column_digits, are_emptied_when_they_are_full) {
  of_floats::expect_full();
  of_double_squares::expect_full();
  in_few_columns::expect_full();
  in_one_column::expect_full();
}

}  // namespace
