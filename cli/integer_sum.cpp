// SPDX-License-Identifier: Apache-2.0
#include "integer_sum.hpp"

#include <optional>
#include <span>
#include <string_view>

#include "reduction.hpp"

namespace tally::cli {
namespace {

// So many integers of 53 bits, or halves of larger ones, that 64 bits hold their sum.
constexpr std::size_t at_once = 1024;

template <class T>
__int128 total(std::span<T const> x) {
  std::uint64_t low = 0;
  T high = 0;
  for (auto const n : x) low += std::uint32_t(n), high += n >> 32;
  return (__int128(high) << 32) + low;
}

// What can be a larger integer's nearest, from 2^53 on, the text's facts have as it was.
__int128 total(std::span<double const> x) {
  constexpr double exact = 0x1p53;
  std::int64_t sum = 0;
  for (auto const n : x) sum += n > -exact && n < exact ? std::int64_t(n) : 0;
  return sum;
}

template <class T>
void add_all(io::decimal_sum& sum, any_array const& x) {
  std::span<T const> rest(static_cast<T const*>(x.data), std::size_t(x.size));
  while (!rest.empty()) {
    auto const part = rest.first(std::min(rest.size(), at_once));
    sum.add(total(part));
    rest = rest.subspan(part.size());
  }
}

// Of an integer in decimal, if it has no more than 256 bits.
std::optional<wide_integer> to_wide(std::string_view text) {
  wide_integer value;
  bool const negative = text.starts_with('-');
  for (char const c : text.substr(negative)) {
    unsigned __int128 carry = std::uint64_t(c - '0');
    for (auto& limb : value.limb) {
      carry += static_cast<unsigned __int128>(limb) * 10;
      limb = std::uint64_t(carry);
      carry >>= 64;
    }
    if (carry != 0) return std::nullopt;
  }
  bool carry = negative;
  for (auto& limb : value.limb) {
    limb = (negative ? ~limb : limb) + carry;
    carry = carry && limb == 0;
  }
  if (value.is_negative() != negative) return std::nullopt;
  return value;
}

}  // namespace

void integer_sum::add(any_array const& x) {
  if (x.type == dtype::int64) return add_all<std::int64_t>(sum_, x);
  if (x.type == dtype::uint64) return add_all<std::uint64_t>(sum_, x);
  add_all<double>(sum_, x);
}

answer integer_sum::answer_with(io::text_facts const& facts) const {
  auto sum = sum_;
  sum.add(facts.large);
  auto const text = sum.text();
  if (auto const value = to_wide(text)) return cli::answer_with(number(*value));
  return {.lines = {text},
          .keys = {{"value", text}, {"bits", json()}, {"result_dtype", "integer"}}};
}

}  // namespace tally::cli
