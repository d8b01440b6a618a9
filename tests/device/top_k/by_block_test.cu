// SPDX-License-Identifier: Apache-2.0
//
// Rows of a block each: cuts that need one digit or all, ties, rows that begin and end anywhere,
// and what has room.
#include "tally/device/top_k/by_block.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;
using top_k_path = row_path;

template <class T>
void expect_by_blocks(std::vector<T> const& in, test_rows const& rows, std::uint64_t k,
                      top_k_options const& options, std::string const& what, int offset = 0,
                      bool short_indices = false, top_k_path by = top_k_path::block_rows) {
  test_call call(1);
  paths taken;
  expect_top_k(call, in, rows, k, options, what, offset, short_indices, &taken);
  EXPECT_EQ(taken, path(by, rows.count)) << what;
}

// Three rows of a length, each with values of a shape.
template <class T>
void expect_by_blocks(shape which, std::uint64_t length, std::uint64_t k,
                      top_k_options const& options, int offset = 0) {
  expect_by_blocks(values_of<T>(which, 3 * length, unsigned(length)), {3, length, length}, k,
                   options, "shape " + std::to_string(int(which)) + " of " + std::to_string(length),
                   offset);
}

template <class T>
class top_k_by_blocks : public ::testing::Test {};
using some_elements =
    ::testing::Types<std::uint8_t, std::int16_t, tally::bfloat16, float, std::int32_t, double>;
TYPED_TEST_SUITE(top_k_by_blocks, some_elements);

TYPED_TEST(top_k_by_blocks, are_what_a_stable_sort_puts_first) {
  unsigned turn = 0;
  for (auto which : shapes)
    for (unsigned length : {1100u, 5000u}) {
      constexpr unsigned ks[] = {129, 300, 777, 1099};
      expect_by_blocks<TypeParam>(which, length, ks[turn % 4], all_options()[turn * 3 % 8],
                                  int(turn % 4));
      ++turn;
    }
}

TYPED_TEST(top_k_by_blocks, take_all_options) {
  for (auto const& options : all_options<TypeParam>())
    for (auto which : {shape::any_bits, shape::few}) {
      expect_by_blocks<TypeParam>(which, 1500, 1, options, 1);
      expect_by_blocks<TypeParam>(which, 1500, 400, options);
      expect_by_blocks<TypeParam>(which, 1500, 1500, options);
    }
}

TYPED_TEST(top_k_by_blocks, are_of_any_length_that_a_block_holds) {
  constexpr std::uint64_t longest = tally::device::longest_block_row<tally::bits_of<TypeParam>>;
  for (std::uint64_t length :
       {std::uint64_t(40), longest / 4, longest / 4 + 1, longest / 2, longest})
    expect_by_blocks<TypeParam>(shape::any_bits, length, 33 + length / 20, {});
}

TYPED_TEST(top_k_by_blocks, begin_and_end_anywhere) {
  for (int offset : {0, 1, 3}) {
    test_rows rows{11, 1300, 1311};
    auto const in = values_of<TypeParam>(shape::any_bits, rows.count * rows.stride + 40);
    expect_by_blocks(in, rows, 200, {}, "rows", offset);
    for (int r = 0; r < 11; ++r)
      rows.starts.push_back(r * 5 % 18), rows.lengths.push_back(r * r * 13 % 1301);
    expect_by_blocks(in, rows, 300, {.sorted = offset < 2}, "rows of their own", offset);
    for (int r = 0; r < 11; ++r) rows.ks.push_back(r * 110 % 601);
    expect_by_blocks(in, rows, 600, {.sorted = offset < 2}, "k of their own", offset, true);
  }
}

