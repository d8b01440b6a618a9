// SPDX-License-Identifier: Apache-2.0
//
// How a test scans rows by kernels, and what each row must be.
#pragma once

#include "support/device_scan.cuh"

namespace support {

// Rows that are scanned, each stride behind the one before, and how their results lie.
struct scan_rows {
  std::uint64_t count, length, stride, out_stride;

  tally::row_layout in() const {
    return {.count = count, .length = length, .stride = std::int64_t(stride)};
  }
  tally::row_layout out() const {
    return {.count = count, .length = length, .stride = std::int64_t(out_stride)};
  }
};

inline std::string text_of(scan_rows const& rows) {
  return std::to_string(rows.count) + " rows of " + std::to_string(rows.length) + " each " +
         std::to_string(rows.stride) + " to " + std::to_string(rows.out_stride);
}

// From the first element to the last: gaps are between rows alone.
inline std::size_t extent(scan_rows const& rows, std::size_t stride) {
  return rows.count == 0 ? 0 : (rows.count - 1) * stride + rows.length;
}

// The row's scan on a device from what memory holds behind it.
template <class R>
scanned<R> row_of(std::vector<R> const& all, std::vector<R> const& totals, std::size_t row,
                  scan_rows const& rows) {
  auto const begin = all.begin() + std::ptrdiff_t(1 + row * rows.out_stride);
  return {std::vector<R>(begin, begin + std::ptrdiff_t(rows.length)), totals[1 + row]};
}

// Nothing was written between rows, nor around them: there are the bytes that were there before.
template <class R>
void expect_gaps(std::vector<R> const& all, std::vector<R> const& before, scan_rows const& rows) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool const is_in_row =
        i > 0 && i <= extent(rows, rows.out_stride) && (i - 1) % rows.out_stride < rows.length;
    if (is_in_row || memcmp(&all[i], &before[i], sizeof(R)) == 0) continue;
    ADD_FAILURE() << text_of(rows) << ": written at " << i;
    return;
  }
}

// All rows of `in` by one launch, between canaries; memory that is read ends with the last row. If
// `in_place`, results take the elements' place.
template <class A>
std::vector<scanned<typename A::result>> scan_rows_on_device(
    A const& a, std::vector<typename A::element> const& in, scan_rows const& rows, test_call& call,
    scan_kind<typename A::result> const& how, bool in_place = false) {
  using T = typename A::element;
  using R = typename A::result;
  std::vector<R> before(extent(rows, rows.out_stride) + 2), poison(rows.count + 2);
  memset(static_cast<void*>(before.data()), 0xa5, before.size() * sizeof(R));
  memset(static_cast<void*>(poison.data()), 0xa5, poison.size() * sizeof(R));
  if constexpr (std::is_same_v<T, R>)
    if (in_place) std::copy(in.begin(), in.end(), before.begin() + 1);
  tally::device_array<T> const data(in);
  tally::device_array<R> const out(before), totals(poison);
  tally::array_input<T> from{data.data(), in.size()};
  if constexpr (std::is_same_v<T, R>)
    if (in_place) from.data = out.data() + 1;
  if (how.blocks > 0)
    scan_in_tiles(call, a, from, rows.in(), rows.out(), out.data() + 1, totals.data() + 1, how);
  else
    tally::detail::scan_rows_on_gpu(
        call, a, how.nan, from, rows.in(), out.data() + 1, rows.out(),
        tally::detail::gpu_scan<R>{how.exclusive, how.reverse, how.init, totals.data() + 1});
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(call.drawn(), 0u);
  auto const all = out.to_host(), all_totals = totals.to_host();
  expect_gaps(all, before, rows);
  for (std::size_t i : {std::size_t(0), all_totals.size() - 1})
    EXPECT_EQ(memcmp(&all_totals[i], &poison[i], sizeof(R)), 0) << text_of(rows);
  std::vector<scanned<R>> got;
  for (std::size_t r = 0; r < rows.count; ++r) got.push_back(row_of(all, all_totals, r, rows));
  return got;
}

template <class T>
std::vector<T> row_in(std::vector<T> const& in, std::size_t row, scan_rows const& rows) {
  auto const begin = in.begin() + std::ptrdiff_t(row * rows.stride);
  return std::vector<T>(begin, begin + std::ptrdiff_t(rows.length));
}

// Each row is what the host makes of it alone.
template <class A>
void expect_rows(A const& a, std::vector<typename A::element> const& values, scan_rows const& rows,
                 test_call& call, scan_kind<typename A::result> const& how, bool in_place = false) {
  std::vector<typename A::element> in(values.begin(),
                                      values.begin() + std::ptrdiff_t(extent(rows, rows.stride)));
  auto const got = scan_rows_on_device(a, in, rows, call, how, in_place);
  for (std::size_t r = 0; r < rows.count; ++r)
    expect_same(got[r], scan_on_host(a, row_in(in, r, rows), how),
                text_of(rows) + ", row " + std::to_string(r) +
                    (how.exclusive ? ", exclusive" : "") + (how.reverse ? ", reverse" : "") +
                    (how.init ? ", init" : ""));
}
template <class A>
void expect_rows_of_every_kind(A const& a, std::vector<typename A::element> const& values,
                               scan_rows const& rows, std::optional<typename A::result> const& init,
                               test_call& call, scan_kind<typename A::result> how = {}) {
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true}) {
      how.exclusive = exclusive, how.reverse = reverse;
      how.init = exclusive == reverse ? init : std::nullopt;
      expect_rows(a, values, rows, call, how);
    }
}

}  // namespace support
