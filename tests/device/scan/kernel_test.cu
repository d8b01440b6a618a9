// SPDX-License-Identifier: Apache-2.0
#include "tally/device/scan/kernel.cuh"

#include "support/device_scan.cuh"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/fast_sum.hpp"

namespace {

using namespace support;

// In a wave a warp has 128 elements of 4 bytes of a tile, or 640, or 1152, and there are at most 28
// of them; else it is one of 12, with 896.
constexpr std::size_t sizes[] = {0,     1,     2,     31,    33,    127,   128,   129,   639,
                                 640,   641,   895,   897,   3200,  3583,  3585,  8321,  10241,
                                 10751, 10753, 17919, 17921, 32255, 32257, 43007, 43009, 50000};

TEST(scans_on_a_device, of_integers_are_those_of_the_host_for_every_size) {
  for (std::size_t n : sizes) {
    test_call call(n % 3 ? 1 : 3);
    expect_scans(tally::integer_running_sum<std::int32_t, std::int32_t>{},
                 any_integers<std::int32_t>(n), 7, call);
    expect_scans(tally::running_extremum<std::int32_t, true>{}, any_integers<std::int32_t>(n), 7,
                 call);
  }
}

TEST(scans_on_a_device, compute_in_the_type_of_the_results) {
  test_call call(2);
  for (std::size_t n : {100, 20481}) {
    expect_scans(tally::integer_running_sum<std::uint8_t, std::uint8_t>{},
                 any_integers<std::uint8_t>(n), std::uint8_t(7), call);
    expect_scans(tally::integer_running_sum<std::int8_t, std::int64_t>{},
                 any_integers<std::int8_t>(n), std::int64_t(7), call);
  }
}

TEST(scans_on_a_device, may_begin_at_any_address) {
  test_call call(1);
  for (int at = 0; at < 17; ++at) {
    expect_scans(tally::integer_running_sum<std::uint8_t, std::uint8_t>{},
                 any_integers<std::uint8_t>(700), std::uint8_t(7), call, tally::propagate, at,
                 (5 * at) % 17);
    if (at < 4)
      expect_scans(tally::integer_running_sum<std::int32_t, std::int64_t>{},
                   any_integers<std::int32_t>(5200), std::int64_t(7), call, tally::propagate, at,
                   at % 2);
  }
}

TEST(scans_on_a_device, may_take_the_place_of_what_they_read) {
  test_call call(2);
  for (std::size_t n : {5, 5121, 16000})
    for (bool reverse : {false, true}) {
      tally::integer_running_sum<std::int32_t, std::int32_t> const a;
      scan_kind<std::int32_t> const how{reverse, reverse};
      auto const in = any_integers<std::int32_t>(n);
      expect_same(scan_on_device(a, in, call, how, 1, 0, true), scan_on_host(a, in, how),
                  "in place");
    }
}

TEST(scans_on_a_device, copy_extrema_with_their_bits) {
  test_call call(1);
  for (kind which : {kind::nans, kind::zeros, kind::normal})
    for (auto nan : {tally::propagate, tally::skip}) {
      expect_scans(tally::running_extremum<float, true>{}, values<float>(which, 6000), 0.5f, call,
                   nan);
      expect_scans(tally::running_extremum<float, false>{}, values<float>(which, 6000), 0.5f, call,
                   nan);
    }
}

// Of a type that no power of two divides, and with an operator that has no identity.
struct interval {
  int begin, end, spoilt;
};
struct join {
  TALLY_FN interval operator()(interval const& a, interval const& b) const {
    return {a.begin, b.end, a.spoilt | b.spoilt | (a.end != b.begin)};
  }
};

TEST(scans_on_a_device, see_their_operands_in_order) {
  test_call call(2);
  for (std::size_t n : {1, 5, 1537, 6000}) {
    std::vector<interval> in(n);
    for (int i = 0; i < int(n); ++i) in[i] = {i, i + 1, 0};
    for (bool reverse : {false, true}) {
      tally::operation<interval, join> const a;
      scan_kind<interval> how{false, reverse};
      expect_same(scan_on_device(a, in, call, how), scan_on_host(a, in, how), "inclusive");
      how.exclusive = true;
      how.init = reverse ? interval{int(n), int(n) + 1, 0} : interval{-1, 0, 0};
      expect_same(scan_on_device(a, in, call, how), scan_on_host(a, in, how), "exclusive");
    }
  }
}

// Two by two matrices modulo 2^64: 32 bytes, and no two commute.
struct matrix {
  std::uint64_t a, b, c, d;
};
struct product {
  TALLY_FN matrix operator()(matrix const& x, matrix const& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
};

TEST(scans_on_a_device, may_have_states_of_32_bytes) {
  test_call call(2);
  auto const words = any_integers<std::uint64_t>(4 * 2000);
  std::vector<matrix> in(2000);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = {words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]};
  expect_scans(tally::operation<matrix, product>{}, in, in[7], call);
}

// The widest, of which few fit into shared memory.
struct wide {
  std::int64_t number;
  unsigned char rest[992];
};
struct number_of_wide {
  using element = wide;
  using state = std::int64_t;
  using result = std::int64_t;
  static constexpr bool any_order = true;
  TALLY_FN state identity() const { return 0; }
  TALLY_FN state start(result init) const { return init; }
  TALLY_FN state lift(element const& x, std::uint64_t) const { return x.number; }
  TALLY_FN state combine(state s, state t) const { return s + t; }
  TALLY_FN result lower(state s) const { return s; }
};

static_assert(tally::aggregate<number_of_wide> && number_of_wide::any_order);

TEST(scans_on_a_device, may_have_elements_of_1000_bytes) {
  std::vector<wide> in(900);
  for (std::size_t i = 0; i < in.size(); ++i) in[i].number = std::int64_t(i * i);
  for (int multiprocessors : {1, 3}) {
    test_call call(multiprocessors);
    auto const got = scan_on_device(number_of_wide{}, in, call);
    expect_same(got, scan_on_host(number_of_wide{}, in, {}), "wide");
  }
}

TEST(fast_scans_on_a_device, are_the_same_in_every_run) {
  auto const in = values<float>(kind::wide, 60000);
  for (int multiprocessors : {1, 2, 7}) {
    test_call first(multiprocessors);
    auto const want = scan_on_device(tally::tree_sum<float>{}, in, first);
    for (unsigned epoch : {5, 77}) {
      test_call call(multiprocessors, epoch, true);
      expect_same(scan_on_device(tally::tree_sum<float>{}, in, call), want, "fast_sum");
    }
  }
}

TEST(fast_scans_on_a_device, of_small_integers_are_exact) {
  std::mt19937 random(1);
  std::vector<double> in(8000);
  for (auto& x : in) x = int(random() % 2001) - 1000;
  test_call call(1);
  expect_scans(tally::tree_sum<double>{}, in, 5.0, call);
}

// Few blocks at a time, in any order, each with several tiles, over several groups of 32 tiles.
template <class A>
void expect_any_schedule(A const& a, std::vector<typename A::element> const& in,
                         scan_kind<typename A::result> how) {
  auto const want = scan_on_host(a, in, how);
  how.blocks = 7;
  for (unsigned resident : {1, 2, 3, 6}) {
    schedule const now(resident, resident, int(resident + how.reverse) % schedule::orders);
    test_call call(1, resident);
    expect_same(scan_on_device(a, in, call, how), want, std::to_string(resident) + " resident");
    EXPECT_EQ(call.epoch(), resident + 1);
  }
}

TEST(scans_in_tiles, need_no_blocks_beside_them_and_no_order_of_blocks) {
  using sums = tally::integer_running_sum<std::int64_t, std::int64_t>;
  auto const in = any_integers<std::int64_t>(69 * part_of_warp<sums> + 5);
  expect_any_schedule(sums{}, in, {.warps = 1});
  expect_any_schedule(sums{}, in, {.reverse = true, .warps = 2});
}

TEST(scans_in_tiles, see_their_operands_in_order) {
  using join_all = tally::operation<interval, join>;
  std::vector<interval> in(70 * part_of_warp<join_all>);
  for (int i = 0; i < int(in.size()); ++i) in[i] = {i, i + 1, 0};
  expect_any_schedule(join_all{}, in, {.warps = 1});
  expect_any_schedule(join_all{}, in, {.reverse = true, .warps = 1});
}

TEST(scans_in_tiles, of_states_that_round_have_the_same_bits) {
  using sums = tally::tree_sum<float>;
  auto const in = values<float>(kind::wide, 70 * part_of_warp<sums>);
  scan_kind<float> how{.warps = 1, .blocks = 1};
  test_call first(1);
  auto const want = scan_on_device(sums{}, in, first, how);
  how.blocks = 9;
  for (unsigned resident : {1, 2, 3, 9}) {
    schedule const now(resident, resident, int(resident) % schedule::orders);
    test_call call(1);
    expect_same(scan_on_device(sums{}, in, call, how), want, std::to_string(resident));
  }
}

TEST(scans_in_tiles, may_have_more_blocks_than_tiles) {
  tally::integer_running_sum<std::int32_t, std::int32_t> const a;
  for (std::size_t n : {0, 1, 641, 3000}) {
    auto const in = any_integers<std::int32_t>(n);
    schedule const now(1, 2, 0);
    test_call call(1, 4);
    scan_kind<std::int32_t> const how{.warps = 1, .blocks = 8};
    expect_same(scan_on_device(a, in, call, how), scan_on_host(a, in, how), std::to_string(n));
    EXPECT_EQ(call.epoch(), 5u);
  }
}

// A launch of few blocks is followed by others on the same words, as the counter wraps.
TEST(scans_in_tiles, end_their_epoch_when_all_blocks_have_left) {
  tally::integer_running_sum<std::int32_t, std::int32_t> const a;
  auto const in = any_integers<std::int32_t>(12 * 640);
  auto const want = scan_on_host(a, in, {});
  for (unsigned resident : {1, 3, 4}) {
    schedule const now(resident, resident, 0);
    test_call call(1, ~std::uint32_t(0) - 2);
    for (std::uint32_t epoch : {~std::uint32_t(0) - 1, 0u, 1u}) {
      scan_kind<std::int32_t> const how{.warps = 2, .blocks = 4};
      expect_same(scan_on_device(a, in, call, how), want, "launch");
      EXPECT_EQ(call.epoch(), epoch);
    }
  }
}

// Of the last epoch before they begin again, words are cleared when nobody reads them any more.
TEST(scans_on_a_device, clear_words_that_nobody_reads) {
  using sums = tally::exact_running_sum<double, double>;
  constexpr std::size_t part = part_of_warp<sums>;
  auto const in = values<double>(kind::any_bits, 24 * part);
  auto const want = scan_on_host(sums{}, in, {});
  for (unsigned seed = 1; seed <= 24; ++seed) {
    schedule const now(seed, 6, int(seed) % schedule::orders);
    test_call by_tiles(1, ~std::uint32_t(0) - 1), in_a_wave(6, ~std::uint32_t(0) - 1);
    scan_kind<double> const how{.warps = 1, .blocks = seed % 2 ? 3u : 5u};
    expect_same(scan_on_device(sums{}, in, by_tiles, how), want, "tiles");
    expect_same(scan_on_device(sums{}, in, in_a_wave), want, "wave");
    EXPECT_EQ(by_tiles.epoch(), 0u);
    EXPECT_EQ(in_a_wave.epoch(), 0u);  // it was one of several blocks
  }
}

TEST(scans_on_a_device, go_on_when_epochs_begin_again) {
  tally::integer_running_sum<std::int32_t, std::int32_t> const a;
  for (std::size_t n : {30000, 80000}) {  // in a wave, and by tiles
    auto const in = any_integers<std::int32_t>(n);
    auto const want = scan_on_host(a, in, {});
    test_call call(2, ~std::uint32_t(0) - 2);
    for (std::uint32_t epoch : {~std::uint32_t(0) - 1, 0u, 1u, 2u}) {
      expect_same(scan_on_device(a, in, call), want, "launch");
      EXPECT_EQ(call.epoch(), epoch);
    }
  }
}

}  // namespace
