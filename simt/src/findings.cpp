// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include <utility>

#include "symbols.hpp"

namespace simt {
namespace {

std::vector<report> kept;
void (*tell)(report const&) = nullptr;

std::string text_of(uint3 v) {
  return '(' + std::to_string(v.x) + ',' + std::to_string(v.y) + ',' + std::to_string(v.z) + ')';
}

}  // namespace

void keep_finding(launch_request const& r, lane_id id, std::string kind, std::string text,
                  void* pc) {
  auto const& [file, line] = place_of(pc);
  kept.push_back({std::move(kind), std::move(text), kernel_name(r.kernel),
                  to_position(unflatten(id >> lane_bits, r.grid)),
                  to_position(unflatten(id & ((1u << lane_bits) - 1), r.block)), file, line});
  if (tell) tell(kept.back());
}

std::string name_of(lane const& l) { return "lane " + text_of(l.thread); }

std::string name_of(lane_id id, lane const& as_seen_by) {
  return name_of(id, as_seen_by.knowledge.self(), *as_seen_by.home->request);
}

std::string name_of(lane_id id, lane_id as_seen_by, launch_request const& request) {
  std::uint32_t const number = id >> lane_bits, index = id & ((1u << lane_bits) - 1);
  std::string const name = "lane " + text_of(unflatten(index, request.block));
  if (number == as_seen_by >> lane_bits) return name;
  return name + " of block " + text_of(unflatten(number, request.grid));
}

void when_found(void (*listener)(report const&)) { tell = listener; }

std::vector<report> take_reports() { return std::exchange(kept, {}); }

namespace {
std::uint64_t usual = 1;
}
std::uint64_t usual_seed() { return usual; }
void set_usual_seed(std::uint64_t seed) {
  usual = seed;
  machine().seed = seed;
}

settings& machine() {
  static settings current;
  return current;
}

}  // namespace simt
