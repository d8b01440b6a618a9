// SPDX-License-Identifier: Apache-2.0
//
// Selections of a large k: narrowed by a sample that tells, that does not, and that is made to
// mislead; and not narrowed.
#include "tally/device/top_k/large.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;
template <class T>
void expect_large(std::vector<T> const& in, std::uint64_t k, top_k_options const& options,
                  paths const& taken, std::string const& what, int offset = 0) {
  test_call call(1);  // two blocks
  call.sample_many(false);
  expect_path(call, in, k, options, taken, what, offset);
}

// What two blocks hold at once, and more.
template <class T>
std::size_t narrowed_size() {
  return 1024 * tally::device::row_batch<tally::bits_of<T>>::items + 3333;
}

template <class T>
std::vector<T> any_bits(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (auto& each : x) each = tally::from_bits<T>(tally::bits_of<T>(random()));
  return x;
}

template <class T>
class large_top_k : public ::testing::Test {};
using every_element =
    ::testing::Types<std::uint8_t, std::int16_t, tally::bfloat16, std::int32_t, float, double>;
TYPED_TEST_SUITE(large_top_k, every_element);

TYPED_TEST(large_top_k, is_what_a_stable_sort_puts_first) {
  using T = TypeParam;
  auto const in = any_bits<T>(narrowed_size<T>());
  bool const bytes = sizeof(T) == 1;
  unsigned turn = 0;
  for (std::uint64_t k : {std::uint64_t(2305), std::uint64_t(in.size() / 4)})
    for (bool sorted : {true, false})
      expect_large(in, k, all_options()[turn++ * 3 % 8], bytes ? by_digits : narrowed,
                   sorted ? "sorted" : "by index");
  for (std::uint64_t k : {in.size() / 3, in.size() - 1, in.size()})
    expect_large(in, k, all_options()[turn++ * 3 % 8], by_digits, "most of it");
}

TYPED_TEST(large_top_k, is_of_any_order) {
  using T = TypeParam;
  if (sizeof(T) == 1) return;  // are not narrowed, as the test above shows
  auto const in = any_bits<T>(narrowed_size<T>(), 2);
  for (auto const& options : all_options())
    expect_large(in, 2500, options, narrowed, "each order", int(in.size() % 3));
}

std::vector<float> of_kinds(std::size_t n, unsigned kinds) {
  std::mt19937_64 random(kinds);
  std::vector<float> x(n);
  for (auto& each : x) each = float(random() % kinds);
  return x;
}

TEST(large_top_k_of_ties, is_found_where_the_threshold_is_the_last) {
  std::size_t const n = narrowed_size<float>();
  for (unsigned kinds : {1u, 2u, 3u})
    for (bool sorted : {true, false})
      expect_large(of_kinds(n, kinds), 2500, {.sorted = sorted}, narrowed_ties,
                   std::to_string(kinds) + " kinds");
  expect_large(of_kinds(n, 300), 2500, {}, narrowed, "300 kinds");
}

TEST(large_top_k_of_ties, may_all_be_the_worst) {
  std::vector<std::uint32_t> const zeros(narrowed_size<float>());
  expect_large(zeros, 2500, {}, by_digits, "zeros");
  std::vector<float> const nans(zeros.size(), std::numeric_limits<float>::quiet_NaN());
  for (bool sorted : {true, false})
    expect_large(nans, 2500, {.sorted = sorted, .nan = tally::skip}, by_digits, "NaNs skipped");
}

// The counts of the sample's digits are cleared for the row's when no block reads them any more.
TEST(large_top_k_of_ties, may_be_the_worst_under_any_schedule) {
  std::vector<std::uint32_t> const zeros(2 * tile<std::uint32_t> + 3);
  for (unsigned seed = 1; seed <= 8; ++seed) {
    schedule const now(seed, 2, int(seed) % schedule::orders);
    expect_large(zeros, 2500, {.sorted = false}, by_digits, "zeros");
  }
}

// Where no number is above the threshold, none is taken for one that is.
template <class T>
void expect_infinities_to_tie() {
  std::mt19937_64 random(3);
  std::vector<T> in(narrowed_size<T>());
  for (bool negative : {false, true}) {
    for (auto& x : in) {
      auto const r = random();
      x = r % 16 == 0   ? tally::quiet_nan<T>()
          : r % 16 < 12 ? tally::infinity<T>(negative)
                        : tally::convert<T>(double(r % 900));
    }
    auto const order = negative ? tally::smallest : tally::largest;
    expect_large(in, 2500, {.order = order, .nan = tally::skip}, narrowed_ties, "infinities");
  }
}
TEST(large_top_k_of_ties, may_all_be_infinite) {
  expect_infinities_to_tie<tally::bfloat16>();
  expect_infinities_to_tie<float>();
  expect_infinities_to_tie<double>();
}

TEST(large_top_k_of_ties, may_have_fewer_that_count_than_k) {
  auto in = of_kinds(narrowed_size<float>(), 1000);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (i % 16 != 5) in[i] = -std::numeric_limits<float>::quiet_NaN();
  for (bool sorted : {true, false})
    expect_large(in, 2500, {.sorted = sorted, .nan = tally::skip}, by_digits, "few numbers");
}

