// SPDX-License-Identifier: Apache-2.0
#include "every_type.hpp"

#include <algorithm>
#include <span>

namespace tally::cli {
namespace {

template <class T>
std::span<T const> elements(any_array const& x) {
  return {static_cast<T const*>(x.data), std::size_t(x.size)};
}

template <class T>
any_array rounded(any_array const& x, negative_zeros zeros, std::vector<std::uint64_t>& memory) {
  memory.resize(x.size);
  std::ranges::transform(elements<T>(x), memory.begin(), [](T n) { return to_bits(double(n)); });
  for (auto const i : zeros) memory[i] = to_bits(-0.0);
  return {dtype::float64, memory.data(), x.size};
}

bool has_negative(any_array const& x) {
  std::int64_t all = 0;
  for (auto const n : elements<std::int64_t>(x)) all |= n;
  return all < 0;
}

}  // namespace

std::optional<any_array> as_type(any_array const& x, negative_zeros zeros, dtype type,
                                 std::vector<std::uint64_t>& memory) {
  if (x.type == type) return x;
  if (type == dtype::float64 && x.type == dtype::int64)
    return rounded<std::int64_t>(x, zeros, memory);
  if (type == dtype::float64 && x.type == dtype::uint64)
    return rounded<std::uint64_t>(x, zeros, memory);
  if (type == dtype::uint64 && x.type == dtype::int64 && !has_negative(x))
    return any_array(type, x.data, x.size);
  return std::nullopt;
}

}  // namespace tally::cli
