// SPDX-License-Identifier: Apache-2.0
#include "ladder_recorded.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "embedded.hpp"

namespace tally::cli {
namespace {

// What is not of the ladder's usual run, or of that with --dtype int32.
bool asks_for_more(ladder_arguments const& asked) {
  return asked.op || asked.grid || asked.block || asked.sweep || asked.k || asked.repeats;
}

json recorded_of(json const& file, json const& row) {
  json found;
  for (auto const key : {"device", "n", "cold_us", "of_ceiling", "verified"})
    found[key] = row.at(key);
  for (auto const key : {"drawing"})
    if (row.contains(key)) found[key] = row[key];
  if (file.contains("date")) found["date"] = file["date"];
  return found;
}

// Rows of the run that was asked for, the newest only of each rung, each with its `recorded`.
std::vector<json> recorded_rows(ladder_arguments const& asked) {
  std::vector<json> rows;
  if (asks_for_more(asked)) return rows;
  auto const name = asked.name + (asked.type == "int32" ? " --dtype int32" : "");
  for (auto const& file : json::parse(recorded))
    for (auto const& run : file.at("runs")) {
      if (run.at("asked") != name) continue;
      for (auto const& row : run.at("rows")) {
        if (std::ranges::count(rows, row["id"], [](json const& r) { return r["id"]; })) continue;
        rows.push_back(row);
        rows.back()["recorded"] = recorded_of(file, row);
      }
    }
  return rows;
}

// In place of a rung that could not be run here.
std::vector<json> known_of(json const& rung, std::vector<json> const& rows) {
  std::vector<json> found;
  for (auto const& row : rows) {
    if (row["file"] != rung["file"]) continue;
    found.push_back(rung);
    for (auto const key : {"id", "page", "page_us", "peer"}) found.back()[key] = row[key];
  }
  return found;
}

}  // namespace

void add_recorded_times(std::vector<json>& rungs, ladder_arguments const& asked) {
  auto const rows = recorded_rows(asked);
  bool const narrow = asks_for_more(asked) || asked.type || asked.distinct;
  std::vector<json> all;
  for (auto& rung : rungs) {
    bool const elsewhere = rung.contains("only_on");
    auto known = elsewhere ? known_of(rung, rows) : std::vector<json>();
    if (known.empty() && !(elsewhere && narrow && !asked.rung)) known.push_back(std::move(rung));
    std::ranges::move(known, std::back_inserter(all));
  }
  rungs = std::move(all);
  for (auto& rung : rungs)
    for (auto const& row : rows)
      if (row["id"] == rung["id"]) rung["recorded"] = row["recorded"];
  std::ranges::stable_sort(rungs, {}, [](json const& r) { return r["id"].get<std::string>(); });
}

}  // namespace tally::cli