TEST(large_top_k_of_sorted_rows, is_narrowed) {
  for (bool rises : {true, false}) {
    std::vector<float> in(narrowed_size<float>());
    for (std::size_t i = 0; i < in.size(); ++i) in[rises ? i : in.size() - 1 - i] = float(i);
    for (int offset : {0, 1})
      expect_large(in, 2500, {}, narrowed, rises ? "rising" : "falling", offset);
  }
}

// Which elements the sample looks at.
std::vector<bool> looked_at(std::size_t n, std::uint64_t k) {
  constexpr unsigned each = 4;
  auto const how = tally::device::narrowing::of<std::uint32_t>(1024, n, k);
  tally::device::scattered const places(n / each, how.looks);
  std::vector<bool> seen(n);
  for (std::uint64_t look = 0; look < how.looks; ++look) {
    auto const at = places(look) * each;
    for (unsigned e = 0; e < each; ++e) seen[at + e] = true;
  }
  return seen;
}

TEST(large_top_k_of_a_misleading_sample, is_found_digit_by_digit) {
  std::size_t const n = narrowed_size<float>(), k = 2500;
  auto const seen = looked_at(n, k);
  std::mt19937_64 random(5);
  std::vector<float> high(n), low(n);
  for (std::size_t i = 0; i < n; ++i) {
    float const x = float(random() % 100'000);
    high[i] = seen[i] && random() % 2 ? x + 1e6f : x;
    low[i] = seen[i] ? x - 1e6f : x;
  }
  auto const as_many = std::size_t(std::ranges::count(seen, true)) / 2;
  ASSERT_GT(as_many, k / 4);
  for (bool sorted : {true, false}) {
    expect_large(high, 4000, {.sorted = sorted}, by_digits, "best in the sample");
    expect_large(low, k, {.sorted = sorted}, by_digits, "worst in the sample");
  }
}

// On a large GPU, too, there is room for all that the cut of a sample leaves, and by chance more.
TEST(large_top_k_of_any_share, has_room_for_what_is_marked) {
  constexpr std::uint64_t threads = 256 * tally::device::selecting_threads;
  for (std::uint64_t n : {std::uint64_t(1) << 24, std::uint64_t(1) << 28, std::uint64_t(1) << 31})
    for (std::uint64_t part : {4, 5, 10, 100, 1000}) {
      auto const how = tally::device::narrowing::of<std::uint16_t>(threads, n, n / part);
      double const share = double(n) / (double(how.looks) * 8);
      double const most = double(how.rank + how.slack);
      EXPECT_GE(double(how.room), share * (most + 5.9 * std::sqrt(most))) << n << " / " << part;
    }
}

// Rows about as long as are narrowed, and as many of the best as are; zeros and NaNs of any bits.
template <class T>
void expect_rows_of_any_size(unsigned seed) {
  std::mt19937_64 random(seed);
  std::size_t const least = 2 * tile<T>, n = least + 700, most = 3000;
  test_rows rows{3, n, n + 5};
  for (std::int64_t more : {-1, 0, 1}) {
    rows.starts.push_back(std::int64_t(random() % 5));
    rows.lengths.push_back(std::int64_t(least) + more);
    rows.ks.push_back(std::int64_t(random() % 2 ? most : random() % most));
  }
  auto in = any_bits<T>(3 * (n + 5), seed);
  for (auto& x : in) {
    using f = tally::format<T>;
    auto const r = random();
    if (r % 3 == 0) x = tally::from_bits<T>(r & 8 ? f::sign : tally::bits_of<T>(0));
    if (r % 5 == 0) x = tally::from_bits<T>(tally::bits_of<T>(tally::to_bits(x) | f::infinity | 1));
  }
  test_call call(3);
  auto const all = all_options();
  for (unsigned o = seed % 2; o < all.size(); o += 2)
    expect_top_k(call, in, rows, most, all[o], "rows of any size", int(seed), o & 1);
}
TEST(large_top_k_of_rows, may_be_as_long_as_are_narrowed) {
  expect_rows_of_any_size<tally::float16>(1);
  expect_rows_of_any_size<float>(2);
  expect_rows_of_any_size<double>(3);
}

TEST(large_top_k_of_an_input, is_of_what_is_computed) {
  for (bool sorted : {true, false})
    expect_top_k_of_computed(1, 2 * 8192 + 501, 3000, row_path::narrowed, {.sorted = sorted});
}

TEST(large_top_k_of_rows, is_of_each) {
  std::size_t const n = narrowed_size<float>();
  auto const in = any_bits<float>(3 * n + 9);
  test_rows rows{3, n, n + 3};
  rows.starts = {0, 1, 2};
  rows.lengths = {std::int64_t(n), 100, std::int64_t(n) - 5};
  rows.ks = {4000, 3000, 0};
  test_call call(3);
  for (bool sorted : {true, false})
    for (int again = 0; again < 2; ++again)
      expect_top_k(call, in, rows, 4000, {.sorted = sorted}, "rows", 1, true);
}

}  // namespace
