// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include <utility>

#include "symbols.hpp"

namespace simt {
namespace {

std::vector<report> kept;

std::string text_of(uint3 v) {
  return '(' + std::to_string(v.x) + ',' + std::to_string(v.y) + ',' + std::to_string(v.z) + ')';
}

}  // namespace

void keep_finding(lane const& l, std::string kind, std::string text, void* pc) {
  auto const& [file, line] = place_of(pc);
  kept.push_back({std::move(kind), std::move(text), kernel_name(l.home->request->kernel),
                  to_position(l.home->index), to_position(l.thread), file, line});
}

std::string name_of(lane const& l) { return "lane " + text_of(l.thread); }

std::string name_of(lane_id id, lane const& as_seen_by) {
  auto const& request = *as_seen_by.home->request;
  std::uint32_t const number = id >> lane_bits(), index = id & ((1u << lane_bits()) - 1);
  std::string const name = "lane " + text_of(unflatten(index, request.block));
  if (number == as_seen_by.home->number) return name;
  return name + " of block " + text_of(unflatten(number, request.grid));
}

std::vector<report> take_reports() { return std::exchange(kept, {}); }

settings& machine() {
  static settings current;
  return current;
}

}  // namespace simt
