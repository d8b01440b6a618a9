// SPDX-License-Identifier: Apache-2.0
#include "ladder_recorded.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "embedded.hpp"

namespace tally::cli {
namespace {

// The run that was recorded for this, as bench/gpu/ladder.py names it: shapes have none.
std::optional<std::string> run_for(ladder_arguments const& asked) {
  if (asked.grid || asked.block || asked.sweep) return std::nullopt;
  auto name = asked.name;
  if (asked.type == "int32") name += " --dtype int32";
  if (asked.op) name += " --operator " + *asked.op;
  if (asked.k) name += " -k " + std::to_string(*asked.k);
  if (asked.repeats) name += " --repeats";
  return name;
}

// Without its last word where that says how much was verified beside.
std::string_view name_of(json const& run) {
  auto const& asked = run.at("asked").get_ref<std::string const&>();
  std::string_view const name = asked, end = " --this-size";
  return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

json recorded_of(json const& file, json const& row) {
  json found;
  for (auto const key : {"device", "n", "cold_us", "of_ceiling", "verified"})
    found[key] = row.at(key);
  for (auto const key : {"k", "drawing"})
    if (row.contains(key)) found[key] = row[key];
  if (file.contains("date")) found["date"] = file["date"];
  return found;
}

// Rows of the run that was asked for, each with its `recorded`.
std::vector<json> recorded_rows(ladder_arguments const& asked) {
  std::vector<json> rows;
  auto const name = run_for(asked);
  auto const file = json::parse(recorded);
  for (auto const& run : file.at("runs")) {
    if (name_of(run) != name) continue;
    for (auto const& row : run.at("rows")) {
      rows.push_back(row);
      rows.back()["recorded"] = recorded_of(file, row);
    }
  }
  return rows;
}

// Whether as many were selected, by rungs that select: a GPU may have had less room for lists.
bool same_k(json const& rung, json const& row) {
  auto const here = rung.value("k", json()), there = row.value("k", json());
  return !here.is_number() || !there.is_number() || here == there;
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
  bool const narrow = run_for(asked) != asked.name || asked.type || asked.distinct;
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
      if (row["id"] == rung["id"] && same_k(rung, row)) rung["recorded"] = row["recorded"];
  std::ranges::stable_sort(rungs, {}, [](json const& r) { return r["id"].get<std::string>(); });
}

}  // namespace tally::cli
