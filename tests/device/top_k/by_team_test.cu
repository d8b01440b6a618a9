// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/by_team.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;

// Elements of few values or of any bits, so that there are NaNs of both signs, both zeros and ties.
template <class T>
std::vector<T> elements(std::size_t n, unsigned kinds, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (auto& x : out) {
    auto const bits = tally::bits_of<T>(random());
    x = kinds == 0 ? tally::from_bits<T>(bits) : T(double(int(random() % kinds) - int(kinds / 2)));
  }
  return out;
}

template <class T>
class top_k_on_a_device : public ::testing::Test {};
using every_element = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                       std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                       tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(top_k_on_a_device, every_element);

TYPED_TEST(top_k_on_a_device, is_what_a_stable_sort_puts_first) {
  test_call call(1);
  for (std::size_t n : {1, 2, 33, 700})
    for (unsigned kinds : {0u, 7u}) {
      auto const in = elements<TypeParam>(n, kinds);
      for (auto const& options : all_options<TypeParam>())
        for (std::size_t k : {std::size_t(1), n / 3, n})
          expect_top_k(call, in, k, options, std::to_string(n) + " of " + std::to_string(kinds));
    }
}

TYPED_TEST(top_k_on_a_device, is_found_by_several_blocks) {
  test_call call(2);  // four blocks
  std::size_t const tile = tally::device::row_batch<tally::bits_of<TypeParam>>::items * 512;
  std::size_t const n = 4 * tile + 77;
  for (unsigned kinds : {0u, 5u}) {
    auto const in = elements<TypeParam>(n, kinds);
    for (std::size_t k : {std::size_t(10), n / 2})
      expect_top_k(call, in, k, {}, std::to_string(kinds) + " kinds");
  }
}

TEST(top_k_of_rows_on_a_device, may_begin_and_end_anywhere) {
  test_call call(1);
  for (int offset : {0, 1, 3, 7}) {
    auto const in = elements<std::int16_t>(40 * 37, 100);
    test_rows rows{40, 35, 37};
    expect_top_k(call, in, rows, 5, {}, "rows", offset);
    for (int r = 0; r < 40; ++r) rows.starts.push_back(r % 3), rows.lengths.push_back(r * 7 % 36);
    rows.lengths[39] = 30;
    expect_top_k(call, in, rows, 5, {}, "rows of their own", offset);
    for (int r = 0; r < 40; ++r) rows.ks.push_back(r % 6);
    expect_top_k(call, in, rows, 5, {.sorted = false}, "k of their own", offset, true);
  }
}

TEST(top_k_of_rows_on_a_device, pads_rows_that_are_too_short) {
  test_call call(1);
  auto const in = elements<float>(100, 0);
  expect_top_k(call, in, test_rows{10, 10, 10}, 25, {}, "short");
  expect_top_k(call, in, test_rows{10, 0, 10}, 3, {}, "empty");
  expect_top_k(call, in, test_rows{10, 10, 10}, 0, {}, "none asked for");
}

TEST(top_k_of_rows_on_a_device, shares_blocks_among_a_few_rows) {
  test_call call(6);  // 12 blocks
  auto const in = elements<float>(3 * 20000, 0);
  for (auto const& options : all_options())
    expect_top_k(call, in, test_rows{3, 19000, 20000}, 100, options, "three rows");
}

TEST(top_k_of_rows_on_a_device, tells_how_it_has_been_started) {
  test_call call(6);
  std::string text;
  call.explanation = &text;
  expect_top_k(call, elements<float>(3 * 19000, 0), test_rows{3, 19000, 19000}, 100, {}, "three");
  EXPECT_EQ(text.substr(0, text.rfind(", ")),
            "a guessed threshold, by 3 teams of 2 blocks of 512 threads");
}

// Normally distributed, more or less.
std::vector<float> normal(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<float> x(n);
  for (float& each : x)
    for (int i = 0; i < 8; ++i) each += float(std::int64_t(random()) >> 40) * 0x1p-24f;
  return x;
}

TEST(top_k_in_one_read, is_how_most_rows_are_selected) {
  for (auto [n, multiprocessors] : {std::pair{3000, 1}, {8192, 1}, {20'000, 1}, {65'536, 4}})
    for (unsigned k : {1u, 10u, 64u, 300u, 1000u, 2048u})
      for (bool sorted : {true, false}) {
        test_call call(multiprocessors);
        expect_path(call, normal(std::size_t(n), k), k, {.sorted = sorted}, sampled, "normal");
      }
}

