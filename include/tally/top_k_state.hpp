// SPDX-License-Identifier: Apache-2.0
//
// What a selection knows of some elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tally/options.hpp"
#include "tally/saved.hpp"

namespace tally {

// The k best of some elements of an array, or all of them where there are fewer, by ascending
// index: what a selector (cpu/selections.hpp) of other elements takes over, here or elsewhere. As
// bytes (saved.hpp): k; bytes for the order (0: largest), for whether the result is sorted and
// distinct, and for NaNs (1: skipped); the index of the next element, how many were seen, how many
// are kept; their values, and their indices. Numbers without a width here are of 64 bits.
template <class T>
struct top_k_state {
  std::uint64_t k = 0;
  top_k_options options;
  std::uint64_t next = 0, count = 0;
  top_k_result<T> best;

  std::vector<std::byte> serialise() const { return detail::bytes_of_state(*this); }
  static top_k_state deserialise(std::span<std::byte const> bytes) {
    top_k_state s;
    detail::read_all_of_state(s, bytes);
    return s;
  }

  void write(byte_writer& out) const {
    detail::write_head<T>(out, detail::saved::selection, "top_k");
    out.put(k);
    out.put(std::uint8_t(options.order));
    out.put(options.sorted), out.put(options.distinct);
    out.put(std::uint8_t(options.nan));
    out.put(next), out.put(count);
    out.put(std::uint64_t(best.indices.size()));
    for (auto const& x : best.values) out.put(T(x));
    for (auto const at : best.indices) out.put(at);
  }
  void read(byte_reader& in) {
    detail::read_head<T>(in, detail::saved::selection, "top_k");
    k = in.get<std::uint64_t>();
    options.order = order(in.get<bool>());
    options.sorted = in.get<bool>(), options.distinct = in.get<bool>();
    options.nan = nan_policy(in.get<bool>());
    next = in.get<std::uint64_t>(), count = in.get<std::uint64_t>();
    if (next >> 63) throw error("state: an index of 2^63 or more");
    auto const size = in.get<std::uint64_t>();
    if (size > k || size > count)
      throw error("state: " + std::to_string(size) + " elements of " + std::to_string(count) +
                  " as the best " + std::to_string(k));
    best = {};
    for (std::uint64_t i = 0; i < size; ++i) best.values.push_back(in.get<T>());
    std::int64_t least = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      auto const at = in.get<std::int64_t>();
      if (at < least || std::uint64_t(at) >= next)
        throw error("state: the indices of the best do not ascend up to the next one");
      best.indices.push_back(at);
      least = at + 1;
    }
  }
};

}  // namespace tally
