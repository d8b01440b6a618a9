// SPDX-License-Identifier: Apache-2.0
//
// The k best elements and where they are: exactly what a stable sort would put first.
#pragma once

#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

#include "tally/types.hpp"
#include "tally/where.hpp"

namespace tally {

// Which elements are the best.
enum class order : unsigned char { largest, smallest };
inline constexpr order largest = order::largest;
inline constexpr order smallest = order::smallest;

struct top_k_options {
  tally::order order = largest;
  bool sorted = true;     // best first, ties by lower index; otherwise by ascending index
  bool distinct = false;  // different values only, each at its first index
  nan_policy nan = propagate;
  bool operator==(top_k_options const&) const = default;
};

// bool comes back as bytes 0 and 1, because std::vector<bool> is not an array.
template <class T>
struct top_k_result {
  std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> values;
  std::vector<std::int64_t> indices;
};

// The k best elements of `in`, copied bit for bit, for k from 0 to in.size(). Ties go to the lower
// index. All NaNs are equal, and larger than +inf; -0.0 equals +0.0. Skipped NaNs and `distinct`
// can leave fewer than k. Extra memory: at most 15 % of the input's bytes, and about a megabyte a
// thread.
template <element T>
top_k_result<T> top_k(cpu where, std::span<T const> in, std::uint64_t k,
                      top_k_options options = {});

// The same, into the front of `values` and `indices`, which have room for k and are apart from
// `in`; returns how many.
template <element T>
std::uint64_t top_k_into(cpu where, std::type_identity_t<std::span<T const>> in, std::uint64_t k,
                         std::span<T> values, std::span<std::int64_t> indices,
                         top_k_options options = {});

template <std::ranges::contiguous_range Range>
  requires element<std::ranges::range_value_t<Range>>
auto top_k(cpu where, Range const& in, std::uint64_t k, top_k_options options = {}) {
  using T = std::ranges::range_value_t<Range>;
  return top_k<T>(where, std::span<T const>(std::ranges::data(in), std::ranges::size(in)), k,
                  options);
}

// top_k of an array that arrives in pieces, or in parts that are seen apart and then merged. Any
// split gives the same result. Memory: what the k best need, and about a megabyte a thread.
template <element T>
class top_k_stream {
 public:
  // `first` is the index of the first element to come.
  explicit top_k_stream(std::uint64_t k, top_k_options options = {}, std::uint64_t first = 0);
  top_k_stream(top_k_stream&&) noexcept;
  top_k_stream& operator=(top_k_stream&&) noexcept;
  ~top_k_stream();

  // `chunk` follows what was added before.
  void add(cpu where, std::span<T const> chunk);
  // Takes over what `right` saw: other indices of the same array, asked the same k and options.
  void merge(top_k_stream&& right);
  // How many elements were added here and to what was merged.
  std::uint64_t count() const;
  // Ends the stream: std::move(stream).result(). Fewer elements than k are an error.
  top_k_result<T> result() &&;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tally
