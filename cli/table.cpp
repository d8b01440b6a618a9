// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "commands.hpp"
#include "every_type.hpp"
#include "integer_sum.hpp"
#include "reduction.hpp"
#include "report.hpp"
#include "tally/error.hpp"
#include "tally/io/table.hpp"

namespace tally::cli {
namespace {

// What goes on with a column: several runs of it, and nothing as soon as it is known to hold text.
template <class Run>
struct column {
  std::string name;
  std::optional<every_type<Run>> all;
  integer_sum integers = {};  // of a text whose numbers are such
  io::text_facts facts = {};
  std::string misfit = {};  // where it holds text: "line 7: 'x'"
};

// Every file has to have the same columns.
template <class Run>
class columns {
 public:
  std::vector<column<Run>> all;
  std::uint64_t rows = 0, bytes_read = 0;

  template <class Make, class Put>
  columns(std::vector<std::string> const& files, std::vector<io::identified> found,
          arguments const& options, Make make, Put put) {
    progress shown;
    std::vector<dtype> types{dtype::int64, dtype::uint64, dtype::float64};
    if (options.type) types = {*options.type};
    for (std::size_t f = 0; f < files.size(); ++f) {
      auto const& file = files[f];
      io::table in(std::move(found[f]));
      if (all.empty())
        for (auto const& name : in.names()) all.push_back({name, every_type<Run>(types, make)});
      if (!std::ranges::equal(all, in.names(), {}, &column<Run>::name))
        throw error(told_name(file) + ": has other columns than " + told_name(files.front()));
      if (in.file_bytes() && files.size() == 1) shown.expect(*in.file_bytes());
      for (std::uint64_t read = 0; in.next(); read = in.bytes_read()) {
        for (std::size_t i = 0; i < all.size(); ++i) add(all[i], in.column(i), put);
        shown.advance(in.bytes_read() - read);
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].facts.add(in.facts(i));
        if (auto const misfit = in.misfit_of(i); misfit && all[i].misfit.empty())
          all[i].misfit =
              fmt::format("{}line {}: {}", files.size() > 1 ? told_name(file) + ": " : "",
                          misfit->line, misfit->text);
      }
      rows += in.rows();
      bytes_read += in.bytes_read();
    }
  }

  // Those that hold a number.
  bool is_numeric(column<Run> const& c) const { return c.all && c.facts.missing < rows; }

 private:
  template <class Put>
  void add(column<Run>& c, std::optional<io::table::run> const& found, Put const& put) {
    if (!found) c.all.reset();
    if (!c.all) return;
    auto const x = array_of(found->type, found->elements);
    c.all->add({x, found->missing}, found->negative_zeros, put);
    if (!std::is_empty_v<Run> && c.facts.decimals == 0) c.integers.add(x);
  }
};

// A name as a terminal may have it: its control characters, C1 too, as \xNN.
std::string printable(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    auto const c = (unsigned char)name[i],
               next = (unsigned char)(i + 1 < name.size() ? name[i + 1] : 0);
    bool const c1 = c == 0xc2 && next >= 0x80 && next < 0xa0;
    if (c < ' ' || c == 0x7f || c1)
      out += fmt::format("\\x{:02x}", c);
    else
      out += char(c);
    if (c1) out += fmt::format("\\x{:02x}", next), ++i;
  }
  return out;
}

// Cells in columns, those of the first to the left and the others to the right.
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

template <class Run>
facts facts_of(columns<Run> const& read, std::vector<std::string> const& files) {
  return {.inputs = files,
          .type = dtype::float64,
          .shape = {read.rows, read.all.size()},
          .count = read.rows,
          .nan_count = std::nullopt,
          .bytes_read = read.bytes_read};
}

// Columns of text, each with its first field that is none of a number.
template <class Run>
json left_out_of(columns<Run> const& read) {
  json list = json::array();
  for (auto const& c : read.all)
    if (!c.all) list.push_back({{"column", c.name}, {"because", c.misfit}});
  return list;
}

std::string list_of(json const& left_out) {
  std::string text;
  for (auto const& column : left_out)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ",
                        printable(column["column"].get<std::string>()),
                        column["because"].get<std::string>());
  return text;
}

