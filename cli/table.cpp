// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "columns.hpp"
#include "commands.hpp"
#include "every_type.hpp"
#include "integer_sum.hpp"
#include "reduction.hpp"

namespace tally::cli {
namespace {

// What goes on with a column: several runs of it, and nothing as soon as it is known to hold text.
template <class Run>
struct column {
  std::optional<every_type<Run>> all;
  integer_sum integers = {};  // of a text whose numbers are such

  template <class Put>
  void add(std::optional<io::table::run> const& found, bool of_integers, Put const& put) {
    if (!found) all.reset();
    if (!all) return;
    auto const x = array_of(found->type, found->elements);
    all->add({x, found->missing}, found->negative_zeros, put);
    if (!std::is_empty_v<Run> && of_integers) integers.add(x);
  }
};

template <class Run>
struct run_columns : read_columns {
  std::vector<column<Run>> runs;

  template <class Make, class Put>
  run_columns(std::vector<std::string> const& files, std::vector<io::identified> found,
              arguments const& options, Make make, Put put) {
    std::vector<dtype> types{dtype::int64, dtype::uint64, dtype::float64};
    if (options.type) types = {*options.type};
    auto const begin = [&](auto const& names) {
      for (std::size_t i = 0; i < names.size(); ++i) runs.push_back({every_type<Run>(types, make)});
    };
    auto const take = [&](io::table const& in, std::size_t i) {
      runs[i].add(in.column(i), in.facts(i).decimals == 0, put);
    };
    static_cast<read_columns&>(*this) = read_tables(files, std::move(found), false, begin, take);
  }

  // Whether it holds a number.
  bool is_numeric(std::size_t i) const { return runs[i].all && all[i].facts.missing < rows; }
};

reduction_settings settings_of(arguments const& options, dtype type) {
  return {.command = options.command,
          .type = type,
          .ddof = options.ddof,
          .skip_nan = true,
          .out_type = std::nullopt};
}

void refuse_options_of_one(arguments const& options) {
  std::string of_one;
  if (options.type) of_one = "--dtype";
  if (options.save_state) of_one = "--save-state";
  if (options.first_index) of_one = "--first-index";
  if (options.each) of_one = "--each";
  if (!options.gpus.empty()) of_one = "--device gpu";
  if (!of_one.empty()) throw usage_error(of_one + ": needs --column, it is of one column");
}

}  // namespace

bool asks_for_all_columns(std::vector<io::identified> const& files, arguments const& options) {
  return !options.column && std::ranges::all_of(files, &io::identified::is_csv);
}

void reduce_columns(std::vector<std::string> const& files, std::vector<io::identified> found,
                    arguments const& options) {
  stopwatch const watch;
  refuse_options_of_one(options);
  run_columns<reduction> read(
      files, std::move(found), options,
      [&](dtype type) { return reduction(settings_of(options, type), 0); },
      [&](reduction& total, masked_array const& x) { total.add(options.where, x); });
  auto about = read.about(files);
  std::vector<told_column> told;
  for (std::size_t i = 0; i < read.all.size(); ++i) {
    auto& [runs, integers] = read.runs[i];
    auto facts = read.all[i].facts;
    if (!runs) continue;
    auto const type = runs->type();
    auto one = answer_of(settings_of(options, type), runs->run(), read.all[i].name);
    if (is_floating(type) && facts.decimals == 0) integers.put(one, facts);
    if (read.all.size() == 1) {
      about.type = type, about.shape = {read.rows}, about.nan_count = facts.missing;
      about.text = facts;
      return print(options, about, one, watch);
    }
    facts.rounded = (facts.rounded && is_floating(type)) || one.rounded;
    told.push_back({read.all[i].name, std::string(name(type)), std::move(one), facts});
  }
  print_columns(options, about, told, read.left_out(), watch);
}

void list_columns(std::string const& file, std::vector<io::identified> found,
                  arguments const& options) {
  stopwatch const watch;
  struct nothing {};
  run_columns<nothing> read(
      {file}, std::move(found), options, [](dtype) { return nothing(); },
      [](nothing&, masked_array const&) {});
  answer told;
  told.keys["dtype"] = json();
  told.keys["bytes"] = read.bytes_read;
  auto& list = told.keys["columns"] = json::array();
  std::vector<std::vector<std::string>> rows{{"column", "dtype", "count", "missing"}};
  for (std::size_t i = 0; i < read.all.size(); ++i) {
    auto const& [name, facts, misfit] = read.all[i];
    auto const& runs = read.runs[i].all;
    bool const numbers = read.is_numeric(i);
    auto const type = numbers ? std::string(tally::name(runs->type())) : runs ? "missing" : "text";
    rows.push_back({printable(name), type, fmt::format("{}", read.rows),
                    runs ? fmt::format("{}", facts.missing) : "-"});
    list.push_back({{"column", name},
                    {"dtype", numbers ? json(type) : json()},
                    {"nan_count", runs ? json(facts.missing) : json()}});
  }
  told.lines = aligned(rows);
  print(options, read.about({file}), told, watch);
}

}  // namespace tally::cli
