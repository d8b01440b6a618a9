// SPDX-License-Identifier: Apache-2.0
#include "ladder/report.hpp"

#include <nlohmann/json.hpp>

#include "ladder/story.hpp"

namespace ladder {

using nlohmann::ordered_json;

std::string name_of(operation op) {
  switch (op) {
    case operation::sum: return "sum";
    case operation::minimum: return "min";
    case operation::maximum: return "max";
    case operation::mean: return "mean";
    case operation::recurrence: return "recurrence";
    case operation::sum_of_squares: return "sum-of-squares";
    case operation::none: break;
  }
  return "none";
}

std::string name_of(element type) { return type == element::float32 ? "float32" : "int32"; }

namespace {

template <class Names>
ordered_json names_of(Names const& all) {
  ordered_json names = ordered_json::array();
  for (auto const one : all) names.push_back(name_of(one));
  return names;
}

ordered_json or_null(std::optional<double> value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json or_null(std::string const& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json why(story const& s) {
  return {{"change", s.change},
          {"predict", s.predict},
          {"measured", s.measured},
          {"bytes", s.bytes},
          {"more", s.more}};
}

ordered_json what_it_is(rung const& r) {
  auto const told = story_of_file(r.file);
  return {{"id", r.id},
          {"ladder", r.ladder()},
          {"file", r.file},
          {"title", r.title},
          {"bound", r.bound},
          {"page", or_null(r.page)},
          {"page_us", r.page_us > 0 ? ordered_json(r.page_us) : ordered_json(nullptr)},
          {"limit", ~r.largest_n() ? ordered_json(r.largest_n()) : ordered_json(nullptr)},
          {"peer", r.peer},
          {"gpu_only", or_null(told.gpu_only)},
          {"why", why(told)}};
}

// With all that what_it_is() has.
ordered_json what_it_is(rung_elsewhere const& r) {
  auto const s = story_of_file(r.file);
  ordered_json line{{"id", r.id}, {"ladder", r.ladder()}, {"file", r.file}, {"title", s.title}};
  for (auto const key : {"bound", "page", "page_us", "limit", "peer"}) line[key] = nullptr;
  line["gpu_only"] = s.gpu_only.empty() ? "others' code, which needs nvcc" : s.gpu_only;
  line["why"] = why(s);
  line["only_on"] = "gpu";
  return line;
}

ordered_json counts_of(rung const& r, world::measurement const& m) {
  if (m.counts.empty()) return nullptr;
  ordered_json counts;
  for (auto const& [name, count] : m.counts) counts[name] = count;
  if (!r.counts_operator) counts["operator"] = nullptr;
  return counts;
}

// A list a step: of each combination, or copy, from where, to where, what that place then holds
// (from where, to where), and whether it was copied.
ordered_json steps_of(algorithm_steps const& all) {
  ordered_json steps = ordered_json::array();
  for (auto const& step : all) {
    ordered_json combinations = ordered_json::array();
    for (auto const& c : step)
      combinations.push_back({c.from, c.to, c.first, c.last, c.copied != 0});
    steps.push_back(std::move(combinations));
  }
  return steps;
}

ordered_json scenes_of(std::vector<lane_scene> const& all) {
  ordered_json scenes = ordered_json::array();
  for (auto const& s : all) {
    scenes.push_back({{"what", s.what}, {"lanes", s.lanes}, {"steps", ordered_json::array()}});
    for (auto const& step : s.steps)
      scenes.back()["steps"].push_back(
          {{"name", step.name}, {"from", step.from}, {"got", step.got}, {"holds", step.holds}});
  }
  return scenes;
}

ordered_json of_ceiling(world::measurement const& m) {
  if (!m.read_us || !m.cold_us) return nullptr;
  return *m.read_us / *m.cold_us;
}

}  // namespace

std::string describe(rung const& r) {
  ordered_json line = what_it_is(r);
  line["operators"] = names_of(r.operations);
  line["dtypes"] = names_of(r.elements);
  return line.dump();
}

std::string describe(rung_elsewhere const& r) { return what_it_is(r).dump(); }

std::string report(rung_elsewhere const& r, bool with_source) {
  ordered_json line = what_it_is(r);
  line["where"] = world::name();
  line["device"] = world::device();
  for (auto const key : {"n", "dtype", "op", "grid", "block", "k", "most_k", "distinct", "bytes",
                         "verified", "error", "host_additions", "counts", "cold_us", "warm_us",
                         "of_ceiling", "speedup", "page_speedup", "draws_times"})
    line[key] = nullptr;
  for (auto const key : {"findings", "drawing", "steps", "scenes"})
    line[key] = ordered_json::array();
  if (with_source) line["source"] = text_of_file(r.file);
  return line.dump();
}

std::string report_call(rung const& r, problem const& given, world::measurement const& counted) {
  return ordered_json{{"id", r.id},
                      {"n", given.n},
                      {"grid", given.grid},
                      {"block", given.block},
                      {"counts", counts_of(r, counted)}}
      .dump();
}

std::string report(rung_result const& result) {
  problem const& given = result.given;
  world::measurement const measured = result.measured.value_or(world::measurement{});
  ordered_json line = what_it_is(result.of);
  line["where"] = world::name();
  line["device"] = world::device();
  line["n"] = given.n;
  line["dtype"] = name_of(given.type);
  line["op"] = name_of(given.op);
  line["grid"] = given.grid;
  line["block"] = given.block;
  line["k"] = result.of.most_k ? ordered_json(given.k) : ordered_json(nullptr);
  line["most_k"] = result.of.most_k ? ordered_json(result.of.most_k(given)) : ordered_json(nullptr);
  line["distinct"] = given.distinct;
  line["bytes"] = result.of.must_move(given);
  line["verified"] = result.checked.verified;
  line["error"] = result.checked.error;
  line["findings"] = result.checked.findings;
  line["host_additions"] = result.checked.host_additions;
  line["counts"] = counts_of(result.of, measured);
  line["cold_us"] = or_null(measured.cold_us);
  line["warm_us"] = or_null(measured.warm_us);
  line["of_ceiling"] = of_ceiling(measured);
  line["speedup"] = or_null(result.speedup);
  line["page_speedup"] = or_null(result.page_speedup);
  line["drawing"] = result.drawing;
  line["draws_times"] = result.of.draws_times;
  line["steps"] = steps_of(result.steps);
  line["scenes"] = scenes_of(result.scenes);
  if (result.with_source) line["source"] = text_of_file(result.of.file);
  return line.dump();
}

}  // namespace ladder
