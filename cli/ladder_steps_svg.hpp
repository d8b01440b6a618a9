// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "number.hpp"

namespace tally::cli {

// A drawing of the steps that a rung noted: places from left to right, steps downwards, a line from
// each place that was taken from to the place, a dot, that combined it with its own.
class steps_svg {
 public:
  explicit steps_svg(json const& rung);

  double width() const;
  double height() const;  // 0 if the rung noted none
  std::string drawn(double top) const;

 private:
  json const& rung_;
  json steps_;
  int places_ = 0;

  std::string title() const;
};

}  // namespace tally::cli
