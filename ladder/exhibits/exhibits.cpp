// SPDX-License-Identifier: Apache-2.0
//
// Runs every exhibit on the SIMT machine and prints a line of JSON for each. The exit status is 1
// if one was not caught: where the machine must see the mistake, with its kind, file and line.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "ladder/exhibits/exhibit.hpp"
#include "simt/machine.hpp"

namespace ladder::exhibits {
namespace {

using json = nlohmann::ordered_json;

std::string from_root(std::string const& path) { return path.substr(path.rfind("ladder/")); }

json position(simt::position const& p) { return {p.x, p.y, p.z}; }

// The machine's finding that the exhibit is about; of several, the first; null if there is none.
simt::report const* expected_among(std::vector<simt::report> const& reports,
                                   shown_exhibit const& what) {
  auto const found = std::ranges::find_if(reports, [&](simt::report const& r) {
    return r.kind == what.expected && r.line == what.line && r.file.ends_with(what.file);
  });
  return found == reports.end() ? nullptr : &*found;
}

json describe(simt::report const& r) {
  return {{"reported", r.kind + ": " + r.text}, {"kernel", r.kernel},
          {"block", position(r.block)},         {"lane", position(r.lane)},
          {"file", from_root(r.file)},          {"line", r.line}};
}

// What the machine found instead of what it should, if anything.
json by_machine(shown_exhibit const& what, std::vector<simt::report> const& reports) {
  auto const* const found = expected_among(reports, what);
  json line = found             ? describe(*found)
              : reports.empty() ? json{{"reported", "nothing"}}
                                : describe(reports.front());
  line["caught"] = found != nullptr;
  return line;
}

// A mistake against no rule of memory: the machine must have nothing to say.
json by_check(check const& that, std::vector<simt::report> const& reports) {
  if (!reports.empty()) {
    json line = describe(reports.front());
    line["caught"] = false;
    return line;
  }
  return {{"reported", that.wrong().empty() ? "nothing" : that.wrong()},
          {"caught", !that.wrong().empty()}};
}

json run(shown_exhibit const& what) {
  simt::take_reports();
  check that;
  what.run(that);
  auto const reports = simt::take_reports();
  json line = {
      {"id", what.id},       {"page", what.page}, {"bug", what.bug},  {"expected", what.expected},
      {"reported", nullptr}, {"kernel", nullptr}, {"block", nullptr}, {"lane", nullptr},
      {"file", what.file},   {"line", nullptr},   {"caught", false}};
  line.update(what.expected == "wrong value" ? by_check(that, reports) : by_machine(what, reports));
  simt::take_counts();
  return line;
}

}  // namespace

std::vector<shown_exhibit>& exhibits() {
  static std::vector<shown_exhibit> all;
  return all;
}

show::show(exhibit const& what, std::source_location at) {
  auto const file = from_root(at.file_name());
  auto const name = file.substr(file.rfind('/') + 1);
  exhibits().push_back({what, name.substr(0, name.rfind('.')), file});
}

}  // namespace ladder::exhibits

int main() try {
  using namespace ladder::exhibits;
  std::ranges::sort(exhibits(), {}, &shown_exhibit::id);
  bool all_caught = true;
  for (auto const& what : exhibits()) {
    auto const line = run(what);
    all_caught = all_caught && line["caught"];
    std::cout << line.dump() << std::endl;
  }
  return all_caught ? 0 : 1;
} catch (std::exception const& failure) {
  std::cerr << "tally ladder: " << failure.what() << '\n';
  return 1;
}