reduction_settings settings_of(arguments const& options, dtype type) {
  return {.command = options.command,
          .type = type,
          .ddof = options.ddof,
          .skip_nan = true,
          .out_type = std::nullopt};
}

// A row of cells, without where the ends lie.
std::vector<std::string> row_of(std::string const& name, answer const& found) {
  std::vector<std::string> row{printable(name)};
  for (auto const& line : found.lines) row.push_back(line.substr(0, line.find(" at ")));
  return row;
}

}  // namespace

bool asks_for_all_columns(std::vector<io::identified> const& files, arguments const& options) {
  return !options.column && std::ranges::all_of(files, &io::identified::is_csv);
}

void reduce_columns(std::vector<std::string> const& files, std::vector<io::identified> found_files,
                    arguments const& options) {
  stopwatch const watch;
  std::string of_one;
  if (options.type) of_one = "--dtype";
  if (options.save_state) of_one = "--save-state";
  if (options.first_index) of_one = "--first-index";
  if (options.each) of_one = "--each";
  if (options.gpu) of_one = "--device gpu";
  if (!of_one.empty()) throw usage_error(of_one + ": needs --column, it is of one column");
  columns<reduction> read(
      files, std::move(found_files), options,
      [&](dtype type) { return reduction(settings_of(options, type), 0); },
      [&](reduction& total, masked_array const& x) { total.add(options.where, x); });
  auto about = facts_of(read, files);
  answer found;
  found.keys["dtype"] = json();
  auto& list = found.keys["columns"] = json::array();
  std::vector<std::vector<std::string>> rows;
  for (auto& c : read.all) {
    if (!c.all) continue;
    auto const type = c.all->type();
    auto one = answer_of(settings_of(options, type), c.all->run(), c.name);
    if (is_floating(type) && c.facts.decimals == 0) c.integers.put(one, c.facts);
    if (read.all.size() == 1) {
      about.type = type, about.shape = {read.rows}, about.nan_count = c.facts.missing;
      about.text = c.facts;
      return print(options, about, one, watch);
    }
    if (rows.empty()) rows.push_back(one.names), rows[0].insert(rows[0].begin(), "column");
    if (c.facts.is_beyond_float64() && is_floating(type))
      about.rounded.push_back(printable(c.name));
    rows.push_back(row_of(c.name, one));
    list.push_back({{"column", c.name},
                    {"dtype", name(type)},
                    {"count", read.rows},
                    {"nan_count", c.facts.missing}});
    list.back().update(one.keys);
  }
  auto const& left_out = found.keys["left_out"] = left_out_of(read);
  if (rows.empty())
    throw error(options.command + ": " + told_name(files.front()) +
                " has no column of numbers: " + list_of(left_out));
  found.lines = aligned(rows);
  print(options, about, found, watch);
  if (!left_out.empty() && !options.json) tell("left out: " + list_of(left_out));
}

void list_columns(std::string const& file, std::vector<io::identified> found_files,
                  arguments const& options) {
  stopwatch const watch;
  struct nothing {};
  columns<nothing> read(
      {file}, std::move(found_files), options, [](dtype) { return nothing(); },
      [](nothing&, masked_array const&) {});
  answer found;
  found.keys["dtype"] = json();
  found.keys["bytes"] = read.bytes_read;
  auto& list = found.keys["columns"] = json::array();
  std::vector<std::vector<std::string>> rows{{"column", "dtype", "count", "missing"}};
  for (auto const& c : read.all) {
    bool const numbers = read.is_numeric(c);
    auto const type = numbers ? std::string(name(c.all->type())) : c.all ? "missing" : "text";
    auto const missing = c.all ? fmt::format("{}", c.facts.missing) : "-";
    rows.push_back({printable(c.name), type, fmt::format("{}", read.rows), missing});
    list.push_back({{"column", c.name},
                    {"dtype", numbers ? json(type) : json()},
                    {"nan_count", c.all ? json(c.facts.missing) : json()}});
  }
  found.lines = aligned(rows);
  print(options, facts_of(read, {file}), found, watch);
}

}  // namespace tally::cli
