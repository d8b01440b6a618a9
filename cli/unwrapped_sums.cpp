// SPDX-License-Identifier: Apache-2.0
#include "unwrapped_sums.hpp"

#include <type_traits>

namespace tally::cli {
namespace {

// Whether an element has taken a sum beyond the type's end.
template <class T>
bool wraps(T before, T sum) {
  if constexpr (std::is_unsigned_v<T>) return sum < before;
  auto const a = std::uint64_t(before), b = std::uint64_t(sum);
  return std::int64_t((a ^ b) & ((b - a) ^ b)) < 0;
}

// Without branches, so that several are looked at together.
template <class T>
bool any_wraps(T const* before, T const* sums, std::size_t count) {
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) any |= wraps(before[i], sums[i]);
  return any;
}

}  // namespace

template <class T>
std::span<__int128 const> unwrapped_sums::next_of(std::span<T const> sums) {
  auto const n = sums.size();
  if (n == 0) return {};
  auto const& first = reverse_ ? sums.back() : sums.front();
  auto const *const all = sums.data(), *const before = reverse_ ? all + 1 : all;
  bool const wrap = wraps(T(before_), first) || any_wraps(before, reverse_ ? all : all + 1, n - 1);
  if (!wrap && times_ == 0) {
    before_ = std::uint64_t(reverse_ ? sums.front() : sums.back());
    return {};
  }
  exact_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    auto const i = reverse_ ? n - 1 - k : k;
    // A signed sum that has wrapped upwards is negative.
    if (wraps(T(before_), sums[i])) times_ += std::is_unsigned_v<T> || sums[i] < 0 ? 1 : -1;
    exact_[i] = sums[i] + (__int128(times_) << 64);
    before_ = std::uint64_t(sums[i]);
  }
  return exact_;
}

std::span<__int128 const> unwrapped_sums::next(std::span<std::uint64_t const> sums) {
  if (type_ == dtype::uint64) return next_of(sums);
  return next_of(std::span(reinterpret_cast<std::int64_t const*>(sums.data()), sums.size()));
}

}  // namespace tally::cli
