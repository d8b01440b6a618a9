// SPDX-License-Identifier: Apache-2.0
//
// Rows at any address, of any length and any values, in one read.
#include "tally/device/rows/row.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;

// ---- Inputs.

template <class T>
class top_k_in_one_read_of : public ::testing::Test {};
using every_element = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                       std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                       tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(top_k_in_one_read_of, every_element);
TYPED_TEST(top_k_in_one_read_of, is_right_for_any_values) {
  using T = TypeParam;
  auto const options = all_options();
  std::uint64_t const ks[] = {1, 33, 300, 1400};
  unsigned turn = sizeof(T) + unsigned(std::is_signed_v<T>) + 2 * tally::floating<T>;
  for (shape which : shapes)
    for (int i = 0; i < 2; ++i, ++turn) {
      std::size_t const n = turn % 10 == 0 ? tile<T> + 7 : turn % 3 ? 1500 : 2600;
      test_call call(1);
      expect_top_k(call, values_of<T>(which, n, turn), ks[(turn + turn / 8) % 4], options[turn % 8],
                   "shape " + std::to_string(int(which)) + ", options " + std::to_string(turn % 8) +
                       ", n = " + std::to_string(n));
    }
}

TEST(top_k_in_one_read_of_bytes, may_begin_at_any_address) {
  for (int offset = 0; offset < 16; ++offset)
    for (std::size_t n : {1100u, 16'384u, 33'000u}) {
      test_call call(1);
      auto const what = "offset " + std::to_string(offset) + ", n = " + std::to_string(n);
      expect_top_k(call, values_of<std::int8_t>(shape::any_bits, n, offset), 40 + offset,
                   {.sorted = offset % 2 == 0}, what, offset);
    }
  for (int offset = 0; offset < 8; ++offset) {
    test_call call(1);
    auto const in = values_of<tally::float16>(shape::any_bits, 17'001, offset);
    for (bool sorted : {true, false})
      expect_path(call, in, 300, {tally::largest, sorted, false, tally::skip}, sampled, "float16",
                  offset);
  }
  for (int offset = 0; offset < 4; ++offset)
    for (bool sorted : {true, false}) {
      test_call call(1);
      expect_path(call, shuffled<float>(8192, offset), 300, {.sorted = sorted}, sampled, "float",
                  offset);
    }
}

TEST(top_k_in_one_read_of_rows, may_each_begin_at_another_address) {
  test_call call(2);
  test_rows rows{4, 16'800, 16'801};
  auto const in = values_of<std::uint8_t>(shape::any_bits, rows.count * rows.stride);
  for (bool sorted : {true, false}) {
    paths taken;
    expect_top_k(call, in, rows, 50, {.sorted = sorted}, "bytes", 3, false, &taken);
    EXPECT_EQ(taken, path(row_path::sampled, 4));
  }
}

// Rows much shorter than those that teams are made for, and k from none to more than there are.
TEST(top_k_in_one_read_of_rows, may_have_lengths_and_k_of_their_own) {
  unsigned turn = 0;
  for (std::uint64_t most : {90u, 1500u, 2500u})
    for (int i = 0; i < 1; ++i) {
      auto const options = all_options()[turn++ * 3 % 8];
      test_call call(4);
      test_rows rows{4, 9000, 9001};
      rows.starts = {1, 0, 13, 2};
      for (auto const& lengths : {std::vector<std::int64_t>{0, 1, 5987, 2050},
                                  {8999, 2700, 15, 1025},
                                  {4096, 4097, 6143, 129}}) {
        rows.lengths = lengths;
        rows.ks = {std::int64_t(most), 1, std::int64_t(most) - 1, std::int64_t(most / 2)};
        auto const in = values_of<double>(shape::any_bits, rows.count * rows.stride + 20);
        expect_top_k(call, in, rows, most, options, "own");
        rows.ks = {0, std::int64_t(most), 2, std::int64_t(most)};
        expect_top_k(call, values_of<double>(shape::few, in.size()), rows, most, options, "few");
      }
    }
}

// More rows than blocks: one block after the other selects, from the same memory.
TEST(top_k_in_one_read_of_rows, do_not_disturb_each_other) {
  test_call call(1);
  test_rows rows{9, 1300, 1300};
  std::vector<float> in(rows.count * rows.stride);
  for (std::size_t r = 0; r < rows.count; ++r) {
    auto const row = values_of<float>(shapes[r % 10], rows.length, unsigned(r));
    std::ranges::copy(row, in.begin() + std::ptrdiff_t(r * rows.stride));
    rows.lengths.push_back(r % 4 == 3 ? std::int64_t(r) : 1300);
  }
  for (auto const& options : all_options())
    expect_top_k(call, in, rows, options.order == tally::largest ? 33 : 700, options, "rows");
}

// A block's first row is selected digit by digit, its next in one read, from the same memory at
// once.
TEST(top_k_in_one_read_of_rows, may_follow_one_that_is_not) {
  test_call call(1);  // four blocks
  call.hold_rows(false);
  test_rows const rows{9, 1300, 1300};
  auto in = shuffled<std::uint32_t>(rows.count * rows.stride);
  for (std::size_t r : {0, 1, 2, 3, 8}) std::fill_n(in.begin() + r * rows.stride, 1300, 7u);
  paths taken, expected = path(row_path::by_digits, 5);
  expected[unsigned(row_path::sampled)] = 4;
  expect_top_k(call, in, rows, 40, {.sorted = false}, "in turn", 0, false, &taken);
  EXPECT_EQ(taken, expected);
}

TEST(top_k_in_one_read_of_rows, is_right_for_what_nobody_thought_of) {
  std::mt19937_64 random(99);
  auto const options = all_options();
  for (int i = 0; i < 40; ++i) {
    test_call call(1 + int(random() % 5));
    std::uint64_t const count = 1 + random() % 4, length = 1 + random() % (i % 3 ? 2500 : 12'000);
    std::uint64_t const k = 1 + random() % (i % 4 ? 70 : 256);
    test_rows const rows{count, length, length + random() % 5};
    auto const seed = unsigned(random());
    shape const which = shapes[random() % 10];
    auto const& how = options[random() % 8];
    auto const what = "case " + std::to_string(i) + ", length " + std::to_string(length);
    auto const go = [&]<class T>(T) {
      expect_top_k(call, values_of<T>(which, count * rows.stride, seed), rows, k, how, what,
                   int(random() % (16 / sizeof(T))), random() % 2 == 0);
    };
    if (i % 4 == 0) go(double());
    if (i % 4 == 1) go(float());
    if (i % 4 == 2) go(tally::float16());
    if (i % 4 == 3) go(std::uint8_t());
  }
}

}  // namespace
