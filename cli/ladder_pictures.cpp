// SPDX-License-Identifier: Apache-2.0
//
// Pictures of rungs: of networks and of scenes.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ladder_picture.hpp"

namespace tally::cli {
namespace {

// That a place combined what another held with its own, or copied it; since then it holds all from
// `first` to `last`, nothing if that is less.
struct application {
  int from, to, first, last;
  bool copied;
};
using network_step = std::vector<application>;

application application_of(json const& noted) {
  return {noted.at(0), noted.at(1), noted.at(2), noted.at(3), noted.at(4)};
}

std::vector<network_step> network_of(json const& rung) {
  std::vector<network_step> steps;
  for (auto const& step : rung.value("steps", json::array()))
    std::ranges::transform(step, std::back_inserter(steps.emplace_back()), application_of);
  return steps;
}

// How far the farthest value went that was combined.
int distance(network_step const& step) {
  int farthest = 0;
  for (auto const& a : step)
    if (!a.copied) farthest = std::max(farthest, std::abs(a.to - a.from));
  return farthest;
}

std::size_t places_of(std::vector<network_step> const& steps) {
  int last = 0;
  for (auto const& step : steps)
    for (auto const& a : step) last = std::max({last, a.from, a.to});
  return std::size_t(last) + 1;
}

picture::row row_of(network_step const& step, std::size_t places, std::size_t number, bool down) {
  picture::row row{fmt::format("step {}", number), 34, {}, std::vector<picture::cell>(places)};
  for (auto const& a : step) {
    auto const style = a.copied ? "taken copied" : down ? "taken down" : "taken";
    row.arrows.push_back({a.from, a.to, style});
    row.cells[std::size_t(a.to)] = {
        a.last < a.first ? "nothing" : fmt::format("{}-{}", a.first, a.last), {}, true};
  }
  return row;
}

// What a network comes to, which its text says last: "4 steps, 49 applications, ...".
std::string figures(json const& rung) {
  auto const lines = rung.value("drawing", std::vector<std::string>{});
  return lines.empty() ? std::string() : lines.back();
}

picture picture_of(std::vector<network_step> const& steps, std::string const& title,
                   std::string const& figures) {
  auto const places = places_of(steps);
  picture p{.title = fmt::format("{}, {} places", title, places),
            .about = figures,
            .rows = {{"place", 20, {}, {}}},
            .wires = true};
  for (std::size_t place = 0; place < places; ++place)
    p.rows.front().cells.push_back({fmt::to_string(place), "cell"});
  int farthest = 0;
  bool down = false, any_down = false, any_copied = false;
  for (auto const& step : steps) {
    down |= distance(step) < farthest;  // up a tree distances grow, and down they shrink
    any_down |= down && distance(step) > 0;
    any_copied |= std::ranges::any_of(step, &application::copied);
    farthest = std::max(farthest, distance(step));
    p.rows.push_back(row_of(step, places, p.rows.size(), down));
  }
  if (any_down) p.about += "; orange: the way down";
  if (any_copied) p.about += "; dashed: copied";
  return p;
}

// A step of the lanes from `first` to `last`: what each got, and what it holds then if that
// differs.
void add_rows(json const& step, std::size_t first, std::size_t last, bool at_once, picture& p) {
  picture::row gets{step.at("name"), 46, {}, {}}, holds{"  holds", 22, {}, {}};
  for (auto t = first; t < last; ++t) {
    int const from = step.at("from")[t], lane = int(t - first);
    auto const style = from < 0 ? "cell idle" : "cell";
    gets.cells.push_back({step.at("got")[t].dump(), style});
    holds.cells.push_back({step.at("holds")[t].dump(), style});
    if (from >= 0) gets.arrows.push_back({from, lane, from == lane ? "own" : "got"});
  }
  p.rows.push_back(std::move(gets));
  if (!at_once) p.rows.push_back(std::move(holds));
}

picture block_of(json const& scene, std::size_t first, std::size_t last) {
  picture p{.title = {}, .about = scene.at("what"), .rows = {}};
  picture::row lanes{"lane", 20, {}, {}}, holds{"holds", 22, {}, {}};
  auto const& steps = scene.at("steps");
  for (auto t = first; t < last; ++t) {
    lanes.cells.push_back({fmt::to_string(t - first), "cell idle"});
    holds.cells.push_back({steps[0].at("holds")[t].dump(), "cell"});
  }
  p.rows = {std::move(lanes), std::move(holds)};
  bool const at_once = std::ranges::all_of(
      steps, [](json const& step) { return step.at("got") == step.at("holds"); });
  for (std::size_t i = 1; i < steps.size(); ++i) add_rows(steps[i], first, last, at_once, p);
  return p;
}

std::vector<picture> blocks_of(json const& scene) {
  std::vector<picture> found;
  std::size_t const lanes = scene.at("lanes"), threads = scene.at("steps")[0].at("holds").size();
  for (std::size_t first = 0; first < threads; first += lanes) {
    found.push_back(block_of(scene, first, first + lanes));
    if (threads > lanes) found.back().about += fmt::format(", block {}", first / lanes);
  }
  return found;
}

}  // namespace

std::vector<picture> pictures_of(json const& rung) {
  auto const id = rung.at("id").get<std::string>();
  auto const title = id.substr(id.find('/') + 1) + ": " + rung.at("title").get<std::string>();
  if (auto const steps = network_of(rung); !steps.empty())
    return {picture_of(steps, title, figures(rung))};
  std::vector<picture> found;
  for (auto const& scene : rung.value("scenes", json::array()))
    for (auto& block : blocks_of(scene)) found.push_back(std::move(block));
  if (!found.empty()) found.front().title = title;
  return found;
}

}  // namespace tally::cli