// More at one value than are asked for, first, last or anywhere; and beside them nothing, or some
// that are better.
TEST(top_k_by_blocks_of_rows, may_have_any_number_of_ties) {
  std::uint64_t const length = 5000;
  for (std::size_t ties : {50u, 700u, 5000u})
    for (unsigned where : {0u, 1u, 2u}) {
      std::mt19937_64 random(ties);
      std::vector<float> in(3 * length);
      for (auto& x : in) x = -1 - float(random() % 1000);
      for (std::size_t r = 0; r < 3; ++r) {
        auto* const row = in.data() + r * length;
        for (std::size_t i = 0; i < ties; ++i)
          row[where == 0 ? i : where == 1 ? length - 1 - i : random() % length] = 5;
        for (unsigned i = 0; i < r * 40; ++i) row[random() % length] = 6;
      }
      for (bool sorted : {true, false})
        for (std::uint64_t k : {1u, 45u, 600u})
          expect_by_blocks(in, {3, length, length}, k, {.sorted = sorted},
                           std::to_string(ties) + " ties");
    }
}

// The key of what is not there is that of the worst there is, which is among the best.
TEST(top_k_by_blocks_of_rows, tell_the_worst_from_what_is_not_there) {
  for (std::uint64_t length : {1000u, 4099u}) {
    std::vector<std::uint32_t> in(3 * length);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = i % 7 == 0 ? unsigned(i) : 0;
    for (int offset : {0, 1, 2, 3})
      for (bool sorted : {true, false})
        expect_by_blocks(in, {3, length, length}, length - 5, {.sorted = sorted}, "zeros", offset);
  }
}

// As many elements as some warps have places, from amid a vector on: the last, which are the best,
// are of one warp more. By index no more are taken than are asked for.
template <class T>
void expect_last_of_whole_warps() {
  constexpr std::size_t length = 2048, stride = length + 1;
  std::vector<T> in(3 * stride);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = T(i % stride >= length - 2 ? 9 : i % 7);
  for (bool sorted : {true, false})
    expect_by_blocks(in, {3, length, stride}, 129, {.sorted = sorted}, "whole warps", 1);
}
TEST(top_k_by_blocks_of_rows, reach_into_a_warp_by_what_is_before_them) {
  expect_last_of_whole_warps<std::uint8_t>();
  expect_last_of_whole_warps<float>();
}

TEST(top_k_by_blocks_of_rows, skip_nans_even_if_few_are_left) {
  for (unsigned numbers : {0u, 1u, 40u, 700u}) {
    std::mt19937_64 random(numbers);
    std::vector<double> in(3 * 1100, tally::from_bits<double>(0x7ff8'0000'0000'0001ull));
    for (unsigned i = 0; i < numbers; ++i)
      in[random() % in.size()] = double(int(random() % 9) - 4) * (i % 3 ? 1 : -0.0);
    for (auto const& options : all_options())
      expect_by_blocks(in, {3, 1100, 1100}, 300, options, std::to_string(numbers) + " numbers");
  }
}

TEST(top_k_by_blocks_of_rows, are_the_same_in_any_order_of_blocks) {
  for (int order = 0; order < schedule::orders; ++order) {
    schedule const how(unsigned(order), 1, order);
    expect_by_blocks<std::int32_t>(shape::any_bits, 3000, 900, {});
  }
}

TEST(top_k_by_blocks_of_rows, may_be_of_an_input_of_ones_own) {
  expect_top_k_of_computed(3, 4001, 500, top_k_path::block_rows);
  std::uint64_t const far = std::uint64_t(1) << 31;  // so that rows begin beyond 32 bits
  expect_top_k_of_computed(3, 1301, 200, top_k_path::block_rows, {}, 1, far);
}

// Of one row, too.
TEST(top_k_by_blocks_of_rows, may_be_one) {
  for (std::size_t n : {1025u, 4096u, 16'384u})
    for (bool sorted : {true, false}) {
      test_call call(4);
      expect_path(call, shuffled<float>(n), n / 3, {.sorted = sorted}, block_rows, "one");
    }
}

// Also of a row that begins amid a vector, which has more places than elements.
TEST(top_k_by_blocks_of_rows, have_limits) {
  std::uint64_t const longest = tally::device::longest_block_row<std::uint32_t>;
  auto const in = shuffled<float>(2 * longest + 8);
  for (int offset : {0, 1, 3})
    for (std::uint64_t less : {0, 2, 3})
      expect_by_blocks(in, {2, longest - less, longest}, 200, {}, "longest", offset);
  expect_by_blocks(in, {2, longest + 1, longest + 1}, 200, {}, "longer", 0, false,
                   top_k_path::sampled);
}

}  // namespace
