// SPDX-License-Identifier: Apache-2.0
#include "integer_sum.hpp"

#include <algorithm>
#include <span>

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

std::uint64_t wrapped(std::string_view text) {
  std::uint64_t value = 0;
  bool const negative = text.starts_with('-');
  for (char const c : text.substr(negative)) value = 10 * value + std::uint64_t(c - '0');
  return negative ? 0 - value : value;
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

}  // namespace

void integer_sum::add(any_array const& x) {
  if (x.type == dtype::int64) return add_all<std::int64_t>(sum_, x);
  if (x.type == dtype::uint64) return add_all<std::uint64_t>(sum_, x);
  add_all<double>(sum_, x);
}

void integer_sum::put(answer& to, io::text_facts const& facts, std::optional<dtype> type) const {
  auto sum = sum_;
  sum.add(facts.large);
  auto const text = sum.text();
  if (type) return void(to = answer_with(number(any_number(*type, wrapped(text)))));
  auto own = answer_with(text);
  auto const line = std::ranges::find(to.names, "sum");
  if (line == to.names.end()) return void(to = std::move(own));
  to.lines[std::size_t(line - to.names.begin())] = text;
  to.keys["sum"] = own.keys["value"];
  to.keys.erase("sum_bits");
}

}  // namespace tally::cli
