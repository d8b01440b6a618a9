// SPDX-License-Identifier: Apache-2.0
#include "ladder_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

namespace tally::cli {
namespace {

using cells = std::vector<std::string>;

// Columns as wide as they need to be; the first and the last to the left, the others to the right.
std::string table(std::vector<cells> const& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (auto const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (auto const& row : rows) {
    text += fmt::format("{:<{}}", row.front(), widths.front());
    for (std::size_t i = 1; i + 1 < row.size(); ++i)
      text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += "  " + row.back() + "\n";
  }
  return text;
}

std::string text_of(json const& object, char const* key) {
  auto const found = object.find(key);
  if (found == object.end() || found->is_null()) return "-";
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number_float()) return short_text(found->get<double>(), 4);
  return found->dump();
}

std::string name_of(json const& rung) {
  auto const id = text_of(rung, "id");
  return id.substr(id.find('/') + 1);
}

// A rung that only a GPU can run has been verified there.
std::string verified(json const& rung) {
  if (rung.at("verified").is_null()) return rung.contains("recorded") ? "recorded" : "-";
  return rung.at("verified") ? "yes" : "NO";
}

std::string shape(json const& rung) {
  return rung.at("grid").is_null() ? "-" : text_of(rung, "grid") + " x " + text_of(rung, "block");
}

cells counted(json const& rung) {
  auto const& counts = rung.at("counts");
  return {name_of(rung),
          verified(rung),
          shape(rung),
          text_of(rung, "n"),
          text_of(counts, "sectors"),
          text_of(rung, "moved"),
          text_of(counts, "bank_conflicts"),
          text_of(counts, "barriers"),
          text_of(counts, "shuffles"),
          text_of(counts, "atomics"),
          text_of(counts, "operator"),
          text_of(rung.value("recorded", json::object()), "cold_us"),
          text_of(rung, "title")};
}

cells timed(json const& rung) {
  return {name_of(rung),
          verified(rung),
          shape(rung),
          text_of(rung, "n"),
          text_of(rung, "cold_us"),
          text_of(rung, "warm_us"),
          text_of(rung, "of_ceiling"),
          text_of(rung, "speedup"),
          text_of(rung, "page_us"),
          text_of(rung, "page_speedup"),
          text_of(rung, "title")};
}

// Words on lines of at most `width` columns, the first behind a label.
std::string paragraph(std::string const& label, std::string const& text) {
  constexpr std::size_t width = 100, margin = 12;
  if (text.empty()) return {};
  auto lines = fmt::format("  {:<{}}", label, margin - 2);
  std::size_t column = margin;
  std::istringstream words(text);
  for (std::string word; words >> word; column += word.size() + 1) {
    if (column + word.size() > width && column > margin) {
      lines.back() = '\n';
      lines += std::string(margin, ' ');
      column = margin;
    }
    lines += word + " ";
  }
  lines.back() = '\n';
  return lines;
}

// What the page calls a rung, and the time it gives.
std::string of_page(json const& rung) {
  if (!rung.value("page", json()).is_string()) return {};
  auto text = rung["page"].get<std::string>();
  if (rung.value("page_us", json()).is_number()) text += ", " + text_of(rung, "page_us") + " us";
  return text;
}

// Why there is only what was recorded.
std::string gpu_only(json const& rung) {
  return rung.contains("only_on") ? text_of(rung, "gpu_only") : std::string();
}

// What a rung changes, what is to be expected of that, and what came of it.
std::string why(json const& rung) {
  auto const told = rung.value("why", json::object());
  return paragraph("change", told.value("change", "")) +
         paragraph("predicted", told.value("predict", "")) +
         paragraph("bytes", told.value("bytes", "")) +
         paragraph("measured", told.value("measured", "")) +
         paragraph(
             "note",
             fmt::format("{}", fmt::join(told.value("more", std::vector<std::string>{}), " "))) +
         paragraph("page", of_page(rung)) + paragraph("GPU only", gpu_only(rung)) +
         paragraph("file", rung.value("file", ""));
}

// What a recorded time is of.
std::string recorded_on(json const& recorded) {
  auto text = "an " + text_of(recorded, "device");
  if (recorded.contains("date")) text += ", " + text_of(recorded, "date");
  return text;
}

// What a rung draws, and what it drew when it was recorded.
std::string drawing(json const& rung) {
  std::string text;
  auto const add = [&](json const& from) {
    for (auto const& line : from.value("drawing", json::array()))
      text += fmt::format("  {}\n", line.get<std::string>());
  };
  add(rung);
  auto const recorded = rung.value("recorded", json::object());
  if (recorded.contains("drawing")) {
    text += fmt::format("  recorded on {}:\n", recorded_on(recorded));
    add(recorded);
  }
  return text;
}

// What bounds a rung, in its time or in what it can do.
std::string bound(json const& rung) {
  bool const all_it_can = rung.value("k", json()).is_number() && rung["k"] == rung["most_k"];
  bool const limited = all_it_can || !rung.value("limit", json()).is_null();
  auto const text = rung.value("bound", json());
  return text.is_string() ? paragraph(limited ? "limit" : "bound", text) : std::string();
}

// What is not finished.
std::string left(json const& rung) {
  auto const additions = rung.value("host_additions", json());
  if (!additions.is_number() || additions == 0) return {};
  return paragraph("left", additions.dump() + " additions, to the host");
}

// Why a rung is there, unless the one before it has said so, what was wrong, and what it draws.
std::string notes(json const& rung, json const* before) {
  auto const same = [&](char const* key) {
    return rung.value(key, json()) == before->value(key, json());
  };
  bool const told = before && same("file") && same("why") && same("page") && same("page_us");
  std::string lines = told ? std::string() : why(rung);
  lines += bound(rung) + left(rung);
  for (auto const& line : rung.value("findings", json::array()))
    lines += fmt::format("  {}\n", line.get<std::string>());
  lines += drawing(rung);
  if (lines.empty()) return {};
  return fmt::format("\n{}: {}\n{}", name_of(rung), text_of(rung, "title"), lines);
}

// What the recorded times are of.
std::string recorded_times(json const& ladder) {
  json one;
  std::set<std::uint64_t> sizes;
  for (auto const& rung : ladder.at("rungs"))
    if (rung.contains("recorded"))
      sizes.insert((one = rung["recorded"]).at("n").get<std::uint64_t>());
  if (sizes.empty()) return {};
  auto const others = fmt::format("{}", fmt::join(sizes.begin(), std::prev(sizes.end()), ", "));
  return fmt::format("recorded us: a call with cold caches on {}, n = {}{}\n", recorded_on(one),
                     *sizes.rbegin(),
                     others.empty() ? "" : "; of rungs that are for fewer elements, " + others);
}

// The files of the rungs that were asked for, each once.
std::string sources(json const& rungs) {
  std::string text, last;
  for (auto const& rung : rungs) {
    auto const file = rung.value("file", "");
    if (!rung.contains("source") || file == last) continue;
    text += fmt::format("\n{}:\n\n{}", file, rung["source"].get<std::string>());
    last = file;
  }
  return text;
}

}  // namespace

std::string short_text(double x, int digits) {
  return x < 1000 ? fmt::format("{:.{}g}", x, digits) : fmt::format("{:.0f}", x);
}

std::string ladder_text(json const& ladder) {
  bool const on_gpu = ladder.at("where") == "gpu";
  std::vector<cells> rows{
      on_gpu ? cells{"rung", "verified", "shape", "n", "cold us", "warm us", "of ceiling",
                     "speed-up", "page's us", "page's speed-up", "what"}
             : cells{"rung", "verified", "shape", "n", "sectors", "moved", "conflicts", "barriers",
                     "shuffles", "atomics", "operator", "recorded us", "what"}};
  auto const& rungs = ladder.at("rungs");
  for (auto const& rung : rungs) rows.push_back(on_gpu ? timed(rung) : counted(rung));
  if (std::ranges::any_of(rungs,
                          [](json const& r) { return r.value("most_k", json()).is_number(); }))
    for (std::size_t i = 0; i < rows.size();
         ++i)  // how many a selection can select, beside its shape
      rows[i].insert(rows[i].begin() + 4, i == 0 ? "k up to" : text_of(rungs[i - 1], "most_k"));
  auto text =
      fmt::format("{}: {}\n\n", text_of(ladder, "ladder"), text_of(ladder, "device")) + table(rows);
  text += on_gpu ? "\nof ceiling: the time that only reading takes, over the rung's\n"
                 : "\nmoved: the bytes of all sectors, over the least that must move\n";
  text += recorded_times(ladder);
  for (std::size_t i = 0; i < rungs.size(); ++i)
    text += notes(rungs[i], i == 0 ? nullptr : &rungs[i - 1]);
  return text + sources(rungs);
}

std::string exhibits_text(json const& exhibits) {
  std::string text;
  for (auto const& e : exhibits.at("exhibits")) {
    text += fmt::format("{} ({}): {}\n", text_of(e, "id"), text_of(e, "page"), text_of(e, "bug"));
    text +=
        fmt::format("  {}: {}\n", e.at("caught") ? "caught" : "NOT CAUGHT", text_of(e, "reported"));
    if (!e.at("kernel").is_null())
      text += fmt::format("  in {}, block {}, lane {}, {}:{}\n", text_of(e, "kernel"),
                          text_of(e, "block"), text_of(e, "lane"), text_of(e, "file"),
                          text_of(e, "line"));
  }
  return text;
}

std::string ladders_text(json const& ladders) {
  std::vector<cells> rows{{"ladder", "rungs", ""}};
  for (auto const& one : ladders.at("ladders"))
    rows.push_back(
        {text_of(one, "id"), text_of(one, "rungs"), "tally ladder " + text_of(one, "id")});
  return table(rows) + "\ntally ladder list: what of the tutorials is here\n" +
         "tally ladder exhibits: their mistakes, being caught\n";
}

std::string systems_text(json const& systems) {
  std::string text;
  for (auto const& s : systems.at("systems")) {
    text +=
        fmt::format("{} ({}): {}\n", text_of(s, "id"), text_of(s, "status"), text_of(s, "what"));
    for (auto const key : {"file", "test", "result"}) text += paragraph(key, text_of(s, key));
  }
  return text;
}

}  // namespace tally::cli
