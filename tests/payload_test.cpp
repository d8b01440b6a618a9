// SPDX-License-Identifier: Apache-2.0
#include "tally/payload.hpp"

#include <cstring>
#include <random>

#include "cpu/top_k_oracle.hpp"
#include "support/failure_of.hpp"
#include "tally/automatic.hpp"
#include "tally/functions.hpp"
#include "tally/top_k.hpp"
#include "tally/transform.hpp"

namespace tally {
namespace {

using support::failure_of;
using ids = std::vector<std::uint32_t>;

template <std::size_t Size>
struct record {
  unsigned char bytes[Size];
  bool operator==(record const&) const = default;
};
struct location {
  std::uint32_t document, paragraph;
  std::uint64_t line;
  bool operator==(location const&) const = default;
};
static_assert(payload_entry<record<16>> && payload_entry<location> && payload_entry<bool>);
static_assert(!payload_entry<record<3>> && !payload_entry<record<32>>);
static_assert(!payload_entry<std::string>);

// Of few values, so that there are ties, and NaNs.
std::vector<float> keys_of(std::size_t n) {
  std::vector<float> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = i % 13 == 5 ? quiet_nan<float>() : float(i * 7919 % 101);
  return keys;
}
template <class P>
std::vector<P> random_entries(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<P> entries(n);
  for (P& entry : entries) {
    std::uint64_t const bytes[] = {random(), random()};
    std::memcpy(static_cast<void*>(&entry), bytes, sizeof(P));
  }
  return entries;
}
std::vector<top_k_options> all_options() {
  std::vector<top_k_options> all;
  for (auto order : {largest, smallest})
    for (bool sorted : {true, false})
      for (bool distinct : {true, false})
        for (auto nan : {propagate, skip}) all.push_back({order, sorted, distinct, nan});
  return all;
}
// What a stable sort puts first, as the options want it ordered.
std::vector<std::int64_t> best_of(std::span<float const> in, std::uint64_t k,
                                  top_k_options const& options) {
  auto best = top_k_oracle::ranked(in, options);
  best.resize(std::min<std::uint64_t>(best.size(), k));
  if (!options.sorted) std::ranges::sort(best);
  return best;
}

template <class P>
void expect_entries_of_the_best(std::size_t n, std::uint64_t k) {
  auto const keys = keys_of(n);
  auto const payload = random_entries<P>(n);
  for (auto const& options : all_options()) {
    std::vector<float> values(k);
    auto chosen = random_entries<P>(k);
    auto const found = top_k_into(cpu{2}, with_payload(keys, payload), k, values, chosen, options);
    auto const best = best_of(keys, k, options);
    ASSERT_EQ(found, best.size());
    for (std::size_t i = 0; i < k; ++i) {
      unsigned char const zeros[sizeof(P)] = {};
      void const* const expected =
          i < found ? static_cast<void const*>(&payload[std::size_t(best[i])]) : zeros;
      ASSERT_EQ(std::memcmp(&chosen[i], expected, sizeof(P)), 0) << i << " of " << k;
    }
    for (std::size_t i = 0; i < found; ++i)
      ASSERT_EQ(to_bits(values[i]), to_bits(keys[std::size_t(best[i])]));
  }
}

TEST(payload, comes_with_the_best_in_any_size) {
  for (auto [n, k] : {std::pair{1, 1}, {100, 7}, {100, 100}, {5000, 300}}) {
    expect_entries_of_the_best<std::uint8_t>(std::size_t(n), std::uint64_t(k));
    expect_entries_of_the_best<record<2>>(std::size_t(n), std::uint64_t(k));
    expect_entries_of_the_best<std::int32_t>(std::size_t(n), std::uint64_t(k));
    expect_entries_of_the_best<std::uint64_t>(std::size_t(n), std::uint64_t(k));
    expect_entries_of_the_best<location>(std::size_t(n), std::uint64_t(k));
  }
}

TEST(payload, of_rows_counts_from_where_they_begin) {
  auto const x = keys_of(13 * 100);
  auto const payload = random_entries<location>(x.size());
  std::vector<std::int64_t> starts, lengths, ks;
  for (int r = 0; r < 13; ++r)
    starts.push_back(r % 4), lengths.push_back(r * 7), ks.push_back(7 * r - 5);
  for (auto const& options : all_options())
    for (bool own : {false, true}) {
      rows<float const> const all{
          x.data(), 13, 90, 100, own ? starts.data() : nullptr, own ? lengths.data() : nullptr};
      std::vector<float> values(13 * 80), same_values(13 * 80);
      std::vector<std::int64_t> at(13 * 80);
      std::vector<std::uint64_t> counts(13), same_counts(13);
      auto chosen = random_entries<location>(13 * 80);
      k_of_rows const k{own ? ks.data() : nullptr, 80};
      top_k_into(cpu{3}, with_payload(all, payload), k, values, chosen, counts.data(), options);
      top_k_into(cpu{}, all, k, same_values, at, same_counts.data(), options);
      EXPECT_EQ(counts, same_counts);
      for (std::size_t i = 0; i < at.size(); ++i) {
        auto const begin = i / 80 * 100 + (own ? std::size_t(starts[i / 80]) : 0);
        location const none{};
        ASSERT_EQ(chosen[i], at[i] < 0 ? none : payload[begin + std::size_t(at[i])]) << i;
        ASSERT_EQ(to_bits(values[i]), to_bits(same_values[i]));
      }
    }
}

TEST(payload, belongs_to_inputs_too_and_goes_where_arrays_lie) {
  std::vector<float> const x = {1, -5, 3, -4}, squares = {25, 16};
  ids const names = {10, 11, 12, 13};
  std::vector<float> values(2);
  ids chosen(2);
  auto const squared = with_payload(transform(x, square{}), std::span(names));
  EXPECT_EQ(top_k_into(cpu{}, squared, 2, values, chosen), 2u);
  EXPECT_EQ(chosen, (ids{11, 13}));
  EXPECT_EQ(values, squares);

  auto where = best();
  std::uint64_t count = 0, counts[2] = {};
  top_k_into(where, with_payload(x, names), 2, values, chosen, &count);
  EXPECT_EQ(chosen, (ids{12, 10}));
  EXPECT_EQ(count, 2u);
  top_k_into(where, with_payload(rows{x.data(), 2, 2}, names), 1, values, chosen, counts);
  EXPECT_EQ(chosen, (ids{10, 12}));
  EXPECT_EQ(where.ran(), "cpu");
}

TEST(payload, of_another_size_or_without_room_is_refused) {
  std::vector<float> const x(7);
  ids const names(5), enough(7);
  std::vector<float> values(3);
  ids chosen(2);
  EXPECT_EQ(failure_of([&] { with_payload(x, names); }),
            "with_payload: payload has 5 entries for 7 elements");
  EXPECT_EQ(failure_of([&] { with_payload(rows{x.data(), 3, 2}, names); }),
            "with_payload: payload has 5 entries, where the rows end at 6");
  EXPECT_EQ(failure_of([&] { top_k_into(cpu{}, with_payload(x, enough), 3, values, chosen); }),
            "top_k_into: chosen has room for 2, k = 3");
  EXPECT_EQ(failure_of([&] {
              top_k_into(cpu{}, with_payload(x, enough), ~std::uint64_t(0), values, chosen);
            }),
            "top_k_into: k = 18446744073709551615 is larger than n = 7");
  EXPECT_EQ(failure_of([&] {
              top_k_into(cpu{}, with_payload(rows{x.data(), 3, 2}, enough), 1, values, chosen,
                         nullptr);
            }),
            "top_k_into: chosen has room for 2, k = 3");
  std::int64_t const starts[] = {0, 2}, lengths[] = {3, 4}, before[] = {0, -5};
  EXPECT_EQ(failure_of([&] {
              top_k_into(cpu{}, with_payload(rows{x.data(), 2, 4, 0, starts, lengths}, names), 1,
                         values, chosen, nullptr);
            }),
            "top_k_into: payload has 5 entries, where row 1 is from 2 to 6");
  EXPECT_EQ(failure_of([&] {
              top_k_into(cpu{}, with_payload(rows{x.data(), 2, 4, 3, before}, enough), 1, values,
                         chosen, nullptr);
            }),
            "top_k_into: payload has 7 entries, where row 1 is from -2 to 2");
}

}  // namespace
}  // namespace tally
