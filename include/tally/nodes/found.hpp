// SPDX-License-Identifier: Apache-2.0
//
// What ranks have selected, each from its slice, put together.
#pragma once

#include <vector>

#include "tally/nodes/told.hpp"
#include "tally/options.hpp"
#include "tally/rows.hpp"
#include "tally/types.hpp"

namespace tally::detail {

// Elements of a slice of n, by indices in it, as bytes for the other ranks.
template <class T>
std::vector<std::byte> bytes_of_found(top_k_result<T> const& found, std::uint64_t n) {
  auto bytes = bytes_of_values(std::span<std::uint64_t const>(&n, 1));
  for (auto const& part : {bytes_of_values(found.indices), bytes_of_values(found.values)})
    bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

// The type that stands for a T in results.
template <class T>
using value_in = typename values_of<T>::value_type;

// What all have told of what they have found.
template <class T>
struct found_by_ranks {
  std::vector<std::uint64_t> starts{0};  // of the slices in the array; then its end
  std::vector<top_k_result<T>> found;    // by indices in the array

  explicit found_by_ranks(bytes_of_ranks const& told) {
    for (auto const& bytes : told) add(bytes);
  }
  std::uint64_t size() const { return starts.back(); }

 private:
  void add(std::span<std::byte const> bytes) {
    auto const n = values_in<std::uint64_t>(bytes.first(8))[0];
    bytes = bytes.subspan(8);
    auto const count = bytes.size() / (sizeof(std::int64_t) + sizeof(T));
    auto& one = found.emplace_back();
    one.indices = values_in<std::int64_t>(bytes.first(8 * count));
    one.values = values_in<value_in<T>>(bytes.subspan(8 * count));
    for (auto& at : one.indices) at += std::int64_t(starts.back());
    starts.push_back(starts.back() + n);
  }
};

// The k best of what each rank has found, which comes best first, in the options' order.
// src/nodes/found.cpp has the instances.
template <class T>
top_k_result<T> best_of_found(std::vector<top_k_result<T>> found, std::uint64_t k,
                              top_k_options const& options);
// All of it, one rank's behind the other's.
template <class T>
top_k_result<T> joined(std::vector<top_k_result<T>> const& found) {
  top_k_result<T> all;
  for (auto const& one : found) {
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.indices.insert(all.indices.end(), one.indices.begin(), one.indices.end());
  }
  return all;
}

// The same of rows, `most` places each, of which every rank has a slice.
template <class T>
std::vector<std::byte> bytes_of_found_rows(top_k_rows_result<T> const& found, std::uint64_t most) {
  auto bytes = bytes_of_values(found.counts);
  for (std::size_t r = 0; r < found.counts.size(); ++r) {
    auto const at = r * std::size_t(most), n = std::size_t(found.counts[r]);
    auto const indices = bytes_of_values(std::span(found.indices).subspan(at, n));
    auto const values = bytes_of_values(std::span(found.values).subspan(at, n));
    bytes.insert(bytes.end(), indices.begin(), indices.end());
    bytes.insert(bytes.end(), values.begin(), values.end());
  }
  return bytes;
}
// `sizes` are those of the rows on each rank.
template <class T>
top_k_rows_result<T> best_of_found_rows(bytes_of_ranks const& told,
                                        std::vector<std::vector<std::uint64_t>> const& sizes,
                                        k_of_rows const& k, top_k_options const& options);

}  // namespace tally::detail
