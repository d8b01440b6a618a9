// SPDX-License-Identifier: Apache-2.0
#include "row_answer.hpp"

#include <algorithm>
#include <string_view>

namespace tally::cli {
namespace {

json nested_from(std::vector<std::uint64_t> const& shape, std::size_t d, json*& next) {
  if (d == shape.size()) return std::move(*next++);
  json list = json::array();
  for (std::uint64_t i = 0; i < shape[d]; ++i) list.push_back(nested_from(shape, d + 1, next));
  return list;
}

}  // namespace

json nested(std::vector<std::uint64_t> const& shape, std::vector<json> all) {
  auto* next = all.data();
  return nested_from(shape, 0, next);
}

json values_of(std::vector<std::uint64_t> const& shape, std::vector<number> const& values) {
  std::vector<json> all;
  for (auto const& x : values) all.push_back(x.to_json());
  return nested(shape, std::move(all));
}
json bits_of(std::vector<std::uint64_t> const& shape, std::vector<number> const& values) {
  std::vector<json> all;
  for (auto const& x : values) all.push_back(x.bits());
  return nested(shape, std::move(all));
}

std::vector<number> numbers_in(std::span<std::byte const> bytes, dtype type) {
  std::vector<number> all;
  for (std::size_t i = 0; i < bytes.size(); i += size_of(type))
    all.emplace_back(any_number::at(type, bytes.data() + i));
  return all;
}

std::string widest_of(std::vector<std::string> const& types) {
  static constexpr std::string_view by_bits[] = {"int64",  "uint64",  "int128", "uint128",
                                                 "int256", "uint256", "integer"};
  return *std::ranges::max_element(types, {}, [](std::string const& type) {
    return std::ranges::find(by_bits, type) - std::begin(by_bits);
  });
}
std::string type_of(std::vector<number> const& values, dtype of_none) {
  std::vector<std::string> types;
  for (auto const& x : values) types.push_back(x.type_name());
  return types.empty() ? std::string(name(of_none)) : widest_of(types);
}

std::vector<std::string> lines_of(std::vector<std::string> const& values, std::uint64_t a_line) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % a_line == 0)
      lines.push_back(values[i]);
    else
      lines.back() += '\t' + values[i];
  }
  return lines;
}
std::vector<std::string> lines_of(std::vector<number> const& values, std::uint64_t a_line) {
  std::vector<std::string> texts;
  for (auto const& x : values) texts.push_back(x.text());
  return lines_of(texts, a_line);
}

}  // namespace tally::cli
