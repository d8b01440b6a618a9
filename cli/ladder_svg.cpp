// SPDX-License-Identifier: Apache-2.0
#include "ladder_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "ladder_picture.hpp"
#include "ladder_text.hpp"
#include "svg.hpp"

namespace tally::cli {
namespace {

struct bar {
  std::string name, label;
  double times;  // the ceiling's
  bool verified, peer;
};

// What bars show: times of this GPU; of another one, which were recorded, beside what the machine
// counts; or those counts, of rungs that nobody has timed.
enum class shown { times, recorded, counts };

shown shown_of(json const& ladder) {
  if (ladder.at("where") == "gpu") return shown::times;
  bool const any = std::ranges::any_of(ladder.at("rungs"),
                                       [](json const& rung) { return rung.contains("recorded"); });
  return any ? shown::recorded : shown::counts;
}

// Nothing if the rung was not measured.
std::optional<double> times_the_ceiling(json const& rung, shown what) {
  if (what == shown::recorded && !rung.contains("recorded")) return std::nullopt;
  auto const& value = what == shown::counts  ? rung.at("moved")
                      : what == shown::times ? rung.at("of_ceiling")
                                             : rung.at("recorded").at("of_ceiling");
  if (!value.is_number() || value.get<double>() <= 0) return std::nullopt;
  return what == shown::counts ? value.get<double>() : 1 / value.get<double>();
}

std::string label_of(json const& rung, shown what, double times) {
  auto text = short_text(times, 3) + " x";
  if (what != shown::counts) {
    auto const& timed = what == shown::times ? rung : rung.at("recorded");
    text += fmt::format(", {} us", short_text(timed.at("cold_us").get<double>(), 4));
  }
  if (what != shown::times && rung.at("counts").is_object())
    text += fmt::format(", {} sectors", rung.at("counts").at("sectors").dump());
  return text;
}

std::vector<bar> bars_of(json const& ladder) {
  auto const what = shown_of(ladder);
  std::vector<bar> bars;
  for (auto const& rung : ladder.at("rungs")) {
    auto const times = times_the_ceiling(rung, what);
    if (!times) continue;
    auto const id = rung.at("id").get<std::string>();
    bars.push_back({id.substr(id.find('/') + 1), label_of(rung, what, *times), *times,
                    rung.at("verified") != false, rung.value("peer", json()) == true});
  }
  return bars;
}

std::string about(json const& ladder) {
  auto const what = shown_of(ladder);
  if (what == shown::counts) return "bytes of the sectors moved, over the least that must move";
  std::string text = "time of a call with cold caches, over that of only reading";
  if (what == shown::recorded && ladder.at("n").is_number())
    text += fmt::format("; sectors counted on the {}, n = {}",
                        ladder.at("device").get<std::string>(), ladder.at("n").dump());
  return text;
}

// What was timed, or counted, and where.
std::string title(json const& ladder) {
  json of = ladder;
  if (shown_of(ladder) == shown::recorded) {
    of["n"] = nullptr;
    for (auto const& rung : ladder.at("rungs"))
      if (rung.contains("recorded") && of["n"] < rung["recorded"].at("n")) of = rung["recorded"];
  }
  auto text = ladder.at("ladder").get<std::string>() + ": " + of.at("device").get<std::string>();
  return of.at("n").is_number() ? text + ", n = " + of["n"].dump() : text;
}

// Where the bars are.
constexpr double row = 26, top = 92, plot = 420;

// 1, 2 or 5 times a power of ten: the distance of about five ticks.
double between_ticks(double end) {
  double const power = std::pow(10, std::floor(std::log10(end / 5)));
  for (double const step : {1, 2, 5})
    if (end / (step * power) <= 6) return step * power;
  return 10 * power;
}

// Where things are: names at the left, bars from the axis' start, their labels behind them. The
// axis ends at ten times the shortest bar, or twice the middle one, so that one step to the next
// can be seen; what is longer goes beyond it, and is broken there.
class chart {
 public:
  explicit chart(std::vector<bar> bars) : bars_(std::move(bars)) {
    std::vector<double> times;
    for (auto const& b : bars_) {
      names_ = std::max(names_, svg_letter * double(b.name.size()));
      labels_ = std::max(labels_, svg_letter * double(b.label.size()));
      times.push_back(b.times);
    }
    std::ranges::sort(times);
    double const most = times.empty() ? 0 : std::max(10 * times[0], 2 * times[times.size() / 2]);
    for (double const t : times)
      if (t <= most) end_ = std::max(end_, t);
    breaks_ = !times.empty() && times.back() > most;
  }

  double left() const { return svg_margin + names_ + 10; }
  double width() const { return left() + plot + 10 + labels_ + svg_margin; }
  double bottom() const { return top + row * double(bars_.size()); }
  double height() const { return bottom() + 44; }
  double x(double times) const {
    if (times > end_) return left() + plot;
    return left() + plot * (breaks_ ? 0.85 : 1) * times / end_;
  }

