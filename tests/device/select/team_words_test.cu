// SPDX-License-Identifier: Apache-2.0
//
// Rows that a team of several blocks holds: what blocks tell one another by status words, where
// that is too much for them, and launches that follow one another with the same words.
#include "tally/device/select/team_words.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;

template <class T>
class rows_that_a_team_holds : public ::testing::Test {};
using every_width = ::testing::Types<std::uint8_t, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(rows_that_a_team_holds, every_width);

TYPED_TEST(rows_that_a_team_holds, are_selected_from_at_every_boundary) {
  using T = TypeParam;
  unsigned turn = 0;
  test_call call(9);
  for (std::size_t n : {tile<T> + 1, 2 * tile<T>, 2 * tile<T> + 1, 9 * tile<T> - 16})
    for (std::uint64_t k : {1u, 10u, 64u, tally::device::most_told, tally::device::most_told + 1}) {
      if (80 * k > n) continue;  // so large a part of a row is not guessed
      std::mt19937_64 random(n + k);
      std::vector<T> in(n);
      for (auto& x : in) x = number<T>(double(random() % (sizeof(T) == 1 ? 120 : 100'000)));
      auto const options = all_options()[turn++ % 8];
      int const offset = n % tile<T> == 0 ? 0 : int(turn % 5);
      call.hold_rows(false);
      if (sizeof(T) == 1)  // a value has more elements than there is room for
        expect_top_k(call, in, test_rows{1, n, n}, k, options, "bytes", offset);
      else
        expect_path(call, in, k, options, held, "a row", offset);
    }
}

// More entries than words, and fewer elements above the threshold than are wanted.
TEST(rows_held_by_a_team, may_have_more_ties_than_words) {
  using words = tally::device::team_words<std::uint32_t>;
  std::size_t const n = 3 * tile<float>;
  for (std::size_t ties : {400u, words::most_entries - 50, words::most_entries - 49, 900u})
    for (bool sorted : {true, false}) {
      std::vector<float> in(n, -1.0f);
      for (std::size_t i = 0; i < ties; ++i) in[i * 7919 % n] = 1;
      for (std::size_t i = 0; i < 50; ++i) in[(i * 31 + 5) * 7919 % n] = 2;
      test_call call(3);
      expect_path(call, in, 100, {tally::largest, sorted}, held, std::to_string(ties) + " ties");
    }
}

TEST(rows_held_by_a_team, may_have_more_ties_than_a_block_has_room_for) {
  std::size_t const n = 4 * tile<float>;
  std::vector<float> in(n, 1.0f);
  for (std::size_t i = 0; i < 20; ++i) in[i * 7919 % n] = 2;
  test_call call(4);
  for (std::uint64_t k : {10u, 100u}) {
    expect_path(call, in, k, {}, k == 10 ? held : sampled_ties, "nearly all alike");
    expect_path(call, in, k, {tally::largest, false}, k == 10 ? held : by_digits,
                "nearly all alike");
  }
}

// No group looks at the last element of a vector.
TEST(rows_held_by_a_team, are_not_selected_from_by_a_sample_that_misleads) {
  std::vector<float> in(4 * tile<float>);
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = float(random() % 1000) + (i % 4 == 3 ? 1e6f : 0.0f);
  test_call call(8);
  expect_path(call, in, 64, {}, by_digits, "misled");
}

// The sample of a row that rises says too little.
TEST(rows_held_by_a_team, have_a_better_guess_where_they_rise) {
  for (std::size_t tiles : {8, 20}) {
    auto in = shuffled<float>(tiles * tile<float> - 5);
    std::ranges::sort(in);
    for (std::uint64_t k : {500u, 1000u}) {
      test_call call(int{20});
      expect_path(call, in, k, {}, held, std::to_string(tiles) + " tiles, rising");
    }
  }
}

// So many of them in one block that it lacks room, where the team has some for all.
TEST(rows_held_by_a_team, are_not_selected_from_where_a_block_has_no_room) {
  unsigned const blocks = 8, warps = blocks * tally::device::selecting_threads / 32;
  std::vector<float> in(4 * tile<float>);
  std::mt19937_64 random(1);
  unsigned large = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    bool const is_of_block_3 = i / 128 % warps % blocks == 3;
    bool const is_large = is_of_block_3 && i % 4 > 0 && large < 2200;
    large += is_large;
    in[i] = float(random() % 100'000) + (is_large ? 1e6f : 0.0f);
  }
  ASSERT_EQ(large, 2200u);
  test_call call(int{blocks});
  expect_path(call, in, 64, {}, by_digits, "no room");
}

// A team without a single wanted element tells nothing, and one whose row is short little.
TEST(rows_held_by_a_team, may_differ_in_length_and_k) {
  std::size_t const most = 2 * tile<float>;
  test_rows rows{4, most, most + 3};
  rows.lengths = {std::int64_t(most) - 3, 0, 700, 5000};
  rows.starts = {3, 0, 2, 1};
  rows.ks = {40, 40, 7, 0};
  auto const in = shuffled<float>(4 * (most + 3));
  test_call call(16, 0, true);
  call.hold_rows(false);
  for (int i = 0; i < 3; ++i) {
    expect_top_k(call, in, rows, 40, {}, "rows");
    EXPECT_EQ(call.epoch(), std::uint32_t(i + 1));
    EXPECT_EQ(call.drawn(), 0u);
  }
}

// The k of a row may be one for which words would be told; that of the launch decides.
TEST(rows_held_by_a_team, may_have_ks_on_both_sides_of_what_is_told) {
  std::size_t const n = 2 * tile<float>;
  test_rows rows{3, n, n};
  rows.ks = {5, 160, 190};
  test_call call(6);
  call.hold_rows(false);
  for (std::uint64_t most : {190u, 250u})
    expect_top_k(call, shuffled<float>(3 * n), rows, most, {}, "rows");
  expect_top_k(call, values_of<float>(shape::few, 3 * n), test_rows{3, n, n}, 5, {.distinct = true},
               "different values");
}

TEST(rows_held_by_a_team, may_be_computed) {
  expect_top_k_of_computed(1, 3 * tile<std::int32_t> - 5, 40, tally::detail::top_k_path::held, {},
                           4);
}

// Words of earlier launches are not taken for this one's, also when epochs begin anew.
TEST(rows_held_by_a_team, have_words_that_are_told_apart_by_launch) {
  for (std::uint64_t rows : {1, 3}) {
    test_call call(9, ~std::uint32_t(0) - 2, true);
    call.hold_rows(false);
    for (unsigned i = 0; i < 5; ++i) {
      std::size_t const n = tile<float> + 100 + 500 * i;
      auto const in = shuffled<float>(rows * n, i);
      expect_top_k(call, in, test_rows{rows, n, n}, 30, {}, "launch " + std::to_string(i));
    }
    EXPECT_EQ(call.epoch(), 3u);  // 2^32 - 1 is followed by 1
  }
}

__global__ void add_up_counts(tally::device::workspace words, unsigned const* above,
                              unsigned const* ties, tally::device::added_counts* out) {
  namespace device = tally::device;
  __shared__ device::added_counts of_warps[device::most_groups / 32];
  device::team all(words, 0, blockIdx.x, gridDim.x);
  device::team_words<std::uint32_t> of_team(words, 0, true);
  of_team.begin();
  auto const found = of_team.add_up(all, of_warps, {above[blockIdx.x], ties[blockIdx.x], 0});
  if (threadIdx.x == 0) out[blockIdx.x] = found;
  of_team.end(all, 1);
  all.leave();
}

// There are more blocks than a warp or two have lanes, and as many.
TEST(words_of_a_team, add_up_what_any_number_of_blocks_have) {
  for (unsigned blocks : {2u, 32u, 65u}) {
    std::vector<unsigned> above(blocks), ties(blocks);
    for (unsigned b = 0; b < blocks; ++b) above[b] = 1u << b % 20, ties[b] = 3 * b;
    tally::device_array<unsigned> const a(above), t(ties);
    tally::device_array<tally::device::added_counts> out(blocks);
    test_call call(1);
    ASSERT_TRUE(tally::launch_together<add_up_counts>(blocks, (blocks + 31) / 32 * 32)(
        call.workspace(tally::device::team_words<std::uint32_t>::count), a.data(), t.data(),
        out.data()));
    tally::check(cudaDeviceSynchronize());
    auto const sum = [](auto from, auto to) { return std::accumulate(from, to, 0u); };
    auto const found = out.to_host();
    for (unsigned b = 0; b < blocks; ++b) {
      EXPECT_EQ(found[b].above, sum(above.begin(), above.end()));
      EXPECT_EQ(found[b].ties, sum(ties.begin(), ties.end()));
      EXPECT_EQ(found[b].above_before, sum(above.begin(), above.begin() + b)) << b;
      EXPECT_EQ(found[b].ties_before, sum(ties.begin(), ties.begin() + b)) << b;
    }
    EXPECT_EQ(call.epoch(), 1u);
  }
}

// Blocks count how often they have arrived, which wraps.
TEST(teams, meet_when_their_counters_wrap) {
  for (std::uint32_t before : {1u, 4u, 30u}) {
    test_call call(4);
    call.set_arrived(~std::uint32_t(0) - before);
    for (int i = 0; i < 3; ++i)
      expect_path(call, shuffled<float>(4 * tile<float>, unsigned(i)), 1000, {}, held, "wraps");
  }
}

}  // namespace
