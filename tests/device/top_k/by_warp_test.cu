// SPDX-License-Identifier: Apache-2.0
//
// Rows of a warp each: samples that mislead, lists that overflow, ties, and rows that begin and end
// anywhere.
#include "tally/device/top_k/by_warp.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;

// Enough for a multiprocessor's warps, and a warp that has none.
constexpr std::uint64_t enough = 13;

// Rows of which each is made by row(r), one behind another.
template <class F>
auto rows_made_by(F row, std::uint64_t count = enough) {
  auto all = row(0u);
  for (unsigned r = 1; r < count; ++r) {
    auto const next = row(r);
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

template <class T>
void expect_by_warps(std::vector<T> const& in, test_rows const& rows, std::uint64_t k,
                     top_k_options const& options, std::string const& what, int offset = 0,
                     bool short_indices = false) {
  test_call call(1);
  paths taken;
  expect_top_k(call, in, rows, k, options, what, offset, short_indices, &taken);
  EXPECT_EQ(taken, path(row_path::warp_rows, rows.count)) << what;
}
template <class T>
void expect_by_warps(std::vector<T> const& in, std::uint64_t k, top_k_options const& options,
                     std::string const& what, int offset = 0) {
  std::uint64_t const length = in.size() / enough;
  expect_by_warps(in, test_rows{enough, length, length}, k, options,
                  what + " of " + std::to_string(length), offset);
}

template <class T>
class top_k_by_warps : public ::testing::Test {};
using some_elements =
    ::testing::Types<std::uint8_t, std::int16_t, tally::bfloat16, float, std::int32_t, double>;
TYPED_TEST_SUITE(top_k_by_warps, some_elements);

TYPED_TEST(top_k_by_warps, are_what_a_stable_sort_puts_first) {
  unsigned turn = 0;
  for (unsigned length : {1025u, 2501u})
    for (auto which : shapes) {
      auto const in =
          rows_made_by([&](unsigned r) { return values_of<TypeParam>(which, length, r + length); });
      constexpr unsigned ks[] = {1, 7, 32, 33, 64, 65, 128};
      for (int i = 0; i < 2; ++i, ++turn)
        expect_by_warps(in, ks[turn % 7], all_options()[turn * 3 % 8],
                        "shape " + std::to_string(int(which)), int(turn % 4));
    }
}

TYPED_TEST(top_k_by_warps, take_all_options) {
  auto const in = rows_made_by(
      [](unsigned r) { return values_of<TypeParam>(shapes[r % std::size(shapes)], 1100, r); });
  for (auto const& options : all_options<TypeParam>())
    for (unsigned k : {7u, 64u, 128u}) expect_by_warps(in, k, options, "options", 1);
}

TYPED_TEST(top_k_by_warps, have_rows_of_any_length_and_address) {
  for (int offset : {0, 1, 2, 3}) {
    test_rows rows{40, 1300, 1311};
    auto const in = values_of<TypeParam>(shape::any_bits, rows.count * rows.stride + 40);
    expect_by_warps(in, rows, 40, {}, "rows", offset);
    for (int r = 0; r < 40; ++r)
      rows.starts.push_back(r * 5 % 18), rows.lengths.push_back(r * r * 13 % 1301);
    rows.lengths[39] = 1300;
    expect_by_warps(in, rows, 100, {.sorted = offset < 2}, "rows of their own", offset);
    for (int r = 0; r < 40; ++r) rows.ks.push_back(r * 11 % 61);
    expect_by_warps(in, rows, 60, {.sorted = offset < 2}, "k of their own", offset, true);
  }
}

TEST(top_k_by_warps_of_rows, are_no_longer_than_their_part_of_an_array) {
  for (unsigned length : {8191u, 8192u, 9000u, 32'768u}) {
    auto const in = rows_made_by([&](unsigned r) { return shuffled<float>(length, r); });
    expect_by_warps(in, 64, {.sorted = length % 2 == 0}, "shuffled", int(length % 4));
    expect_by_warps(in, 128, {.order = tally::smallest}, "shuffled");
  }
}

TEST(top_k_by_warps_of_rows, may_be_sorted) {
  for (bool rises : {true, false})
    for (unsigned k : {1u, 64u, 128u}) {
      auto const in = rows_made_by([&](unsigned r) {
        std::vector<float> row(4000);
        for (std::size_t i = 0; i < row.size(); ++i)
          row[i] = float(r) + (rises ? 1 : -1) * float(i);
        return row;
      });
      expect_by_warps(in, k, {}, rises ? "rising" : "falling");
    }
}

// So many more at one value than a list has room for, first, last or anywhere.
TEST(top_k_by_warps_of_rows, may_have_any_number_of_ties) {
  for (unsigned length : {2500u, 5000u})
    for (unsigned k : {1u, 50u, 128u}) {
      auto const in = rows_made_by([&](unsigned r) {
        std::mt19937_64 random(r);
        std::vector<float> row(length);
        for (auto& x : row) x = -1 - float(random() % 1000);
        std::size_t const ties = r < 2 ? length : r < 8 ? 30u << r % 6 : length - 40;
        for (std::size_t i = 0; i < ties && i < length; ++i)
          row[r % 3 == 0 ? i : r % 3 == 1 ? length - 1 - i : random() % length] = 5;
        for (unsigned i = 0; i < r * 5; ++i) row[random() % length] = 6;
        return row;
      });
      for (bool sorted : {true, false}) expect_by_warps(in, k, {.sorted = sorted}, "ties");
    }
}

// Of the largest key nothing more is looked for, once k are found.
TEST(top_k_by_warps_of_rows, may_be_full_of_the_best_there_is) {
  std::vector<std::uint8_t> const bytes(enough * 4000, 255);
  expect_by_warps(bytes, 100, {}, "bytes");
  std::vector<float> const nans(enough * 2000, tally::from_bits<float>(0xffc00001u));
  for (auto const& options : all_options()) expect_by_warps(nans, 33, options, "NaNs");
}

TEST(top_k_by_warps_of_rows, may_have_all_of_the_best_in_few_lanes) {
  for (unsigned every : {32u, 128u, 512u}) {
    auto const in = rows_made_by([&](unsigned r) {
      auto row = shuffled<float>(6000, r);
      for (std::size_t i = r; i < row.size(); i += every)
        for (unsigned e = 0; e < 4 && i + e < row.size(); ++e) row[i + e] += 10'000;
      return row;
    });
    for (unsigned k : {10u, 100u}) expect_by_warps(in, k, {}, "every " + std::to_string(every));
  }
}

// The best are where the sample looks, so that it guesses too high; or only elsewhere, so that the
// list is cut again and again.
TEST(top_k_by_warps_of_rows, do_not_trust_the_sample) {
  for (bool seen : {true, false})
    for (unsigned k : {5u, 64u, 128u}) {
      auto const in = rows_made_by([&](unsigned r) {
        std::vector<float> row(8192);
        unsigned const stretch = unsigned(row.size()) / 4 / 16;
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(i * 7919 % 8192);
        for (unsigned s = 0; s < 16; ++s) {
          unsigned const random = (s % 4 + 1) * 0x9e3779b1u >> 16;
          unsigned const at = (s * stretch + ((random * (stretch - 7)) >> 16 & ~7u)) * 4;
          for (unsigned e = 0; e < 32; ++e) {
            float& x = row[at + e];
            bool const better = seen ? e < (r < 6 ? 2 : 32) : true;
            if (better) x = seen ? 10'000 + float((at + e) % 97) : -float(at + e);
          }
        }
        if (seen && r % 2)
          for (auto& x : row)
            if (x < 10'000) x = -tally::infinity<float>(false);
        return row;
      });
      for (bool sorted : {true, false})
        expect_by_warps(in, k, {.sorted = sorted}, seen ? "seen" : "not seen");
    }
}

TEST(top_k_by_warps_of_rows, skip_nans_even_if_few_are_left) {
  for (unsigned numbers : {0u, 1u, 40u, 700u}) {
    auto const in = rows_made_by([&](unsigned r) {
      std::mt19937_64 random(r);
      auto const nan = 0x7ff8'0000'0000'0001ull | std::uint64_t(r % 2) << 63;
      std::vector<double> row(1100, tally::from_bits<double>(nan));
      for (unsigned i = 0; i < numbers; ++i)
        row[random() % row.size()] = double(int(random() % 9) - 4) * (i % 3 ? 1 : -0.0);
      return row;
    });
    for (auto const& options : all_options())
      expect_by_warps(in, numbers % 3 ? 64 : 3, options, "NaNs");
  }
}

TEST(top_k_by_warps_of_rows, are_the_same_in_any_order_of_blocks) {
  auto const in = rows_made_by([](unsigned r) { return shuffled<std::int32_t>(1500, r); });
  for (int order = 0; order < schedule::orders; ++order) {
    schedule const how(unsigned(order), 1, order);
    expect_by_warps(in, 20, {}, "scheduled");
  }
}

TEST(top_k_by_warps_of_rows, may_be_of_an_input_of_ones_own) {
  expect_top_k_of_computed(enough, 1501, 40, row_path::warp_rows);
}

// Fewer rows, longer ones, and more of their best are for blocks; of short ones few for another
// kernel.
TEST(top_k_by_warps_of_rows, have_limits) {
  auto const taken_by_warps = [](int multiprocessors, std::uint64_t length, std::uint64_t k) {
    test_call call(multiprocessors);
    paths taken;
    auto const in = shuffled<float>(enough * length);
    expect_top_k(call, in, test_rows{enough, length, length}, k, {}, "limits", 0, false, &taken);
    return taken[unsigned(row_path::warp_rows)];
  };
  EXPECT_EQ(taken_by_warps(1, 2000, 128), enough);
  EXPECT_EQ(taken_by_warps(2, 2000, 128), 0u);
  EXPECT_EQ(taken_by_warps(1, 2000, 129), 0u);
  EXPECT_EQ(taken_by_warps(1, 32'769, 1), 0u);
  EXPECT_EQ(taken_by_warps(1, 1024, 32), 0u);
  EXPECT_EQ(taken_by_warps(1, 1024, 33), enough);
  EXPECT_EQ(taken_by_warps(1, 1025, 32), enough);
}

}  // namespace
