// SPDX-License-Identifier: Apache-2.0
//
// tally ladder: runs the programs that hold the kernels and presents what they say.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "commands.hpp"
#include "embedded.hpp"
#include "ladder_program.hpp"
#include "ladder_recorded.hpp"
#include "ladder_svg.hpp"
#include "ladder_text.hpp"
#include "nearest.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "standard_output.hpp"
#include "tally/devices.hpp"
#include "tally/error.hpp"
#include "tally/io/output.hpp"

namespace tally::cli {
namespace {

constexpr char on_machine[] = "tally-ladder-simt", on_gpu[] = "tally-ladder-gpu";

std::string needed_program(std::string const& name) {
  if (auto const path = ladder_program(name)) return *path;
  throw error("ladder: there is no " + name +
              " beside this tally; where Tally was built, `ninja -C BUILD_FOLDER " + name +
              "` makes it");
}

// How many rungs each ladder has.
std::map<std::string, int> ladders(std::vector<json> const& rungs) {
  std::map<std::string, int> counts;
  for (auto const& rung : rungs) ++counts[rung.at("ladder").get<std::string>()];
  return counts;
}

void check_ladder(std::string const& name, std::vector<json> const& rungs) {
  auto const known = ladders(rungs);
  if (known.count(name)) return;
  std::vector<std::string> all{"exhibits", "list"};
  for (auto const& [ladder, count] : known) all.push_back(ladder);
  throw usage_error("unknown ladder '" + name + "'" +
                    did_you_mean(name, all, fmt::format("; there are {}", fmt::join(all, ", "))));
}

// What is behind the last slash, without the file's ending.
std::string last_part(std::string const& path) {
  return std::filesystem::path(path).filename().replace_extension().string();
}

// The name of the rung that is like the word: by its number, a part of it, or typing errors.
std::string meant_rung(std::string const& word, std::vector<std::string> const& names) {
  auto const number = word.find_first_not_of("0123456789") == word.npos
                          ? fmt::format("{:0>2}_", word)
                          : std::string();
  auto const other = "; there are " + fmt::format("{}", fmt::join(names, ", "));
  for (auto const& name : names)
    if (number.empty() ? word.size() > 2 && name.find(word) != name.npos : name.starts_with(number))
      return "; did you mean " + name + "?";
  return did_you_mean(word, names, other);
}

// By its name in the table, or that of its file; either with its ladder's in front.
void check_rung(ladder_arguments const& asked, std::vector<json> const& rungs) {
  if (!asked.rung) return;
  std::vector<std::string> names;
  for (auto const& rung : rungs) {
    if (rung.at("ladder") != asked.name) continue;
    for (auto const key : {"id", "file"})
      if (auto const name = last_part(rung.value(key, "")); !std::ranges::count(names, name))
        names.push_back(name);
  }
  std::ranges::sort(names);
  auto const front = asked.name + "/";
  auto const word = asked.rung->substr(asked.rung->starts_with(front) ? front.size() : 0);
  if (!std::ranges::count(names, word))
    throw usage_error("unknown rung '" + *asked.rung + "' of " + asked.name +
                      meant_rung(word, names));
}

std::vector<std::string> program_arguments(char const* verb, ladder_arguments const& asked) {
  std::vector<std::string> words{verb, asked.name};
  auto const add = [&](std::string const& option, auto const& value) {
    if (!value) return;
    words.push_back(option);
    words.push_back(fmt::format("{}", *value));
  };
  add("--n", asked.n);
  add("--block", asked.block);
  add("--grid", asked.grid);
  add("--operator", asked.op);
  add("--dtype", asked.type);
  if (asked.rung) {  // reduce/04_shared_tree, or as tables print it, 04_shared_tree
    bool const short_name = asked.rung->find('/') == std::string::npos;
    add("--rung", std::optional((short_name ? asked.name + "/" : "") + *asked.rung));
  }
  add("-k", asked.k);
  if (asked.distinct) words.push_back("--distinct");
  if (asked.repeats) words.push_back("--repeats");
  if (asked.sweep) words.push_back("--sweep");
  return words;
}

// The bytes of all sectors over those that must move.
json moved(json const& rung) {
  auto const& counts = rung.at("counts");
  if (!counts.is_object() || rung.value("bytes", 0.0) == 0) return nullptr;
  return 32 * counts.at("sectors").get<double>() / rung["bytes"].get<double>();
}

// Rungs that have been run, and the last one.
std::pair<std::size_t, std::string> done(std::vector<json> const& rungs) {
  std::set<std::string> ids;
  std::string last;
  for (auto const& rung : rungs)
    if (rung.is_object()) ids.insert(last = rung.value("id", ""));
  return {ids.size(), last_part(last)};
}

std::string nobody_takes(ladder_arguments asked) {
  auto const who = asked.rung ? *asked.rung + " of " + asked.name + " does not take"
                              : "no rung of " + asked.name + " takes";
  asked.rung.reset();
  auto const words = program_arguments("list", asked);
  return fmt::format("{} {}", who, fmt::join(words.begin() + 2, words.end(), " "));
}

std::vector<json> rungs_of(char const* program, ladder_arguments const& asked) {
  auto const path = needed_program(program);
  auto const all = run_ladder_program(path, program_arguments("list", asked)).size();
  if (all == 0) throw usage_error(nobody_takes(asked));
  progress shown;
  auto const show = [&](std::vector<json> const& so_far) {
    auto const [count, last] = done(so_far);
    shown.show(count, all, last);
  };
  auto rungs = run_ladder_program(path, program_arguments("run", asked), show);
  for (auto& rung : rungs) rung["moved"] = moved(rung);
  return rungs;
}

json* find_rung(std::vector<json>& rungs, json const& id) {
  auto const found = std::ranges::find(rungs, id, [](json const& r) { return r["id"]; });
  return found == rungs.end() ? nullptr : &*found;
}

// What the machine counts, beside the times of a GPU: at a size that it can do in a short while.
void add_counts(std::vector<json>& rungs, ladder_arguments asked) {
  if (asked.sweep || !ladder_program(on_machine)) return;
  asked.n = std::min<std::uint64_t>(asked.n.value_or(1 << 16), 1 << 20);
  asked.block = asked.grid = std::nullopt;
  auto counted = rungs_of(on_machine, asked);
  for (auto& rung : rungs) {
    auto* const same = find_rung(counted, rung["id"]);
    if (!same || same->contains("only_on")) continue;
    for (auto const key : {"counts", "moved"}) rung[key] = (*same)[key];
    rung["counts_n"] = (*same)["n"];
  }
}

bool takes_gpu(ladder_arguments const& asked) {
  if (asked.where == "simt") return false;
  if (asked.where == "gpu") return true;
  return ladder_program(on_gpu) && !gpus().empty();
}

json climb(arguments const& options, bool gpu, stopwatch const& watch) {
  auto const& asked = options.ladder;
  auto rungs = rungs_of(gpu ? on_gpu : on_machine, asked);
  gpu ? add_counts(rungs, asked) : add_recorded_times(rungs, asked);
  json found = {{"schema", 1}, {"command", options.command->name}, {"ladder", asked.name}};
  found["n"] = rungs.front().at("n");
  for (auto const& rung : rungs) found["n"] = std::max(found["n"], rung.at("n"));  // some take few
  for (auto const key : {"dtype", "where", "device"}) found[key] = rungs.front().at(key);
  found["seconds"] = watch.seconds();
  for (auto& rung : rungs)
    for (auto const key : {"ladder", "where", "device"}) rung.erase(key);
  found["rungs"] = std::move(rungs);
  return found;
}

void write_svg(std::string const& path, json const& found) {
  auto const text = ladder_svg(found);
  io::output_file file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

void print(arguments const& options, json const& found, std::string (&as_text)(json const&)) {
  write_standard_output(options.json
                            ? found.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"
                            : as_text(found));
}

// Throws, naming the first of `things` that is not as its `key` should be; null is nobody knows.
void check_all(json const& things, char const* key, std::string const& failure) {
  for (auto const& one : things)
    if (one.at(key) == false) throw error(one.at("id").get<std::string>() + failure);
}

void run_rungs(arguments const& options) {
  stopwatch const watch;
  bool const gpu = takes_gpu(options.ladder);
  auto const all = run_ladder_program(needed_program(gpu ? on_gpu : on_machine), {"list"});
  check_ladder(options.ladder.name, all);
  check_rung(options.ladder, all);
  auto const found = climb(options, gpu, watch);
  if (options.ladder.svg) write_svg(*options.ladder.svg, found);
  print(options, found, ladder_text);
  check_all(found["rungs"], "verified", " was not verified");
}

void run_exhibits(arguments const& options) {
  stopwatch const watch;
  json found = {{"schema", 1}, {"command", options.command->name}, {"ladder", "exhibits"}};
  found["exhibits"] = run_ladder_program(needed_program("tally-exhibits"), {});
  found["seconds"] = watch.seconds();
  print(options, found, exhibits_text);
  check_all(found["exhibits"], "caught", " was not caught");
}

void list_systems(arguments const& options) {
  json const found = {{"schema", 1},
                      {"command", options.command->name},
                      {"ladder", "list"},
                      {"systems", json::parse(systems)}};
  print(options, found, systems_text);
}

void list_ladders(arguments const& options) {
  json found = {{"schema", 1}, {"command", options.command->name}, {"ladder", nullptr}};
  auto const all = run_ladder_program(needed_program(on_machine), {"list"});
  for (auto const& [name, rungs] : ladders(all))
    found["ladders"].push_back({{"id", name}, {"rungs", rungs}});
  print(options, found, ladders_text);
}

}  // namespace

void run_ladder(arguments const& options) {
  auto const& asked = options.ladder;
  bool const named = !asked.name.empty() && asked.name != "list" && asked.name != "exhibits";
  if (asked.distinct && asked.repeats)
    throw usage_error("--distinct and --repeats: equal elements count once, or each");
  if (named) return run_rungs(options);
  if (!asked.given.empty())
    throw usage_error(asked.given.front() +
                      (asked.name.empty() ? ": needs the NAME of a ladder"
                                          : ": tally ladder " + asked.name + " does not take it"));
  if (asked.name.empty()) return list_ladders(options);
  asked.name == "list" ? list_systems(options) : run_exhibits(options);
}

}  // namespace tally::cli
