// SPDX-License-Identifier: Apache-2.0
#include "integer_sum.hpp"

#include <charconv>
#include <span>
#include <utility>

namespace tally::cli {
namespace {

constexpr std::size_t at_once = 1024;  // integers of 53 bits, or halves of larger ones, in 64 bits

template <class T>
__int128 total(std::span<T const> x) {
  std::uint64_t low = 0;
  T high = 0;
  for (auto const n : x) low += std::uint32_t(n), high += n >> 32;
  return (__int128(high) << 32) + low;
}

// Those that are beyond 2^53 the text's facts have, as they were.
__int128 total(std::span<double const> x) {
  constexpr double exact = 0x1p53;
  std::int64_t sum = 0;
  for (auto const n : x) sum += n >= -exact && n <= exact ? std::int64_t(n) : 0;
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

template <class T>
std::optional<number> as_number(std::string const& text) {
  T value{};
  auto const end = text.data() + text.size();
  auto const [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stop != end) return std::nullopt;
  return number(value);
}

}  // namespace

void integer_sum::add(any_array const& x) {
  if (x.type == dtype::int64) return add_all<std::int64_t>(sum_, x);
  if (x.type == dtype::uint64) return add_all<std::uint64_t>(sum_, x);
  add_all<double>(sum_, x);
}

answer integer_sum::answer_instead(io::text_facts const& facts, answer rounded) const {
  auto sum = sum_;
  sum.add(facts.large);
  auto const text = sum.text();
  if (rounded.lines.front() == text) return rounded;
  auto value = as_number<std::int64_t>(text);
  if (!value) value = as_number<std::uint64_t>(text);
  rounded.lines = {text};
  rounded.keys["value"] = value ? value->to_json() : json(text);
  rounded.keys["bits"] = value ? json(value->hexadecimal()) : json();
  rounded.keys["result_dtype"] = value ? value->type_name() : "integer";
  return rounded;
}

}  // namespace tally::cli
