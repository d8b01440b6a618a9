// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "columns.hpp"
#include "commands.hpp"
#include "input.hpp"
#include "report.hpp"
#include "table.hpp"

namespace tally::cli {

namespace {

// The arrays of a .npz that is a file, a line for each.
void list_arrays(std::string const& file, std::vector<std::string> const& names,
                 arguments options) {
  stopwatch const watch;
  facts about{.inputs = {file},
              .type = dtype::float64,
              .shape = {names.size()},
              .count = names.size(),
              .nan_count = std::nullopt,
              .bytes_read = 0};
  std::vector<std::vector<std::string>> rows{{"array", "dtype", "shape", "count"}};
  json list = json::array();
  for (auto const& name : names) {
    options.column = '"' + name + '"';
    input const in({file}, options);
    auto const type = std::string(tally::name(in.type()));
    about.bytes_read += in.bytes_read();
    rows.push_back({printable(name), type, fmt::format("{}", fmt::join(in.shape(), " x ")),
                    fmt::format("{}", in.count().value())});
    list.push_back(
        {{"array", name}, {"dtype", type}, {"shape", in.shape()}, {"count", in.count().value()}});
  }
  print(options, about,
        {.lines = aligned(rows),
         .keys = {{"dtype", json()}, {"bytes", about.bytes_read}, {"arrays", std::move(list)}}},
        watch);
}

}  // namespace

void run_info(arguments const& options) {
  for (auto const& file : options.files) {
    stopwatch const watch;
    auto found = identify({file}, options);
    if (asks_for_all_columns(found, options)) {
      list_columns(file, std::move(found), options);
      continue;
    }
    if (!options.column && file != "-" && found[0].is_npz()) {
      auto const names = io::arrays_of(std::move(found[0]));
      if (names.size() > 1) {
        list_arrays(file, names, options);
        continue;
      }
      found = identify({file}, options);
    }
    input in({file}, std::move(found), options);
    bool const is_text = !in.settled();
    if (!in.count()) in.settle();
    while (!in.is_all_there() && !in.next().empty()) continue;
    auto const count = in.count().value();
    auto const bytes = is_text ? in.bytes_read() : count * size_of(in.type());
    answer const told{.lines = {printable(file), std::string(name(in.type())),
                                fmt::format("{}", fmt::join(in.shape(), " x ")),
                                fmt::format("{}", count), fmt::format("{}", bytes)},
                      .names = {"file", "dtype", "shape", "count", "bytes"},
                      .keys = {{"bytes", bytes}}};
    print(options, facts_of(in, std::nullopt), told, watch);
  }
}

}  // namespace tally::cli
