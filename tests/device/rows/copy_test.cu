// SPDX-License-Identifier: Apache-2.0
#include "tally/device/rows/copy.cuh"

#include "support/device_scan.cuh"
#include "support/device_top_k.cuh"
#include "tally/device/rows/arena.hpp"

namespace {

using namespace support;

TEST(arena, hands_out_pieces_from_aligned_addresses_and_counts_them) {
  tally::device::arena counted;
  EXPECT_EQ(counted.take<std::uint64_t>(0), nullptr);
  counted.take<char>(1), counted.take<std::uint32_t>(5);
  EXPECT_EQ(counted.used(), 16u + 32u);
  alignas(16) std::byte memory[64];
  tally::device::arena real(memory);
  EXPECT_EQ(static_cast<void*>(real.take<char>(17)), static_cast<void*>(memory));
  EXPECT_EQ(static_cast<void*>(real.take<double>(1)), static_cast<void*>(memory + 32));
}

// Elements of rows of that layout, in so many words of memory, each its own address.
template <class Word>
void expect_copies(tally::row_layout const& rows, std::size_t words, std::int64_t first,
                   std::vector<std::int64_t> const& lengths = {}) {
  auto layout = rows;
  tally::device_array<std::int64_t> const lengths_there{std::span(lengths)};
  if (!lengths.empty()) layout.lengths = lengths_there.data();
  auto const size = [&](std::uint64_t r) {
    return lengths.empty() ? rows.length : std::uint64_t(lengths[r]);
  };
  std::vector<Word> all(words);
  for (std::size_t i = 0; i < words; ++i) all[i] = Word(i * 2654435761u + 1);
  tally::device_array<Word> const there(all);
  tally::device_array<Word> together(rows.count * rows.length + 2), back(words);
  together.fill_bytes(0xa5), back.fill_bytes(0xa5);
  test_call call(1);
  using tally::device::copies;
  tally::detail::copy_rows_on_gpu<copies::together>(call, layout, there.data() + first,
                                                    together.data() + 1);
  tally::detail::copy_rows_on_gpu<copies::apart>(call, layout, back.data() + first,
                                                 together.data() + 1);
  tally::check(cudaDeviceSynchronize());
  auto const found = together.to_host(), returned = back.to_host();
  Word poison;
  memset(&poison, 0xa5, sizeof poison);
  std::vector<Word> expected(found.size(), poison), expected_back(words, poison);
  for (std::uint64_t r = 0; r < rows.count; ++r)
    for (std::uint64_t i = 0; i < size(r); ++i) {
      auto const at = std::size_t(first + rows.begin(r) + std::int64_t(i) * rows.step);
      expected[1 + r * rows.length + i] = all[at], expected_back[at] = all[at];
    }
  EXPECT_EQ(found, expected) << rows.count << " rows of " << rows.length;
  EXPECT_EQ(returned, expected_back) << rows.count << " rows of " << rows.length;
}

TEST(rows_that_are_apart, are_put_side_by_side_and_back) {
  for (auto [rows, columns] : {std::pair{1, 1}, {3, 5}, {32, 32}, {33, 31}, {100, 65}, {7, 300}}) {
    auto const words = std::size_t(rows * columns);
    tally::row_layout const all{.count = std::uint64_t(columns),
                                .length = std::uint64_t(rows),
                                .stride = 1,
                                .step = columns};
    expect_copies<std::uint8_t>(all, words, 0);
    expect_copies<std::uint32_t>(all, words, 0);
    expect_copies<std::uint64_t>(all, words, 0);
  }
  // Two groups of three lines; from the last element to the first; of lengths of their own.
  expect_copies<std::uint16_t>(
      {.count = 6, .length = 40, .stride = 1, .step = 3, .inner = 3, .outer = 120}, 240, 0);
  expect_copies<std::uint32_t>({.count = 5, .length = 9, .stride = -20, .step = -2}, 100, 99);
  expect_copies<std::uint32_t>({.count = 3, .length = 40, .stride = 1, .step = 3}, 120, 0,
                               {40, 0, 33});
}

template <class T>
void expect_columns(std::uint64_t length, std::uint64_t count, std::uint64_t k) {
  std::vector<T> in(length * count);
  std::mt19937_64 random(length);
  for (auto& x : in) x = T(random() % 97);
  test_rows rows{count, length, 1};
  rows.step = std::int64_t(count);
  for (bool distinct : {false, true}) {
    test_call call(1);
    expect_top_k(call, in, rows, k, {.distinct = distinct}, "columns");
  }
}
TEST(rows_that_are_apart, are_selected_from) {
  expect_columns<float>(50, 20, 5);
  expect_columns<std::uint16_t>(700, 13, 40);
  expect_columns<double>(20'000, 2, 300);
}

// Columns to rows, rows to columns and back, and rows of lengths of their own.
TEST(rows_that_are_apart, are_scanned_also_of_lengths_of_their_own) {
  constexpr std::uint64_t count = 37, most = 2 * 640 + 11;
  std::vector<std::int32_t> in(count * most);
  std::mt19937_64 random(5);
  for (auto& x : in) x = std::int32_t(random());
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> starts, ends;
  for (std::uint64_t r = 0; r < count; ++r) {
    lengths.push_back(std::int64_t(r * 97 % (most + 1)));
    starts.push_back(std::int64_t(r * 31)), ends.push_back(starts[r] + lengths[r]);
  }
  tally::device_array<std::int64_t> const starts_there(starts), ends_there(ends);
  tally::row_layout const together{.count = count, .length = most, .stride = most},
      apart{.count = count, .length = most, .stride = 1, .step = count};
  tally::device_array<std::int32_t> const data(in);
  for (bool in_apart : {false, true})
    for (bool out_apart : {false, true})
      for (bool own : {false, true}) {
        auto from = in_apart ? apart : together;
        auto const to = out_apart ? apart : together;
        if (own) from.lengths = ends_there.data(), from.lengths_from = starts_there.data();
        std::vector<std::int32_t> expected(in.size(), 7), totals(count);
        for (std::uint64_t r = 0; r < count; ++r)
          for (std::uint64_t i = 0; i < (own ? std::uint64_t(lengths[r]) : most); ++i) {
            totals[r] =
                std::int32_t(std::uint32_t(totals[r]) +
                             std::uint32_t(in[from.begin(r) + std::int64_t(i) * from.step]));
            expected[std::size_t(to.begin(r) + std::int64_t(i) * to.step)] = totals[r];
          }
        tally::device_array<std::int32_t> const out(std::vector<std::int32_t>(in.size(), 7)),
            sums(std::vector<std::int32_t>(count, 7));
        test_call call(2);
        tally::detail::scan_rows_on_gpu(
            call, tally::integer_running_sum<std::int32_t, std::int32_t>{}, tally::propagate,
            tally::array_input<std::int32_t>{data.data(), in.size()}, from, out.data(), to,
            tally::detail::gpu_scan<std::int32_t>{false, false, {}, sums.data()});
        tally::check(cudaDeviceSynchronize());
        EXPECT_EQ(out.to_host(), expected) << in_apart << out_apart << own;
        EXPECT_EQ(sums.to_host(), totals) << in_apart << out_apart << own;
      }
}

}  // namespace