TEST(top_k_in_one_read, is_how_sorted_rows_are_selected) {
  for (auto [n, multiprocessors] : {std::pair{8192, 1}, {50'000, 1}, {65'536, 4}})
    for (unsigned k : {10u, 64u, 2000u})
      for (bool rises : {true, false}) {
        test_call call(multiprocessors);
        std::vector<float> in(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < in.size(); ++i) in[rises ? i : in.size() - 1 - i] = float(i);
        expect_path(call, in, k, {}, sampled, rises ? "rising" : "falling");
      }
}

// Where a list finds no room in a block, another way is taken; for k = 100 the first limit is
// enough. Each limit meets each of the options once.
TEST(top_k_with_little_shared_memory, is_selected_in_another_way) {
  using top_k_path = row_path;
  auto const in = normal(30'000, 5);
  auto const all = all_options();
  test_rows const rows{60, 500, 500};
  for (std::size_t limit : {90'000, 40'000, 8'000})
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      std::uint64_t const k = (turn + turn / 4) % 2 ? 100 : 2000;
      test_call call(1 + int(turn / 2 + turn / 4) % 2);
      call.limit_shared_memory(limit);
      bool const fits = limit == 90'000 && k == 100;
      expect_path(call, in, k, all[turn], fits ? sampled : by_digits, std::to_string(limit));
      paths taken;
      expect_top_k(call, in, rows, 50, all[turn], "rows", 0, false, &taken);
      EXPECT_EQ(taken,
                path(limit > 8'000 ? top_k_path::warp_rows : top_k_path::by_digits, rows.count));
    }
}

// The counts that a block keeps beside its list take their part of it.
TEST(top_k_with_little_shared_memory, is_sampled_if_all_of_it_fits) {
  std::uint64_t const k = 500;
  auto const shape = tally::device::sampled_shape::of<std::uint32_t, std::uint32_t>(1, k, true);
  std::size_t const needed =
      shape.shared_bytes + sizeof(tally::device::top_k_board<std::uint32_t, std::uint32_t>);
  auto const in = normal(3000);
  for (std::size_t missing : {0, 1}) {
    test_call call(1);
    call.limit_shared_memory(needed - missing);
    expect_path(call, in, k, {}, missing ? by_digits : sampled, std::to_string(missing));
  }
}

// All of a row, digit by digit: also those that are skipped, and none before its begin.
TEST(top_k_of_all_of_a_row, begins_at_any_address) {
  auto const in = elements<float>(2500, 0);
  ASSERT_TRUE(std::ranges::any_of(in, [](float x) { return x != x; }));
  for (int offset : {0, 3})
    for (auto const& options : all_options()) {
      test_call call(1);
      call.sample_many(false);
      expect_path(call, in, in.size(), options, by_digits, "all of it", offset);
    }
}

TYPED_TEST(top_k_on_a_device, may_be_of_different_values) {
  for (int multiprocessors : {1, 2})
    for (unsigned kinds : {0u, 5u}) {
      test_call call(multiprocessors);
      auto const in = elements<TypeParam>(multiprocessors * 2100, kinds);
      for (std::size_t turn = multiprocessors + kinds; auto options : all_options<TypeParam>()) {
        options.distinct = true;
        std::size_t const k = turn++ % 2 ? 3 : in.size() / 2;
        expect_top_k(call, in, k, options, std::to_string(kinds) + " kinds");
      }
    }
}
TEST(top_k_of_rows_on_a_device, may_be_of_different_values) {
  test_call call(1);
  auto const in = elements<std::uint8_t>(20 * 50, 0);
  for (bool sorted : {true, false})
    expect_top_k(call, in, test_rows{20, 50, 50}, 45, {.sorted = sorted, .distinct = true}, "rows");
}

TEST(top_k_on_a_device_of_one, orders_blocks_in_any_way) {
  auto const in = elements<std::int32_t>(5 * 8192, 1000);
  for (int order = 0; order < schedule::orders; ++order)
    for (unsigned seed : {1u, 2u}) {
      schedule const how(seed, 1, order);
      test_call call(2);
      expect_top_k(call, in, 3000, {}, "scheduled");
    }
}

}  // namespace
