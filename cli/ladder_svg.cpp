// SPDX-License-Identifier: Apache-2.0
#include "ladder_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "ladder_steps_svg.hpp"
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
  auto text = fmt::format("{:.3g} x", times);
  if (what != shown::counts) {
    auto const& timed = what == shown::times ? rung : rung.at("recorded");
    text += fmt::format(", {:.4g} us", timed.at("cold_us").get<double>());
  }
  if (what != shown::times)
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
                    rung.at("verified"), rung.value("peer", false)});
  }
  return bars;
}

std::string about(json const& ladder) {
  switch (shown_of(ladder)) {
    case shown::times: return "time of a call with cold caches, over the time of only reading";
    case shown::counts: return "bytes of the sectors moved, over the least that must move";
    case shown::recorded: break;
  }
  auto const first = std::ranges::find_if(
      ladder.at("rungs"), [](json const& rung) { return rung.contains("recorded"); });
  auto const& recorded = first->at("recorded");
  return fmt::format("time on an {} (n = {}), over that of only reading; sectors counted here",
                     recorded.at("device").get<std::string>(), recorded.at("n").dump());
}

// Where the bars are.
constexpr double row = 26, top = 92, plot = 420;

// Where things are: names at the left, bars from the axis' start, their labels behind them.
class chart {
 public:
  explicit chart(std::vector<bar> bars) : bars_(std::move(bars)) {
    for (auto const& b : bars_) {
      names_ = std::max(names_, svg_letter * double(b.name.size()));
      labels_ = std::max(labels_, svg_letter * double(b.label.size()));
      least_ = std::min(least_, std::log10(b.times));
      most_ = std::max(most_, std::log10(b.times));
    }
  }

  double left() const { return svg_margin + names_ + 10; }
  double width() const { return left() + plot + 10 + labels_ + svg_margin; }
  double bottom() const { return top + row * double(bars_.size()); }
  double height() const { return bottom() + 44; }
  double x(double times) const {
    return left() + plot * (std::log10(times) - least_) / (most_ - least_);
  }

  std::string drawn() const {
    std::string text;
    for (int power = int(std::ceil(least_)); power <= most_; ++power) {
      double const times = std::pow(10, power);
      if (power != 0) text += svg_line(x(times), top - 6, x(times), bottom(), "grid");
      text += svg_text(x(times), bottom() + 18, "tick", fmt::format("{:g} x", times));
    }
    for (std::size_t i = 0; i < bars_.size(); ++i) text += drawn(bars_[i], top + row * double(i));
    return text + svg_line(x(1), top - 6, x(1), bottom(), "ceiling");
  }

 private:
  std::vector<bar> bars_;
  double names_ = 0, labels_ = 0;
  double least_ = std::log10(0.8), most_ = std::log10(10);

  std::string drawn(bar const& b, double y) const {
    auto const style = !b.verified ? "wrong" : b.peer ? "peer" : "bar";
    return svg_text(left() - 10, y + 17, "name", b.name) +
           fmt::format(
               "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
               "class=\"{}\"/>\n",
               left(), y + 4, std::max(x(b.times) - left(), 1.0), row - 8, style) +
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
.taken { stroke: #4477aa } circle { fill: #4477aa }
.grid { stroke: #d0d7de } .ceiling { stroke: #cc3311; stroke-width: 2; stroke-dasharray: 5 3 }
</style>
)";

}  // namespace

std::string ladder_svg(json const& ladder) {
  chart const drawing(bars_of(ladder));
  auto const title = fmt::format("{}: {}, n = {}", ladder.at("ladder").get<std::string>(),
                                 ladder.at("device").get<std::string>(), ladder.at("n").dump());
  auto const what = about(ladder);
  auto const ceiling = shown_of(ladder) == shown::counts ? "least possible" : "read ceiling";
  double width = std::max({drawing.width(), 2 * svg_margin + 10 * double(title.size()),
                           2 * svg_margin + svg_letter * double(what.size())});
  double height = drawing.height();
  std::string steps;
  for (auto const& rung : ladder.at("rungs")) {
    steps_svg const noted(rung);
    steps += noted.drawn(height);
    height += noted.height();
    width = noted.height() > 0 ? std::max(width, noted.width()) : width;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
             "width=\"{0:.0f}\" height=\"{1:.0f}\">\n",
             width, height) +
         style + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         svg_text(svg_margin, 34, "title", title) + svg_text(svg_margin, 56, "about", what) +
         svg_text(drawing.x(1) + 6, top - 12, "about", ceiling) + drawing.drawn() + steps +
         "</svg>\n";
}

}  // namespace tally::cli
