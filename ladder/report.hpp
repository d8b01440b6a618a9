// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ladder/elsewhere.hpp"
#include "ladder/verify.hpp"
#include "ladder/world.hpp"

namespace ladder {

struct rung_result {
  rung const& of;
  problem given;
  verdict checked = {};
  std::optional<world::measurement> measured = {};
  std::vector<std::string> drawing = {};
  algorithm_steps steps = {};
  std::vector<lane_scene> scenes = {};
  bool with_source = false;
  // The first rung's time an element over this one's: measured, and as the tutorial has it.
  std::optional<double> speedup = {}, page_speedup = {};
};

// One line of JSON each, without the newline.
std::string describe(rung const& r);
std::string describe(rung_elsewhere const& r);
std::string report(rung_result const& result);
std::string report(rung_elsewhere const& r, bool with_source);  // what it is, and nothing done
std::string report_call(rung const& r, problem const& given, world::measurement const& counted);

std::string name_of(operation op);
std::string name_of(element type);

}  // namespace ladder