  std::string drawn() const {
    std::string text;
    double const step = between_ticks(end_);
    for (int i = 1; i * step <= end_; ++i) {
      text += svg_line(x(i * step), top - 6, x(i * step), bottom(), "grid");
      text += svg_text(x(i * step), bottom() + 18, "tick", fmt::format("{:g} x", i * step));
    }
    for (std::size_t i = 0; i < bars_.size(); ++i) text += drawn(bars_[i], top + row * double(i));
    return text + svg_line(x(1), top - 6, x(1), bottom(), "ceiling");
  }

 private:
  std::vector<bar> bars_;
  double names_ = 0, labels_ = 0;
  double end_ = 3;       // of the axis
  bool breaks_ = false;  // whether a bar goes beyond it

  std::string drawn(bar const& b, double y) const {
    auto const style = !b.verified ? "wrong" : b.peer ? "peer" : "bar";
    return svg_text(left() - 10, y + 17, "name", b.name) +
           fmt::format(
               "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
               "class=\"{}\"/>\n",
               left(), y + 4, std::max(x(b.times) - left(), 1.0), row - 8, style) +
           (b.times > end_
                ? svg_line(left() + 0.91 * plot, y + row - 2, left() + 0.94 * plot, y + 2, "break")
                : std::string()) +
           svg_text(std::max(x(b.times), x(1)) + 8, y + 17, "label",
                    b.label + (b.verified ? "" : " (wrong)"));
  }
};

constexpr char style[] = R"(<style>
text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #24292f }
.title { font-size: 17px; font-weight: 600 }
.label { paint-order: stroke; stroke: white; stroke-width: 3px }
.about, .tick { fill: #57606a } .tick { text-anchor: middle } .name { text-anchor: end }
.bar { fill: #4477aa } .peer { fill: #bbbbbb } .wrong { fill: #ee6677 }
.taken, .got { stroke: #4477aa } circle, #head { fill: #4477aa } .got { marker-end: url(#arrow) }
.down { stroke: #ee7733 } .copied { stroke-dasharray: 4 3 } .own { stroke: #d0d7de }
.cell { text-anchor: middle } .idle { fill: #a0a8b0 }
.drawn { font-family: "DejaVu Sans Mono", monospace; font-size: 12px }
.break { stroke: white; stroke-width: 4px }
.grid { stroke: #d0d7de } .ceiling { stroke: #cc3311; stroke-width: 2; stroke-dasharray: 5 3 }
</style>
<marker id="arrow" orient="auto" markerWidth="8" markerHeight="8" refX="7" refY="4">
<path id="head" d="M0 1L8 4L0 7z"/></marker>
)";

// What is below the bars: pictures of what rungs noted; of one that was asked for alone and has
// none, the lines of text that it draws.
struct below {
  double width = 0, height = 0;
  std::string text;
};

below pictures(json const& ladder, double top) {
  below all;
  for (auto const& rung : ladder.at("rungs"))
    for (auto const& one : pictures_of(rung)) {
      all.text += svg_of(one, top + all.height);
      all.height += height_of(one);
      all.width = std::max(all.width, width_of(one));
    }
  return all;
}

below lines(json const& rung, double top) {
  constexpr double line_height = 18;
  below all;
  all.height = svg_margin;
  for (auto const& from : {rung, rung.value("recorded", json::object())})
    for (auto const& line : from.value("drawing", std::vector<std::string>{})) {
      all.height += line_height;
      all.text += svg_text(svg_margin, top + all.height, "drawn", line);
      all.width = std::max(all.width, 2 * svg_margin + svg_letter * double(line.size()));
    }
  all.height += svg_margin;
  return all;
}

below below_bars(json const& ladder, double top) {
  auto const& rungs = ladder.at("rungs");
  auto found = pictures(ladder, top);
  return found.text.empty() && rungs.size() == 1 ? lines(rungs[0], top) : found;
}

}  // namespace

std::string ladder_svg(json const& ladder) {
  chart const drawing(bars_of(ladder));
  auto const heading = title(ladder), what = about(ladder);
  auto const ceiling = shown_of(ladder) == shown::counts ? "least possible" : "read ceiling";
  double const width = std::max({drawing.width(), 2 * svg_margin + 10 * double(heading.size()),
                                 2 * svg_margin + svg_letter * double(what.size())});
  auto const more = below_bars(ladder, drawing.height());
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
             "width=\"{0:.0f}\" height=\"{1:.0f}\" xml:space=\"preserve\">\n",
             std::max(width, more.width), drawing.height() + more.height) +
         style + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         svg_text(svg_margin, 34, "title", heading) + svg_text(svg_margin, 56, "about", what) +
         svg_text(drawing.x(1) + 6, top - 12, "about", ceiling) + drawing.drawn() + more.text +
         "</svg>\n";
}

}  // namespace tally::cli
