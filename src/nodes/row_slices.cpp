// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/row_slices.hpp"

#include "tally/compiled.hpp"
#include "tally/cpu/rows.hpp"
#include "tally/nodes/quantile.hpp"

namespace tally::detail {
namespace {

// Rows up to so many elements are told to all, so many elements at once.
constexpr std::uint64_t long_row = std::uint64_t(1) << 16, at_once = std::uint64_t(1) << 20;

// Rows [begin, end), whole.
template <class T>
packed_elements<T> gather_rows(communicator& ranks, rows_of_ranks<T> const& all,
                               std::uint64_t begin, std::uint64_t end) {
  auto const told = all_gather_result(ranks, [&] {
    std::vector<one<T>> mine;
    for (std::uint64_t r = begin; r < end; ++r) {
      row_here row(all.mine, r, all.mine.size(r));
      row.read();
      for (T const x : row.elements()) mine.push_back({x});
    }
    return bytes_of_values(mine);
  });
  packed_elements<T> whole;
  std::vector<std::size_t> at(told.size());
  for (std::uint64_t r = begin; r < end; ++r) {
    auto* to = reinterpret_cast<std::byte*>(whole.add(all.size(r)).data());
    for (std::size_t i = 0; i < told.size(); ++i) {
      auto const bytes = std::size_t(all.sizes[i][std::size_t(r)]) * sizeof(T);
      to = std::copy_n(told[i].begin() + std::ptrdiff_t(at[i]), bytes, to);
      at[i] += bytes;
    }
  }
  return whole;
}

// Calls whole(first row, rows) for those that are told to all, and apart(row number, this rank's
// slice) for each of the others.
template <class T, class Whole, class Apart>
void for_rows_of_ranks(communicator& ranks, rows_of_ranks<T> const& all, Whole const& whole,
                       Apart const& apart) {
  for (std::uint64_t r = 0; r < all.mine.count;) {
    if (all.size(r) > long_row) {
      row_here row(all.mine, r, all.mine.size(r));
      row.read();
      apart(r++, slice_here<T>{all.cores, row.elements(), {}});
      continue;
    }
    auto const begin = r;
    std::uint64_t size = 0;
    while (r < all.mine.count && all.size(r) <= long_row && size + all.size(r) <= at_once)
      size += all.size(r++);
    auto const gathered = gather_rows(ranks, all, begin, r);
    whole(begin, gathered.all());
  }
}

}  // namespace

template <class T>
void kth_of_rows_of_ranks(communicator& ranks, rows_of_ranks<T> const& all, std::uint64_t k,
                          T* values, std::int64_t* indices, kth_value_options const& options) {
  for_rows_of_ranks(
      ranks, all,
      [&](std::uint64_t first, rows<T const> const& rows) {
        kth_values_compiled(all.cores, rows, k, values + first, indices + first, options);
      },
      [&](std::uint64_t r, slice_here<T> const& mine) {
        kth_value_result<T> found{missing<T>(), -1};
        if (k <= all.size(r)) found = kth_of_ranks(ranks, mine, all.size(r), k, options);
        values[r] = found.value, indices[r] = found.index;
      });
}

template <class T, class Out>
void quantiles_of_rows_of_ranks(communicator& ranks, rows_of_ranks<T> const& all,
                                quantile_places const& qs, Out* out,
                                quantile_options const& options) {
  for_rows_of_ranks(
      ranks, all,
      [&](std::uint64_t first, rows<T const> const& rows) {
        quantiles_compiled(all.cores, rows, qs, out + first * qs.size(), options);
      },
      [&](std::uint64_t r, slice_here<T> const& mine) {
        quantiles_of_ranks(ranks, mine, all.size(r), qs, out + r * qs.size(), options);
      });
}

#define X(O, T)                                                                                 \
  template void kth_of_rows_of_ranks(communicator&, rows_of_ranks<T> const&, std::uint64_t, T*, \
                                     std::int64_t*, kth_value_options const&);
TALLY_EACH_element(X, quantile)
#undef X
#define X(O, T)                                                                    \
  template void quantiles_of_rows_of_ranks(communicator&, rows_of_ranks<T> const&, \
                                           quantile_places const&, O<T>*,          \
                                           quantile_options const&);
    TALLY_EACH_element(X, quantile_of) TALLY_EACH_integer(X, std::type_identity_t)
#undef X

}  // namespace tally::detail
