// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include <utility>

#include "symbols.hpp"

namespace simt {
namespace {

std::vector<report> kept;

position to_position(uint3 v) { return {v.x, v.y, v.z}; }

}  // namespace

void keep_finding(lane const& l, std::string kind, std::string text, void* pc) {
  auto const& [file, line] = place_of(pc);
  kept.push_back({std::move(kind), std::move(text), kernel_name(l.home->request->kernel),
                  to_position(l.home->index), to_position(l.thread), file, line});
}

std::string name_of(lane const& l) {
  return "lane (" + std::to_string(l.thread.x) + "," + std::to_string(l.thread.y) + "," +
         std::to_string(l.thread.z) + ")";
}

std::vector<report> take_reports() { return std::exchange(kept, {}); }

settings& machine() {
  static settings current;
  return current;
}

}  // namespace simt
