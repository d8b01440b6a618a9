// SPDX-License-Identifier: Apache-2.0
#include "every_type.hpp"

#include <algorithm>
#include <span>

#include "tally/exact/float_format.hpp"

namespace tally::cli {
namespace {

template <class T>
std::span<T const> elements(any_array const& x) {
  return {static_cast<T const*>(x.data), std::size_t(x.size)};
}

template <class T>
masked_array rounded(masked_array const& x, negative_zeros zeros,
                     std::vector<std::uint64_t>& memory) {
  memory.resize(x.all.size);
  std::ranges::transform(elements<T>(x.all), memory.begin(),
                         [](T n) { return to_bits(double(n)); });
  for (auto const i : zeros) memory[i] = to_bits(-0.0);
  for (auto const i : x.missing) memory[i] = to_bits(quiet_nan<double>());
  return {any_array(dtype::float64, memory.data(), x.all.size)};
}

bool has_negative(any_array const& x) {
  std::int64_t all = 0;
  for (auto const n : elements<std::int64_t>(x)) all |= n;
  return all < 0;
}

}  // namespace

std::optional<masked_array> as_type(masked_array const& x, negative_zeros zeros, dtype type,
                                    std::vector<std::uint64_t>& memory) {
  auto const is = x.all.type;
  if (is == type) return x;
  if (type == dtype::float64 && is == dtype::int64) return rounded<std::int64_t>(x, zeros, memory);
  if (type == dtype::float64 && is == dtype::uint64)
    return rounded<std::uint64_t>(x, zeros, memory);
  if (type == dtype::uint64 && is == dtype::int64 && !has_negative(x.all))
    return masked_array{any_array(type, x.all.data, x.all.size), x.missing};
  return std::nullopt;
}

}  // namespace tally::cli
