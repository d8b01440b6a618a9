// SPDX-License-Identifier: Apache-2.0
#include "ladder/shuffle/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "tally/cuda/device_array.cuh"

namespace ladder::shuffle {
namespace {

using trace = std::span<step const>;

std::size_t size_of(experiment const& what) {
  std::size_t size = 0;
  for (auto const& s : what.scenes) size += s.size();
  return size;
}

void run(experiment const& what, step* out, cudaStream_t stream) {
  for (auto const& s : what.scenes) {
    s.run(out, stream);
    out += s.size();
  }
}

// Calls f(scene, its trace).
template <class F>
void for_each_scene(experiment const& what, trace all, F&& f) {
  for (auto const& s : what.scenes) {
    f(s, all.first(s.size()));
    all = all.subspan(s.size());
  }
}

template <class Member>
std::vector<int> column(trace steps, Member member) {
  std::vector<int> values;
  for (auto const& s : steps) values.push_back(s.*member);
  return values;
}

void compare(std::string const& what, std::vector<int> const& expected,
             std::vector<int> const& found, judgement& so_far) {
  if (expected.empty() || found == expected) return;
  so_far.right = false;
  auto const at = std::ranges::mismatch(expected, found).in1 - expected.begin();
  so_far.why = fmt::format("{}, place {}: expected {}, found {}", what, at,
                           at < std::ssize(expected) ? fmt::to_string(expected[at]) : "nothing",
                           at < std::ssize(found) ? fmt::to_string(found[at]) : "nothing");
}

judgement judge(experiment const& what, trace all) {
  judgement result{.right = true};
  for_each_scene(what, all, [&](scene const& s, trace steps) {
    compare(s.what + ": got", s.got, column(steps.subspan(s.threads()), &step::got), result);
    compare(s.what + ": holds", s.holds, column(steps.last(s.threads()), &step::holds), result);
  });
  return result;
}

std::string from_text(step const& s, unsigned lane) {
  if (s.from == did_not_call) return "-";
  return s.from == int(lane) ? "own" : fmt::to_string(s.from);
}

template <class Cell>
std::string row(std::string const& label, unsigned first, unsigned last, Cell cell) {
  auto text = fmt::format("  {:<13}", label);
  for (unsigned t = first; t < last; ++t) text += fmt::format("{:>5}", cell(t));
  return text;
}

// The threads from `first` to `last`, a column for each.
void draw(scene const& s, trace steps, unsigned first, unsigned last,
          std::vector<std::string>& lines) {
  lines.push_back(row("lane", first, last, [&](unsigned t) { return t % s.lanes; }));
  lines.push_back(row("holds", first, last, [&](unsigned t) { return steps[t].holds; }));
  for (auto const& name : s.steps) {
    steps = steps.subspan(s.threads());
    lines.push_back(row(name + ", from", first, last,
                        [&](unsigned t) { return from_text(steps[t], t % s.lanes); }));
    lines.push_back(row("  gets", first, last, [&](unsigned t) { return steps[t].got; }));
    lines.push_back(row("  holds", first, last, [&](unsigned t) { return steps[t].holds; }));
  }
}

std::vector<std::string> draw(experiment const& what, trace all) {
  std::vector<std::string> lines;
  if (!what.says.empty()) lines.push_back("the page: " + what.says);
  lines.push_back("right:    " + what.right);
  for_each_scene(what, all, [&](scene const& s, trace steps) {
    constexpr unsigned columns = 16;
    lines.push_back(s.what);
    for (unsigned first = 0; first < s.threads(); first += columns)
      draw(s, steps, first, std::min(first + columns, s.threads()), lines);
  });
  return lines;
}

// What draw() draws, as numbers.
std::vector<lane_scene> scenes(experiment const& what, trace all) {
  std::vector<lane_scene> found;
  for_each_scene(what, all, [&](scene const& s, trace steps) {
    auto& of = found.emplace_back(lane_scene{.what = s.what, .lanes = s.lanes, .steps = {}});
    for (std::size_t i = 0; i <= s.steps.size(); ++i) {
      auto const now = steps.subspan(i * s.threads(), s.threads());
      of.steps.push_back({.name = i == 0 ? std::string() : s.steps[i - 1],
                          .from = column(now, &step::from),
                          .got = column(now, &step::got),
                          .holds = column(now, &step::holds)});
    }
  });
  return found;
}

std::vector<step> noted(experiment const& what, cudaStream_t stream) {
  tally::device_array<step> const out(size_of(what));
  run(what, out.data(), stream);
  return out.to_host();
}

trace trace_in(std::span<std::byte const> bytes) {
  return {reinterpret_cast<step const*>(bytes.data()), bytes.size() / sizeof(step)};
}

}  // namespace

rung rung_of(experiment const& what) {
  auto const bytes = size_of(what) * sizeof(step);
  return {
      .id = what.id,
      .title = what.title,
      .bound = "one warp's latency: a value a lane, and nothing is read",
      .page = what.page,
      .grid = what.scenes.front().blocks,
      .block = what.scenes.front().lanes,
      .fixed_shape = true,
      .limit = what.scenes.front().threads(),
      .operations = {operation::none},
      .elements = {element::int32},
      .out_bytes = [=](problem const&) { return bytes; },
      .must_move = [=](problem const&) { return bytes; },
      .enqueue = [=](problem const& p) { run(what, static_cast<step*>(p.out), p.stream); },
      .judge = [=](outcome const& o) { return judge(what, trace_in(o.out)); },
      .draw = [=](problem const& p) { return draw(what, noted(what, p.stream)); },
      .scenes = [=](problem const& p) { return scenes(what, noted(what, p.stream)); },
  };
}

}  // namespace ladder::shuffle
