// SPDX-License-Identifier: Apache-2.0
//
// What calls ask of rows, beside marking every element of every row.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#include "support/failure_of.hpp"
#include "support/host_gpu.hpp"
#include "tally/cpu_operators.hpp"
#include "tally/tally.hpp"

namespace tally {
namespace {

using support::failure_of;
using numbers = std::vector<std::int64_t>;

// A layout of few elements, and what it has in memory.
struct random_layout {
  numbers starts, lengths;
  row_layout rows;

  explicit random_layout(std::mt19937& random) {
    auto const from = [&](std::int64_t low, std::int64_t high) {
      return low + std::int64_t(random() % unsigned(high - low + 1));
    };
    rows = {.count = std::uint64_t(from(0, 8)), .length = std::uint64_t(from(0, 6))};
    rows.step = from(0, 2) ? 1 : from(-4, 4);
    rows.stride = from(0, 3) ? from(-8, 8) : std::int64_t(rows.length) * rows.step;
    if (from(0, 1)) rows.inner = std::uint64_t(from(1, 5)), rows.outer = from(-16, 16);
    for (std::uint64_t r = 0; r < rows.count; ++r) {
      starts.push_back(from(-10, 20));
      lengths.push_back(from(0, std::int64_t(rows.length)));
    }
    if (from(0, 3) == 0) rows.starts = starts.data();
    if (from(0, 3) == 0) rows.lengths = lengths.data();
  }
  random_layout(random_layout const&) = delete;
};

template <class F>
void for_elements(row_layout const& all, F f) {
  for (std::uint64_t r = 0; r < all.count; ++r)
    for (std::uint64_t i = 0; i < all.size(r); ++i) f(r, all.begin(r) + std::int64_t(i) * all.step);
}

TEST(row_checks, find_an_element_that_two_rows_have_just_where_there_is_one) {
  std::mt19937 random(1);
  int with = 0, without = 0;
  for (int turn = 0; turn < 40'000; ++turn) {
    random_layout const x(random);
    std::map<std::int64_t, std::vector<std::uint64_t>> rows_with;
    bool shared = false;
    for_elements(x.rows, [&](std::uint64_t r, std::int64_t e) {
      rows_with[e].push_back(r);
      shared = shared || rows_with[e].size() > 1;
    });
    auto const found = detail::find_shared(x.rows);
    ASSERT_EQ(found.has_value(), shared) << turn;
    shared ? ++with : ++without;
    if (!found) continue;
    auto const& rows = rows_with[found->element];
    ASSERT_LE(found->row, found->other);
    ASSERT_EQ(std::ranges::count(rows, found->row) + std::ranges::count(rows, found->other),
              found->row == found->other ? 2 * std::ranges::count(rows, found->row) : 2);
    ASSERT_GE(std::ranges::count(rows, found->row), found->row == found->other ? 2 : 1);
  }
  EXPECT_GT(with, 5'000);
  EXPECT_GT(without, 5'000);
}

std::set<std::intptr_t> bytes_of(detail::rows_in_memory const& all) {
  std::set<std::intptr_t> found;
  for_elements(all.rows, [&](std::uint64_t, std::int64_t e) {
    for (std::size_t b = 0; b < all.bytes; ++b)
      found.insert(std::intptr_t(all.data) + e * std::int64_t(all.bytes) + std::int64_t(b));
  });
  return found;
}
bool have_common_bytes(detail::rows_in_memory const& a, detail::rows_in_memory const& b) {
  auto const of_a = bytes_of(a), of_b = bytes_of(b);
  return std::ranges::any_of(of_a, [&](std::intptr_t byte) { return of_b.contains(byte); });
}

alignas(8) std::byte memory[1000];

TEST(row_checks, know_rows_to_be_apart_only_where_they_have_no_byte_in_common) {
  std::mt19937 random(2);
  int apart = 0, common = 0, unknown = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    random_layout const x(random), y(random);
    auto const place = [&](row_layout const& rows) {
      std::size_t const bytes = std::size_t(1) << random() % 4;
      return detail::rows_in_memory{rows, memory + 400 + random() % 20 * bytes, bytes};
    };
    auto const a = place(x.rows), b = place(y.rows);
    bool const shared = have_common_bytes(a, b), known = detail::known_apart(a, b);
    ASSERT_FALSE(known && shared) << turn;
    if (x.rows.step == 1 && y.rows.step == 1) {
      ASSERT_EQ(known, !shared) << turn;
    }
    shared ? ++common : known ? ++apart : ++unknown;
  }
  EXPECT_GT(common, 2'000);
  EXPECT_GT(apart, 2'000);
  EXPECT_LT(unknown, apart / 10);
}

TEST(row_checks, know_segments_to_be_apart_just_where_they_are) {
  std::mt19937 random(3);
  std::span<std::int16_t const> const x(reinterpret_cast<std::int16_t const*>(memory), 30);
  std::array<int, 2> times = {};
  for (int turn = 0; turn < 2'000; ++turn) {
    numbers offsets = {std::int64_t(random() % 8)};
    while (offsets.size() < 2 + turn % 5u) offsets.push_back(offsets.back() + random() % 4);
    segments const all{x, offsets};
    EXPECT_FALSE(detail::find_shared(all));
    row_layout const other{.count = random() % 3, .length = random() % 3 + 1, .stride = 5};
    detail::rows_in_memory const a = detail::in_memory<std::int16_t const>(all),
                                 b = {other, x.data() + random() % 24, 2};
    bool const shared = have_common_bytes(a, b);
    ASSERT_EQ(detail::known_apart(a, b), !shared) << turn;
    ASSERT_EQ(detail::known_apart(b, a), !shared) << turn;
    ++times[shared];
  }
  EXPECT_GT(std::ranges::min(times), 200);
}

TEST(row_checks, know_what_is_interleaved_to_be_apart) {
  auto const apart = [](rows<float const> const& a, rows<float const> const& b) {
    EXPECT_FALSE(have_common_bytes(detail::in_memory(a), detail::in_memory(b)));
    return detail::known_apart(detail::in_memory(a), detail::in_memory(b));
  };
  auto const* const x = reinterpret_cast<float const*>(memory);
  row_layout const member{.count = 1, .length = 20, .step = 4};  // of structs of four
  EXPECT_TRUE(apart({x, member}, {x + 3, member}));
  EXPECT_TRUE(apart(columns{x, 10, 3, 8}, columns{x + 3, 10, 5, 8}));  // left and right
  EXPECT_TRUE(apart(rows{x, 5, 8, 16}, rows{x + 8, 5, 8, 16}));        // even and odd
  row_layout const other{.count = 1, .length = 12, .step = 6};
  EXPECT_TRUE(apart({x, member}, {x + 1, other}));
  std::array<std::uint64_t, 3> const shape = {2, 3, 4};
  EXPECT_TRUE(apart(along{x, shape, 1}, {x + 24, along{x, shape, 0}}));
  numbers const starts = {40, 0, 20};
  EXPECT_TRUE(apart({x, 3, 10, 0, starts.data()}, {x + 10, 3, 10, 20}));
}

// What a scan says of its output, to which `in` has nothing to say.
std::string said_of(rows<float> const& out) {
  std::vector<double> const in(out.count * out.length);
  return failure_of(
      [&] { inclusive_scan(cpu{}, rows{in.data(), out.count, out.length}, out, sum{}); });
}

TEST(row_checks, name_two_rows_of_an_output_that_overlap) {
  std::vector<float> x(100);
  auto* const to = x.data();
  std::string const overlap = "inclusive_scan: rows of out overlap: ";
  EXPECT_EQ(said_of({to, 3, 4, 3}), overlap + "row 0 and row 1 both have element 3");
  EXPECT_EQ(said_of({to, 3, 4, 0}), overlap + "row 0 and row 1 both have element 0");
  EXPECT_EQ(said_of({to, {.count = 2, .length = 4, .stride = 9, .step = 0}}),
            overlap + "row 0 has element 0 more than once");
  EXPECT_EQ(said_of(columns{to, 4, 3, 2}), overlap + "row 0 and row 2 both have element 2");
  EXPECT_EQ(said_of({to, {.count = 4, .length = 3, .stride = 3, .inner = 2, .outer = 5}}),
            overlap + "row 1 and row 2 both have element 5");
  numbers const starts = {20, 0, 17};
  EXPECT_EQ(said_of({to, 3, 4, 0, starts.data()}),
            overlap + "row 0 and row 2 both have element 20");
  EXPECT_EQ(said_of({to, 3, 3, 0, starts.data()}), "nothing was thrown");
  EXPECT_EQ(said_of({to, 1, 4, 0}), "nothing was thrown");
  EXPECT_EQ(said_of({to, 9, 0, 0}), "nothing was thrown");
}

TEST(row_checks, let_rows_be_scanned_where_they_are_or_apart) {
  std::vector<double> x(100);
  std::vector<float> narrow(100);
  std::string const overlaps = "exclusive_scan: out overlaps in without being the same rows";
  auto const said = [](auto const& in, auto const& out) {
    return failure_of([&] { exclusive_scan(cpu{}, in, out, sum{}); });
  };
  rows const all{x.data(), 4, 10, 20};
  EXPECT_EQ(said(all, all), "nothing was thrown");
  EXPECT_EQ(said(all, (rows{x.data() + 10, 4, 10, 20})), "nothing was thrown");
  EXPECT_EQ(said(all, (rows{x.data() + 9, 4, 10, 20})), overlaps);
  EXPECT_EQ(said(all, (rows{x.data() + 20, 4, 10, 20})), overlaps);
  EXPECT_EQ(said(all, (rows{x.data(), 4, 10, 21})), overlaps);
  EXPECT_EQ(said(all, (rows{x.data(), {.count = 4, .length = 10, .stride = 20, .step = 2}})),
            overlaps);
  EXPECT_EQ(said((rows{x.data(), 5, 5}), (columns{x.data(), 5, 5})), overlaps);
  EXPECT_EQ(said(all, (rows{reinterpret_cast<float*>(x.data()), 4, 10, 20})), overlaps);
  EXPECT_EQ(said((rows{x.data(), 4, 10, 0}), (rows{x.data() + 10, 4, 10})), "nothing was thrown");
  std::array<std::uint64_t, 2> const shape = {4, 10};
  EXPECT_EQ(said((rows{x.data(), 4, 10}), (along{x.data(), shape, 1})), "nothing was thrown");
}

// What is said of results that lie where rows of `x` or their offsets do, wherever calls run.
template <class Where>
void expect_places_of_their_own(Where const& where) {
  std::vector<double> x(100), apart(100);
  std::vector<std::int64_t> at(100), offsets = {0, 4, 9};
  std::vector<std::uint64_t> counts(4);
  rows const all{x.data(), 4, 10, 20};
  segments const parts{x, offsets};
  std::span const row(x.data() + 25, 12), within(x.data() + 5, 12), values(apart.data(), 12);
  std::span const indices(at.data(), 12);
  std::string const nothing = "nothing was thrown";
  auto const reduced = [&](auto const& in, auto const& out) {
    return failure_of([&] { reduce_into(where, in, out, maximum{}); });
  };
  EXPECT_EQ(reduced(all, row.first(4)), "reduce_into: out overlaps in");
  if (std::is_same_v<Where, cpu>) {
    EXPECT_EQ(reduced(all, (rows{x.data() + 10, 4, 1, 20})), nothing);
  }
  EXPECT_EQ(reduced(all, (rows{x.data() + 9, 4, 1, 20})), "reduce_into: out overlaps in");
  EXPECT_EQ(reduced(parts, within.first(2)), "reduce_into: out overlaps in");
  EXPECT_EQ(failure_of([&] {
              reduce_into(where, parts,
                          std::span(reinterpret_cast<std::uint64_t*>(offsets.data()), 2),
                          count_nonzero{});
            }),
            "reduce_into: out overlaps what tells of the rows of in");
  auto const selected = [&](auto const& best, auto const& where_they_are, auto* each) {
    return failure_of([&] { top_k_into(where, all, 3, best, where_they_are, each); });
  };
  auto* const none = static_cast<std::uint64_t*>(nullptr);
  if (std::is_same_v<Where, cpu>) {
    EXPECT_EQ(selected(values, indices, counts.data()), nothing);
  }
  EXPECT_EQ(selected(row, indices, none), "top_k_into: values overlaps in");
  EXPECT_EQ(
      selected(values, std::span(reinterpret_cast<std::int64_t*>(apart.data()) + 11, 12), none),
      "top_k_into: indices overlaps values");
  EXPECT_EQ(selected(values, indices, reinterpret_cast<std::uint64_t*>(at.data() + 3)),
            "top_k_into: counts overlaps indices");
  EXPECT_EQ(failure_of([&] { top_k_into(where, with_payload(all, x), 3, values, row, none); }),
            "top_k_into: chosen overlaps in");
  EXPECT_EQ(failure_of([&] { kth_value_into(where, all, 1, row, indices); }),
            "kth_value_into: values overlaps in");
  EXPECT_EQ(failure_of([&] { quantile_into(where, all, std::span(apart).first(2), row); }),
            "quantile_into: out overlaps in");
  EXPECT_EQ(failure_of([&] { quantile_into(where, parts, std::span(apart).first(2), within); }),
            "quantile_into: out overlaps in");
}

TEST(row_checks, refuse_results_where_something_is_read) {
  expect_places_of_their_own(cpu{});
  support::host_memory memory;
  auto const there = support::gpu_with(memory);
  expect_places_of_their_own(there);
}

TEST(row_checks, ask_for_as_many_results_in_a_row_as_it_has_elements) {
  std::vector<float> const x(10);
  std::vector<float> out(10);
  numbers const offsets = {0, 4, 10}, others = {0, 5, 10};
  inclusive_scan(cpu{}, segments{x, offsets}, segments{out, offsets}, sum{});
  EXPECT_EQ(failure_of(
                [&] { inclusive_scan(cpu{}, segments{x, offsets}, segments{out, others}, sum{}); }),
            "inclusive_scan: row 0 of out has 5 elements, that of in 4");
  // Rows that would overlap, were they as long as they may be.
  inclusive_scan(cpu{}, segments{x, offsets}, rows{out.data(), 2, 10, 4}, sum{});
  EXPECT_EQ(failure_of([&] {
              inclusive_scan(cpu{}, segments{x, offsets}, rows{out.data(), 2, 10, 3}, sum{});
            }),
            "inclusive_scan: rows of out overlap: row 0 and row 1 both have element 3");
  numbers const shorter_last = {0, 6, 10};
  EXPECT_EQ(failure_of([&] {
              inclusive_scan(cpu{}, segments{x, shorter_last}, rows{out.data(), 2, 10, 5}, sum{});
            }),
            "inclusive_scan: rows of out overlap: row 0 and row 1 both have element 5");
}

// What each call of rows says of them.
template <class Rows>
void expect_all_say(Rows const& all, std::string const& what) {
  auto const count = std::size_t(all.count);
  std::vector<float> values(3 * count);
  numbers at(3 * count);
  double const q = 0.5;
  EXPECT_EQ(failure_of([&] { top_k(cpu{}, all, 3); }), "top_k: " + what);
  EXPECT_EQ(failure_of([&] { top_k_into(cpu{}, all, 3, values, at, nullptr); }),
            "top_k_into: " + what);
  std::vector<std::int16_t> chosen(3 * count), payload(100);
  EXPECT_EQ(failure_of(
                [&] { top_k_into(cpu{}, with_payload(all, payload), 3, values, chosen, nullptr); }),
            "top_k_into: " + what);
  EXPECT_EQ(failure_of([&] { kth_value(cpu{}, all, 1); }), "kth_value: " + what);
  EXPECT_EQ(failure_of([&] { kth_value_into(cpu{}, all, 1, values, at); }),
            "kth_value_into: " + what);
  EXPECT_EQ(failure_of([&] { quantile(cpu{}, all, q); }), "quantile: " + what);
  EXPECT_EQ(failure_of([&] { quantile_into(cpu{}, all, std::span(&q, 1), values); }),
            "quantile_into: " + what);
  std::vector<float> out(all.count * all.length);
  rows const to{out.data(), all.count, all.length};
  EXPECT_EQ(failure_of([&] { inclusive_scan(cpu{}, all, to, sum{}); }), "inclusive_scan: " + what);
}

TEST(row_checks, see_that_offsets_ascend_within_the_array) {
  std::vector<float> const x(10);
  numbers const descend = {0, 2, 9, 7, 10}, beyond = {0, 2, 3, 4, 12}, before = {-1, 2},
                beyond_first = {11, 12}, far = {0, 1, 6};
  expect_all_say(segments{x, descend}, "offsets[3] = 7 is less than offsets[2] = 9");
  expect_all_say(segments{x, beyond}, "offsets[4] = 12 of an array of 10 elements");
  expect_all_say(segments{x, before}, "offsets[0] = -1 of an array of 10 elements");
  expect_all_say(segments{x, beyond_first}, "offsets[0] = 11 of an array of 10 elements");
  expect_all_say(segments{x, far, 4}, "offsets[2] = 6 is more than 4 behind offsets[1] = 1");
  numbers const right = {0, 0, 4, 10, 10}, none = {5}, nothing = {};
  EXPECT_EQ(top_k(cpu{}, segments{x, right, 6}, 1).counts.size(), 4u);
  EXPECT_EQ(top_k(cpu{}, segments{x, none}, 1).counts.size(), 0u);
  EXPECT_EQ(top_k(cpu{}, segments{x, nothing}, 1).counts.size(), 0u);
}

TEST(row_checks, see_that_lengths_are_from_none_to_the_longest) {
  std::vector<float> const x(20);
  numbers const negative = {3, -1}, long_one = {3, 4}, from = {1, 9}, to = {4, 7};
  auto const least = std::numeric_limits<std::int64_t>::min();
  numbers const least_one = {least, 0};
  auto const of = [&](numbers const& lengths) {
    return rows{x.data(), 2, 3, 10, nullptr, lengths.data()};
  };
  expect_all_say(of(negative), "lengths[1] = -1 is not from 0 to 3");
  expect_all_say(of(long_one), "lengths[1] = 4 is not from 0 to 3");
  expect_all_say(of(least_one), "lengths[0] = " + std::to_string(least) + " is not from 0 to 3");
  auto both = of(to);
  both.lengths_from = from.data();
  expect_all_say(both, "lengths[1] - lengths_from[1] = -2 is not from 0 to 3");
}

TEST(row_checks, see_that_what_tells_of_rows_is_aligned) {
  std::vector<float> const x(20);
  numbers const some(4);
  auto const* const odd =
      reinterpret_cast<std::int64_t const*>(reinterpret_cast<std::byte const*>(some.data()) + 4);
  auto const unaligned = [&](std::string const& argument) {
    std::ostringstream text;
    text << argument << " = " << odd << " is not aligned to its elements of 8 bytes";
    return text.str();
  };
  row_layout const two{.count = 2, .length = 3, .stride = 3};
  auto starts = two, lengths = two, from = two;
  starts.starts = odd, lengths.lengths = odd, from.lengths = some.data(), from.lengths_from = odd;
  expect_all_say(rows<float const>{x.data(), starts}, unaligned("starts"));
  expect_all_say(rows<float const>{x.data(), lengths}, unaligned("lengths"));
  expect_all_say(rows<float const>{x.data(), from}, unaligned("lengths_from"));
  expect_all_say(segments{x, std::span(odd, 3)}, unaligned("offsets"));
  rows const all{x.data(), 2, 3};
  EXPECT_EQ(failure_of([&] { top_k(cpu{}, all, k_of_rows{odd, 3}); }), unaligned("top_k: k"));
  std::vector<float> values(6);
  numbers at(6);
  auto* const counts = reinterpret_cast<std::uint64_t*>(const_cast<std::int64_t*>(odd));
  EXPECT_EQ(failure_of([&] { top_k_into(cpu{}, all, 3, values, at, counts); }),
            unaligned("top_k_into: counts"));
  EXPECT_EQ(failure_of([&] { top_k_into(cpu{}, all, k_of_rows{odd, 3}, values, at, nullptr); }),
            unaligned("top_k_into: k"));
}

}  // namespace
}  // namespace tally
