// SPDX-License-Identifier: Apache-2.0
//
// How a test runs a top-k by kernels, and what the answer must be.
#pragma once

#include <limits>
#include <numeric>

#include "cpu/top_k_oracle.hpp"
#include "support/device_reduce.cuh"
#include "tally/device/top_k_array.cuh"

namespace support {

// Rows of an array: as gpu_rows, but on the host.
struct test_rows {
  std::uint64_t count = 1, length = 0, stride = 0;
  std::vector<std::int64_t> starts = {}, lengths = {}, ks = {};

  std::uint64_t begin(std::uint64_t r) const {
    return r * stride + std::uint64_t(starts.empty() ? 0 : starts[r]);
  }
  std::uint64_t size(std::uint64_t r) const {
    return lengths.empty() ? length : std::uint64_t(lengths[r]);
  }
  std::uint64_t k(std::uint64_t r, std::uint64_t most) const {
    return ks.empty() ? most : std::uint64_t(ks[r]);
  }
};

template <class T>
struct rows_found {
  std::vector<T> values;
  std::vector<std::int64_t> indices;
  std::vector<std::uint64_t> counts;
};

template <class T>
T missing_value() {
  if constexpr (tally::floating<T>)
    return tally::from_bits<T>(tally::format<T>::quiet_nan);
  else
    return T(0);
}

// The best of each row of `in`, put `offset` elements behind an aligned address, between canaries.
template <class T>
rows_found<T> top_k_on_device(test_call& call, std::vector<T> const& in, test_rows const& rows,
                              std::uint64_t k, tally::top_k_options const& options, int offset = 0,
                              bool short_indices = false,
                              std::vector<std::uint32_t>* paths = nullptr) {
  using bits = tally::bits_of<T>;
  constexpr std::size_t margin = 4;
  std::size_t const places = rows.count * k;
  tally::device_array<T> data(in.size() + std::size_t(offset));
  put(in, data, offset);
  tally::device_array<bits> values(places + 2 * margin);
  tally::device_array<std::int64_t> indices(places + 2 * margin);
  tally::device_array<std::int32_t> shorts(places + 2 * margin);
  tally::device_array<std::uint64_t> counts(rows.count + 2 * margin);
  tally::device_array<std::int64_t> starts{std::span(rows.starts)},
      lengths{std::span(rows.lengths)}, ks{std::span(rows.ks)};
  tally::device_array<std::uint32_t> taken(tally::detail::top_k_paths);
  taken.fill_bytes(0);
  values.fill_bytes(0xa5), indices.fill_bytes(0xa5), shorts.fill_bytes(0xa5);
  counts.fill_bytes(0xa5);
  auto const order =
      tally::rank_order<bits>::of(std::type_identity<T>{}, options.order == tally::smallest,
                                  tally::floating<T> && options.nan == tally::skip);
  tally::detail::top_k_on_gpu(
      call,
      tally::array_input<bits>{reinterpret_cast<bits const*>(data.data()) + offset, in.size()},
      tally::detail::gpu_rows{rows.count, rows.length, rows.stride,
                              rows.starts.empty() ? nullptr : starts.data(),
                              rows.lengths.empty() ? nullptr : lengths.data()},
      order,
      tally::detail::gpu_selection<bits>{k, rows.ks.empty() ? nullptr : ks.data(), options.sorted,
                                         tally::to_bits(missing_value<T>()), values.data() + margin,
                                         short_indices ? nullptr : indices.data() + margin,
                                         short_indices ? shorts.data() + margin : nullptr,
                                         counts.data() + margin, options.distinct, taken.data()});
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(std::ranges::count(call.sums(), 0u), std::ptrdiff_t(call.sums().size()));

  if (paths) *paths = taken.to_host();
  rows_found<T> found;
  auto const inside = [&](auto const& array, auto& to) {
    auto const all = array.to_host();
    auto const* const bytes = reinterpret_cast<unsigned char const*>(all.data());
    auto const edge = margin * sizeof(all[0]);
    for (std::size_t i = 0; i < edge; ++i)
      EXPECT_TRUE(bytes[i] == 0xa5 && bytes[all.size() * sizeof(all[0]) - 1 - i] == 0xa5);
    for (std::size_t i = margin; i + margin < all.size(); ++i) to.push_back(all[i]);
  };
  std::vector<bits> found_bits;
  inside(values, found_bits), inside(counts, found.counts);
  for (bits const b : found_bits) found.values.push_back(tally::from_bits<T>(b));
  if (short_indices)
    inside(shorts, found.indices);
  else
    inside(indices, found.indices);
  return found;
}

template <class T>
void expect_top_k(test_call& call, std::vector<T> const& in, test_rows const& rows, std::uint64_t k,
                  tally::top_k_options const& options, std::string const& what, int offset = 0,
                  bool short_indices = false, std::vector<std::uint32_t>* paths = nullptr) {
  auto const found = top_k_on_device(call, in, rows, k, options, offset, short_indices, paths);
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    auto const row = std::span(in).subspan(rows.begin(r), rows.size(r));
    auto best = tally::top_k_oracle::ranked<T>(row, options);
    best.resize(std::min<std::uint64_t>(best.size(), rows.k(r, k)));
    if (!options.sorted) std::ranges::sort(best);
    auto const name = what + ", row " + std::to_string(r) + ", k = " + std::to_string(k);
    ASSERT_EQ(found.counts[r], best.size()) << name;
    for (std::uint64_t i = 0; i < k; ++i) {
      bool const there = i < best.size();
      ASSERT_EQ(found.indices[r * k + i], there ? best[i] : -1) << name << ", place " << i;
      ASSERT_EQ(tally::to_bits(found.values[r * k + i]),
                tally::to_bits(there ? row[std::size_t(best[i])] : missing_value<T>()))
          << name << ", place " << i;
    }
  }
}

template <class T>
void expect_top_k(test_call& call, std::vector<T> const& in, std::uint64_t k,
                  tally::top_k_options const& options, std::string const& what, int offset = 0) {
  expect_top_k(call, in, test_rows{1, in.size(), in.size()}, k, options, what, offset);
}

}  // namespace support
