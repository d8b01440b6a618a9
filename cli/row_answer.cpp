// SPDX-License-Identifier: Apache-2.0
#include "row_answer.hpp"

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

std::vector<std::string> lines_of(std::vector<number> const& values, std::uint64_t a_line) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % a_line == 0)
      lines.push_back(values[i].text());
    else
      lines.back() += '\t' + values[i].text();
  }
  return lines;
}

}  // namespace tally::cli
