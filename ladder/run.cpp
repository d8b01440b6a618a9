// SPDX-License-Identifier: Apache-2.0
#include "ladder/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "ladder/draw_steps.hpp"
#include "ladder/elsewhere.hpp"
#include "ladder/in_processes.hpp"
#include "ladder/report.hpp"
#include "ladder/verify.hpp"
#include "ladder/world.hpp"
#include "tally/error.hpp"

namespace ladder {

std::map<std::string, element> element_names() {
  return {{"float32", element::float32}, {"int32", element::int32}};
}

std::map<std::string, operation> operation_names() {
  return {{"sum", operation::sum},
          {"min", operation::minimum},
          {"max", operation::maximum},
          {"mean", operation::mean},
          {"recurrence", operation::recurrence}};
}

namespace {

template <class T>
bool takes(std::vector<T> const& offered, std::optional<T> asked) {
  return !asked || std::ranges::count(offered, *asked);
}

// By its id, or by its file, which may be that of several.
template <class Rung>
bool is_meant(Rung const& r, request const& asked) {
  return (asked.ladder.empty() || r.ladder() == asked.ladder) &&
         (!asked.rung || r.id == *asked.rung || id_of_file(r.file) == *asked.rung);
}

struct choice {
  std::vector<rung> here;
  std::vector<rung_elsewhere> elsewhere;  // nobody here knows what they take
};

choice chosen(request const& asked) {
  choice found;
  for (rung const& r : rungs()) {
    bool const selects = (!asked.k && !asked.repeats) || r.most_k;
    bool const able = !asked.only_able || r.largest_n() >= asked.n.value_or(0);
    if (is_meant(r, asked) && selects && able && (!asked.distinct || r.takes_distinct) &&
        takes(r.operations, asked.op) && takes(r.elements, asked.type))
      found.here.push_back(r);
  }
  for (auto const& r : rungs_elsewhere())
    if (is_meant(r, asked)) found.elsewhere.push_back(r);
  if (found.here.empty() && !asked.rung) found.elsewhere.clear();
  return found;
}

constexpr std::size_t usual_k = 10;

void choose_shape(problem& given, rung const& r, request const& asked) {
  if (!r.fixed_shape) {
    world::suit(given, r);
    given.block = asked.block.value_or(given.block);
  }
  if (r.thread_an_element) given.grid = r.grid_for(given.n, given.block);
  if (!r.fixed_shape) given.grid = asked.grid.value_or(given.grid);
}

problem pose(rung const& r, request const& asked) {
  problem given;
  given.op = asked.op.value_or(r.operations.front());
  given.type = asked.type.value_or(r.elements.front());
  std::size_t const usual_n = r.usual_n ? r.usual_n : world::default_n(asked.ladder);
  given.n = std::min(asked.n.value_or(usual_n), r.largest_n());
  given.grid = r.grid;
  given.block = r.block_for(given.n);
  choose_shape(given, r, asked);
  given.distinct = r.takes_distinct && !asked.repeats;
  if (r.most_k) given.k = std::min(asked.k.value_or(usual_k), r.most_k(given));
  return given;
}

// Times are those of the ladder's first rung: the others are so many times as fast.
class baseline {
 public:
  explicit baseline(std::string const& ladder) {
    auto const timed = std::ranges::find_if(
        rungs(), [&](rung const& r) { return r.ladder() == ladder && r.page_us > 0; });
    if (timed != rungs().end()) page_us_ = timed->page_us;
  }
  void speed_up(rung_result& result) {
    auto const& measured = result.measured;
    if (measured && measured->cold_us && result.given.n) {
      double const us = *measured->cold_us / double(result.given.n);
      if (!us_an_element_) us_an_element_ = us;
      result.speedup = *us_an_element_ / us;
    }
    if (result.of.page_us > 0) result.page_speedup = page_us_ / result.of.page_us;
  }

 private:
  std::optional<double> us_an_element_;
  double page_us_ = 0;
};

rung_result climb(rung const& r, problem const& given, request const& asked, input_store& inputs) {
  rung_result result{.of = r, .given = given};
  bool const once = asked.sweep || asked.this_size;
  result.checked = once ? verify_once(r, given, inputs) : verify(r, given, inputs);
  auto const& in = inputs.get(r.inputs.front(), given.type, given.n);
  prepared const memory(r, given, in, 0);
  if (!asked.verify_only) result.measured = world::measure(r, memory.given());
  if (r.draw && !asked.sweep) result.drawing = r.draw(memory.given());
  if (r.scenes && !asked.sweep) result.scenes = r.scenes(memory.given());
  if (r.steps && !asked.sweep) {
    result.steps = r.steps(memory.given());
    result.drawing = draw_steps(result.steps);
  }
  for (auto& line : world::findings()) result.checked.add(std::move(line));
  return result;
}

void make_one_call(rung const& r, problem const& given, input_store& inputs) {
  prepared const memory(r, given, inputs.get(r.inputs.front(), given.type, given.n), 0);
  std::puts(report_call(r, given, world::call_once(r, memory.given())).c_str());
}

// Whether it was verified.
bool run_rung(rung const& r, request const& asked, input_store& inputs, baseline& first) {
  problem const usual = pose(r, asked);
  if (asked.once) {
    make_one_call(r, usual, inputs);
    return true;
  }
  std::vector<problem> problems{usual};
  if (asked.sweep && !r.fixed_shape) problems = world::sweep(usual);
  if (r.most_k)
    for (problem& given : problems) given.k = std::min(usual.k, r.most_k(given));
  bool verified = true;
  for (problem const& given : problems) {
    rung_result result = climb(r, given, asked, inputs);
    result.with_source = asked.rung && !asked.sweep;
    if (!asked.sweep && !asked.rung) first.speed_up(result);
    verified = verified && result.checked.verified;
    std::puts(report(result).c_str());
    std::fflush(stdout);
  }
  return verified;
}

}  // namespace

int list(request const& asked) {
  auto const found = chosen(asked);
  for (auto const& r : found.here) std::puts(describe(r).c_str());
  for (auto const& r : found.elsewhere) std::puts(describe(r).c_str());
  return 0;
}

int run(request const& asked) {
  world::device();  // throws if there is none
  auto const [here, elsewhere] = chosen(asked);
  if (here.empty() && elsewhere.empty())
    throw tally::error(fmt::format("{}: no rung of this program is in that ladder and takes that",
                                   asked.rung.value_or(asked.ladder)));
  input_store inputs;
  baseline first(asked.ladder);
  int const status = in_processes(here.size(), world::rungs_at_once(), [&](std::size_t i) {
    return run_rung(here[i], asked, inputs, first) ? 0 : 1;
  });
  if (asked.once) return status;
  for (auto const& r : elsewhere) std::puts(report(r, asked.rung.has_value()).c_str());
  return status;
}

}  // namespace ladder
