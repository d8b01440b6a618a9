// SPDX-License-Identifier: Apache-2.0
//
// All columns of tables: how they are read, and how what is known of them is told.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "report.hpp"
#include "tally/error.hpp"
#include "tally/io/table.hpp"

namespace tally::cli {

struct read_column {
  std::string name;
  io::text_facts facts = {};
  std::string misfit = {};  // where it holds text: "line 7: 'x'"

  bool is_text() const { return !misfit.empty(); }
};

// Several tables as one, each with the same columns.
struct read_columns {
  std::vector<read_column> all;
  std::uint64_t rows = 0, bytes_read = 0;

  void add_facts(io::table const& in, std::string const& file);
  facts about(std::vector<std::string> const& files) const;
  json left_out() const;  // each with its first field that is no number
};

// Calls take(in, i) for each column in each part of the files' rows, and begin(names) before.
template <class Begin, class Take>
read_columns read_tables(std::vector<std::string> const& files, std::vector<io::identified> found,
                         bool in_decimal, Begin begin, Take take) {
  progress shown;
  read_columns columns;
  for (std::size_t f = 0; f < files.size(); ++f) {
    io::table in(std::move(found[f]), in_decimal);
    auto& all = columns.all;
    if (f == 0) {
      for (auto const& name : in.names()) all.push_back({name});
      begin(in.names());
    }
    if (!std::ranges::equal(all, in.names(), {}, &read_column::name))
      throw error(told_name(files[f]) + ": has other columns than " + told_name(files.front()));
    if (in.file_bytes() && files.size() == 1) shown.expect(*in.file_bytes());
    for (std::uint64_t read = 0; in.next(); read = in.bytes_read()) {
      for (std::size_t i = 0; i < all.size(); ++i) take(in, i);
      shown.advance(in.bytes_read() - read);
    }
    columns.add_facts(in, files.size() > 1 ? told_name(files[f]) + ": " : "");
  }
  return columns;
}

// Cells in columns, those of the first to the left and the others to the right.
std::vector<std::string> aligned(std::vector<std::vector<std::string>> const& rows);

// What is told of a column.
struct told_column {
  std::string name, type;
  answer found;
  io::text_facts facts;
};
// A line for each, and which columns are left out.
void print_columns(arguments const& options, facts about, std::vector<told_column> const& columns,
                   json const& left_out, stopwatch const& watch);

}  // namespace tally::cli
