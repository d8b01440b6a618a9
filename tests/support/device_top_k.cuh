// SPDX-License-Identifier: Apache-2.0
//
// How a test runs a top-k by kernels, and what the answer must be.
#pragma once

#include <limits>
#include <numeric>

#include "cpu/top_k_oracle.hpp"
#include "support/device_reduce.cuh"
#include "tally/device/top_k/request.hpp"

namespace support {

// Rows of an array, as a row_layout, but all on the host.
struct test_rows {
  std::uint64_t count = 1, length = 0, stride = 0;
  std::vector<std::int64_t> starts = {}, lengths = {}, ks = {};
  std::int64_t step = 1;

  // Where these are copied to a device.
  tally::row_layout layout(std::int64_t const* starts_there,
                           std::int64_t const* lengths_there) const {
    return {.count = count,
            .length = length,
            .stride = std::int64_t(stride),
            .step = step,
            .starts = starts.empty() ? nullptr : starts_there,
            .lengths = lengths.empty() ? nullptr : lengths_there};
  }
  // The elements of a row of `in`.
  template <class T>
  std::vector<T> row(std::vector<T> const& in, std::uint64_t r) const {
    std::vector<T> elements;
    for (std::uint64_t i = 0; i < size(r); ++i)
      elements.push_back(in[std::size_t(std::int64_t(begin(r)) + std::int64_t(i) * step)]);
    return elements;
  }
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

// What a row was selected by: what the kernel has noted, or the only way of its plan.
enum class row_path : unsigned {
  sampled,
  sampled_ties,
  by_digits,
  narrowed,
  narrowed_ties,
  distinct_among_best,
  value_set,
  short_rows,
  warp_rows,
  block_rows
};
inline constexpr unsigned row_paths = 10;
static_assert(unsigned(row_path::short_rows) == tally::detail::top_k_paths);

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
// This and expect_top_k are compiled once, in device_top_k.cu, for every element.
template <class T>
rows_found<T> top_k_on_device(test_call& call, std::vector<T> const& in, test_rows const& rows,
                              std::uint64_t k, tally::top_k_options const& options, int offset = 0,
                              bool short_indices = false,
                              std::vector<std::uint32_t>* paths = nullptr);

template <class T>
void expect_top_k(test_call& call, std::vector<T> const& in, test_rows const& rows, std::uint64_t k,
                  tally::top_k_options const& options, std::string const& what, int offset = 0,
                  bool short_indices = false, std::vector<std::uint32_t>* paths = nullptr);

template <class T>
void expect_top_k(test_call& call, std::vector<T> const& in, std::uint64_t k,
                  tally::top_k_options const& options, std::string const& what, int offset = 0) {
  expect_top_k(call, in, test_rows{1, in.size(), in.size()}, k, options, what, offset);
}

}  // namespace support
