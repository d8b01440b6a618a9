// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"

#include <fmt/format.h>

#include "commands.hpp"

namespace tally::cli {
namespace {

std::string list_of(json const& left_out) {
  std::string text;
  for (auto const& column : left_out)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ",
                        printable(column["column"].get<std::string>()),
                        column["because"].get<std::string>());
  return text;
}

// A row of cells, without where the ends lie.
std::vector<std::string> row_of(told_column const& column) {
  std::vector<std::string> row{printable(column.name)};
  for (auto const& line : column.found.lines) row.push_back(line.substr(0, line.find(" at ")));
  return row;
}

}  // namespace

std::vector<std::string> aligned(std::vector<std::vector<std::string>> const& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (auto const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::vector<std::string> lines;
  for (auto const& row : rows) {
    auto& line = lines.emplace_back(fmt::format("{:<{}}", row[0], widths[0]));
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
  }
  return lines;
}

void read_columns::add_facts(io::table const& in, std::string const& file) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].facts.add(in.facts(i));
    if (auto const misfit = in.misfit_of(i); misfit && !all[i].is_text())
      all[i].misfit = fmt::format("{}line {}: {}", file, misfit->line, misfit->text);
  }
  rows += in.rows();
  bytes_read += in.bytes_read();
}

facts read_columns::about(std::vector<std::string> const& files) const {
  return {.inputs = files,
          .type = dtype::float64,
          .shape = {rows, all.size()},
          .count = rows,
          .nan_count = std::nullopt,
          .bytes_read = bytes_read,
          .text = {.row_name = all.front().facts.row_name}};
}

json read_columns::left_out() const {
  json list = json::array();
  for (auto const& c : all)
    if (c.is_text()) list.push_back({{"column", c.name}, {"because", c.misfit}});
  return list;
}

void print_columns(arguments const& options, facts about, std::vector<told_column> const& columns,
                   json const& left_out, stopwatch const& watch) {
  if (columns.empty())
    throw error(std::string(options.command->name) + ": " + told_name(about.inputs.front()) +
                " has no column of numbers: " + list_of(left_out));
  answer found;
  found.keys["dtype"] = json();
  auto& list = found.keys["columns"] = json::array();
  std::vector<std::vector<std::string>> rows{columns.front().found.names};
  rows[0].insert(rows[0].begin(), "column");
  for (auto const& c : columns) {
    rows.push_back(row_of(c));
    about.columns.emplace_back(printable(c.name), c.facts);
    list.push_back({{"column", c.name},
                    {"dtype", c.type},
                    {"count", about.count},
                    {"nan_count", c.facts.missing}});
    list.back().update(c.found.keys);
  }
  found.keys["left_out"] = left_out;
  found.lines = aligned(rows);
  print(options, about, found, watch);
  if (!left_out.empty() && !options.json) tell("left out: " + list_of(left_out));
}

}  // namespace tally::cli
