// SPDX-License-Identifier: Apache-2.0
//
// Arrays as the bytes that ranks tell each other: as they are in memory, since the ranks are one
// program.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "tally/nodes/all_gather.hpp"

namespace tally::detail {

template <class T>
std::vector<std::byte> bytes_of_values(std::span<T const> x) {
  auto const bytes = std::as_bytes(x);
  return {bytes.begin(), bytes.end()};
}
template <class T>
std::vector<std::byte> bytes_of_values(std::vector<T> const& x) {
  return bytes_of_values(std::span<T const>(x));
}
template <class T>
std::vector<T> values_in(std::span<std::byte const> bytes) {
  std::vector<T> x(bytes.size() / sizeof(T));
  if (!x.empty()) std::memcpy(x.data(), bytes.data(), bytes.size());
  return x;
}

// The numbers that f() returns, a vector, on each rank.
template <class F>
std::vector<std::vector<std::uint64_t>> numbers_of_ranks(communicator& ranks, F const& f) {
  auto const told = all_gather_result(ranks, [&] { return bytes_of_values<std::uint64_t>(f()); });
  std::vector<std::vector<std::uint64_t>> all;
  for (auto const& bytes : told) all.push_back(values_in<std::uint64_t>(bytes));
  return all;
}

}  // namespace tally::detail
