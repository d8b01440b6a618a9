// SPDX-License-Identifier: Apache-2.0
//
// What the selection in one read could get wrong: what peers did, samples that mislead, more equal
// elements than there is room for, and memory that launches use again.
#include "tally/device/top_k/select/sampled.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;

// ---- What peers did wrong.

// The order of doubles that differ in their upper halves alone, beside indices of 32 bits.
TEST(top_k_that_peers_got_wrong, sorts_by_all_bits_of_a_double_beside_small_indices) {
  std::mt19937_64 random(1);
  std::vector<double> in(6000);
  for (auto& x : in)
    x = tally::from_bits<double>((0x3ff0'0000ull + random() % 0xffff) << 32 |
                                 (~random() & 0xffff'fff0ull));
  std::vector<double> upper(6000);
  for (std::size_t i = 0; i < upper.size(); ++i)
    upper[i] = tally::from_bits<double>((0x3ff0'0000ull + random() % 5000) << 32 | 0x1234u);
  test_call call(1);
  for (auto const& row : {in, upper})
    for (std::uint64_t k : {1, 300, 2048, 3000, 6000})
      for (bool sorted : {true, false})
        expect_top_k(call, row, test_rows{1, row.size(), row.size()}, k, {.sorted = sorted},
                     "doubles", 0, true);
}

TEST(top_k_that_peers_got_wrong, has_more_ties_than_room_at_any_place) {
  std::size_t const n = 9000;
  unsigned turn = 0;
  for (double part : {0.2, 0.9})
    for (bool first : {true, false})
      for (std::uint64_t k : {50u, 900u}) {
        std::mt19937_64 random(k);
        std::vector<float> in(n);
        for (std::size_t i = 0; i < n; ++i) in[i] = -1 - float(random() % 1000);
        std::size_t const ties = std::size_t(part * n);
        for (std::size_t i = 0; i < ties; ++i) in[first ? i : n - 1 - i] = 5;
        for (int i = 0; i < 40; ++i) in[random() % n] = 6;
        for (int i = 0; i < 2; ++i) {
          test_call call(1);
          expect_top_k(call, in, k, all_options()[turn++ * 3 % 8], "ties");
        }
      }
}

TEST(top_k_that_peers_got_wrong, keeps_infinity_in_a_row) {
  for (std::size_t n : {2000u, 17'000u})
    for (std::size_t infinities : {1u, 70u, 1500u}) {
      std::mt19937_64 random(n);
      std::vector<float> in(n);
      for (auto& x : in) x = float(random() % 100'000) * 0.01f;
      for (std::size_t i = 0; i < infinities; ++i) in[random() % n] = tally::infinity<float>(false);
      in[n / 2] = tally::infinity<float>(true), in[n - 1] = tally::infinity<float>(false);
      test_call call(1);
      for (auto order : {tally::largest, tally::smallest})
        for (std::uint64_t k : {1u, 64u, 512u})
          expect_top_k(call, in, k, {order, k != 64}, std::to_string(infinities) + " infinities");
    }
}

TEST(top_k_that_peers_got_wrong, tells_apart_what_float16_cannot) {
  std::mt19937_64 random(1);
  std::vector<std::vector<float>> rows(3, std::vector<float>(9000));
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    rows[0][i] = 65'504 + float(random() % 1'000'000);                              // all infinite
    rows[1][i] = tally::from_bits<float>(unsigned(random() & 0x807f'ffff));         // subnormal
    rows[2][i] = tally::from_bits<float>(0x3f80'0000u + unsigned(random() & 511));  // all 1
  }
  for (auto const& in : rows)
    for (auto order : {tally::largest, tally::smallest})
      for (bool sorted : {true, false})
        for (std::uint64_t k : {10u, 600u}) {
          test_call call(1);
          expect_path(call, in, k, {order, sorted}, sampled, "beyond float16");
        }
}

// NaNs of both signs and any payload, by themselves and among numbers, at the threshold too.
template <class T>
class top_k_of_nans : public ::testing::Test {};
using every_float = ::testing::Types<tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(top_k_of_nans, every_float);
TYPED_TEST(top_k_of_nans, gives_each_index_once_and_none_outside) {
  using T = TypeParam;
  using f = tally::format<T>;
  using bits = tally::bits_of<T>;
  std::size_t const n = 3500;
  unsigned turn = 0;
  for (std::size_t numbers : {0u, 3u, 500u, 2000u, 3497u}) {
    std::mt19937_64 random(numbers);
    std::vector<T> in(n);
    for (auto& x : in)
      x = tally::from_bits<T>(bits(f::infinity | (random() & f::sign) |
                                   bits(1 + (random() & f::fraction) % (f::fraction - 1))));
    for (std::size_t i = 0; i < numbers; ++i)
      in[(i * 7919 + 13) % n] = number<T>(double(int(random() % 400)) - 200);
    for (auto const& options : all_options()) {
      test_call call(1);
      expect_top_k(call, in, turn++ % 3 ? 700 : 20, options, std::to_string(numbers) + " numbers");
    }
  }
}

TEST(top_k_that_peers_got_wrong, skips_nans_where_fewer_than_k_are_left) {
  for (std::size_t n : {20u, 900u, 3000u, 17'000u})
    for (std::size_t numbers : {0u, 5u, 19u}) {
      std::vector<float> in(n, tally::quiet_nan<float>());
      for (std::size_t i = 0; i < numbers; ++i) in[(i * 17 + 1) % n] = i % 2 ? -0.0f : float(i % 4);
      for (auto order : {tally::largest, tally::smallest})
        for (bool sorted : {true, false}) {
          test_call call(1);
          expect_top_k(call, in, 20, {order, sorted, false, tally::skip},
                       std::to_string(numbers) + " numbers");
        }
    }
}

// The counters that blocks wait at, and scratch of other shapes, are used over and over.
TEST(top_k_that_peers_got_wrong, uses_its_memory_again) {
  for (int order = 0; order < schedule::orders; ++order) {
    schedule const how(7, 1, order);
    test_call call(3);
    std::mt19937_64 random(order);
    for (int i = 0; i < 7; ++i) {
      std::uint64_t const count = 1 + random() % 3, length = 1 + random() % 10'000;
      test_rows const rows{count, length, length + random() % 3};
      std::uint64_t const k = 1 + random() % (i % 5 ? 200 : 2500);
      top_k_options const options{random() % 2 ? tally::largest : tally::smallest,
                                  random() % 3 != 0};
      auto const what = "launch " + std::to_string(i) + ", length " + std::to_string(length);
      if (i % 2)
        expect_top_k(call, values_of<double>(shapes[i % 10], count * rows.stride), rows, k, options,
                     what);
      else
        expect_top_k(call, values_of<std::int16_t>(shapes[i / 2 % 10], count * rows.stride), rows,
                     k, options, what);
    }
  }
}

// ---- Each way.

TEST(top_k_of_one_row, is_sampled_by_teams_of_any_size) {
  for (auto const& t : teams)
    for (std::uint64_t k : {1u, 257u, 2048u})
      for (bool sorted : {true, false}) {
        if (k > 256 && t.blocks == 3) continue;
        test_call call(t.multiprocessors);
        expect_path(call, shuffled<std::int64_t>(length_for<std::int64_t>(t), unsigned(k)), k,
                    {.sorted = sorted}, sampled, std::to_string(t.blocks) + " blocks");
      }
}

TEST(top_k_of_one_row, is_sampled_where_k_is_large) {
  for (auto const& t : teams) {
    std::size_t const n = 3 * length_for<std::int32_t>(t);
    test_call call(t.multiprocessors);
    for (std::uint64_t k : {2305u, 4096u, 8704u}) {
      if (k > n / 4) continue;
      auto const what = std::to_string(t.blocks) + " blocks";
      // A multiprocessor then has room for one block.
      bool const has_room = t.multiprocessors > 1 || k < 4097;
      auto in = shuffled<std::int32_t>(n, unsigned(k));
      expect_path(call, in, k, {}, has_room ? sampled : narrowed, what);
      expect_path(call, in, k, {tally::smallest}, has_room ? sampled : narrowed, what, 1);
      std::ranges::sort(in);
      if (t.blocks % 2) std::ranges::reverse(in);
      expect_top_k(call, in, k, {}, what + ", sorted");
      std::vector<float> two(n, 1);
      for (std::size_t i = 3; i < n; i += 211) two[i] = 2;
      expect_path(call, two, k, {}, has_room ? sampled_ties : narrowed_ties, what + ", two values");
    }
    auto const in = shuffled<std::int32_t>(n);
    if (n / 4 > 8705) expect_path(call, in, 8705, {}, t.blocks > 1 ? narrowed : by_digits, "more");
  }
}

// Fewer groups than threads / 2: nothing may be read of those that there are not (order_many).
TEST(top_k_of_one_row, is_sampled_by_blocks_that_are_no_power_of_two) {
  for (std::uint64_t k : {257u, 1000u}) {
    test_call call(2);
    expect_path(call, shuffled<std::int64_t>(length_for<std::int64_t>({3, 2})), k, {}, sampled,
                "three blocks");
  }
}

// Equal elements at the threshold, of which a block has room for 1024.
TEST(top_k_of_one_row, is_sampled_and_has_ties_gathered) {
  for (auto const& t : teams) {
    std::size_t const n = length_for<double>(t);
    std::vector<double> const same(n, -7.5);
    std::vector<double> two(n), zeros(n), late(n), ones(n), apart(n);
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < n; ++i) {
      two[i] = i % 211 == 3 ? 2 : 1;
      zeros[i] = i % 301 == 5 ? 4 : random() % 2 ? 0.0 : -0.0;
      late[i] = i < n / 2 ? -double(i) : 9;
      ones[i] = random() % 3 ? 1 : 0;
      apart[i] = i % 5000 == 77 || i > n - n / 3 ? 9 : 1;
    }
    for (std::uint64_t k : {1u, 300u, 2048u}) {
      if (t.blocks > 2) continue;
      test_call call(t.multiprocessors);
      auto const what = std::to_string(t.blocks) + " blocks";
      expect_path(call, same, k, {tally::smallest}, sampled_ties, what + ", all equal");
      expect_path(call, same, k, {tally::largest, false}, by_digits, what + ", all equal");
      if (k > n / 211 + 1) expect_path(call, two, k, {}, sampled_ties, what + ", two values");
      if (k > n / 301 + 1) expect_path(call, zeros, k, {}, sampled_ties, what + ", zeros");
      // Of half of a row the guess is among the others, and all that tie are above it.
      auto const& many = k < n / 3 ? sampled_ties : sampled;
      expect_path(call, late, k, {}, many, what + ", the last half");
      expect_path(call, ones, k, {}, many, what + ", most");
      expect_path(call, apart, k, {}, sampled_ties, what + ", a few and the last third");
      for (auto nan : {tally::propagate, tally::skip})
        expect_top_k(call, zeros, k, {tally::smallest, false, false, nan}, what);
    }
  }
}

TEST(top_k_of_one_row, is_found_in_another_way_where_k_is_large) {
  for (auto const& t : teams)
    for (bool sorted : {true, false}) {
      test_call call(t.multiprocessors);
      call.sample_many(false);
      auto const in = shuffled<std::int64_t>(length_for<std::int64_t>(t));
      bool const narrows = t.blocks > 1 && in.size() / 4 >= 2305;  // top_k/large_test.cu
      expect_path(call, in, 2305, {.sorted = sorted}, narrows ? narrowed : by_digits, "large k");
      if (t.blocks < 3)
        expect_path(call, in, in.size() - 1, {.sorted = sorted}, by_digits, "nearly all");
    }
}

TEST(top_k_of_one_row, is_not_looked_at_beyond_its_end) {
  for (std::size_t n = 1; n < 20; ++n)
    for (bool sorted : {true, false}) {
      test_call call(1);
      expect_path(call, shuffled<float>(n), 1, {.sorted = sorted}, sampled, "a short row");
    }
}

// Which elements of an aligned row are looked at first.
template <class T>
std::vector<bool> in_sample(unsigned blocks, std::size_t n, std::uint64_t k) {
  using bits = tally::bits_of<T>;
  using batch = tally::device::row_batch<bits>;
  constexpr unsigned threads = tally::device::selecting_threads, each = batch::each;
  auto const how = tally::device::sampling_of<bits>(blocks, n, k);
  std::vector<bool> is(n);
  for (std::uint64_t at = 0; at < std::uint64_t(blocks) * threads * how.vectors; ++at)
    for (unsigned e = 0; e < how.elements; ++e)
      if (how.places(at) * each + e < n) is[how.places(at) * each + e] = true;
  return is;
}

TEST(top_k_of_one_row, is_found_by_digits_where_the_sample_misleads) {
  for (auto const& t : teams)
    for (bool is_held : {true, false})
      for (auto order : {tally::largest, tally::smallest}) {
        // Three blocks have fewer groups where k is larger.
        if (t.blocks > 2 || (t.blocks == 2 && is_held != (order == tally::largest))) continue;
        std::uint64_t const k = 600;
        std::size_t const n = length_for<double>(t, is_held ? 0 : tile<double> - 2);
        auto const seen = in_sample<double>(t.blocks, n, k);
        auto high = shuffled<double>(n), low = high;
        std::size_t looked_at = 0;
        for (std::size_t i = 0; i < n; ++i) {
          double const more = seen[i] ? 1e6 : 0;
          double const sign = order == tally::largest ? 1 : -1;
          looked_at += seen[i];
          high[i] = sign * (high[i] + more), low[i] = sign * (low[i] - more);
        }
        for (bool sorted : {true, false}) {
          test_call call(t.multiprocessors);
          auto const what = std::to_string(t.blocks) + " blocks, " + std::to_string(looked_at) +
                            " looked at of " + std::to_string(n);
          expect_path(call, high, k, {order, sorted}, by_digits, what + ", too high");
          expect_path(call, low, k, {order, sorted}, by_digits, what + ", too low");
        }
      }
}

// More are above the guess than there is room for; but the best of two groups are better than they.
TEST(top_k_of_one_row, is_found_by_a_better_guess) {
  std::size_t const n = length_for<double>({2, 1}, tile<double> - 2);
  for (auto order : {tally::largest, tally::smallest})
    for (std::uint64_t k : {1, 2, 3}) {
      double const sign = order == tally::largest ? 1 : -1;
      auto const seen = in_sample<double>(2, n, k);
      std::vector<double> in(n);
      unsigned met = 0, unseen = 0;
      for (std::size_t i = 0; i < n; ++i) {
        in[i] = -sign * double(i);
        if (seen[i]) met += 1, in[i] = met == 4 || met == 44 ? sign * (10'000 + met) : in[i];
        if (!seen[i] && ++unseen % 3 == 0) in[i] = sign * double(1 + i % 7000);
      }
      test_call call(1);
      expect_path(call, in, k, {order}, k < 3 ? sampled : by_digits, "two better ones");
      auto tied = in;
      tied[n - 1] = tied[n - 2] = sign * (10'000 + 44), tied[n - 3] = sign * 20'000;
      if (k == 3) expect_path(call, tied, k, {order}, sampled, "ties at the better guess");
      // So many that the first of them are looked for again, from the first on that was put aside.
      for (std::size_t i = n / 2; i < n; ++i)
        if (tied[i] * sign > 0 && tied[i] * sign < 7001) tied[i] = sign * (10'000 + 44);
      if (k == 3) expect_path(call, tied, k, {order}, sampled_ties, "many at the better guess");
      for (std::size_t i = 0; i < n; ++i)
        if (!seen[i]) in[i] = sign * double(1 + i % 7000);
      expect_path(call, in, k, {order}, by_digits, "a block lacks room");
    }
}

// Neighbouring threads of a large team look at neighbouring vectors.
TEST(top_k_of_one_row, is_sampled_where_it_is_long) {
  std::size_t const n = tally::device::long_row + 4099;
  for (bool rises : {true, false}) {
    auto in = shuffled<std::uint16_t>(n);
    if (rises) std::ranges::sort(in);
    test_call call(70);
    expect_path(call, in, 40, {}, sampled, "long");
  }
}

// Few of a batch are at the threshold, so that each is found alone; of a row too many for its list.
TEST(top_k_of_rows, have_ties_gathered_that_are_sparse) {
  test_rows const rows{2, 64'000, 64'000};
  std::vector<float> in(rows.count * rows.length);
  for (std::size_t i = 3; i < in.size(); i += 40) in[i] = 1;
  test_call call(1);  // a block a row
  paths taken;
  expect_top_k(call, in, rows, 10, {}, "sparse", 0, false, &taken);
  EXPECT_EQ(taken, path(row_path::sampled_ties, rows.count));
}

}  // namespace
