// SPDX-License-Identifier: Apache-2.0
//
// Experiments with shuffles: small launches that write down what each lane holds, step by step.
#pragma once

#include <string>
#include <vector>

#include "ladder/rung.hpp"

namespace ladder::shuffle {

constexpr int did_not_call = -1;

// One lane after one step: the lane that the shuffle brought a value from, or did_not_call; the
// value; and what the lane holds now. Step 0 is before the first shuffle.
struct step {
  int from, got, holds;
};

// One launch. It fills trace[step][thread].
struct scene {
  std::string what;
  unsigned blocks = 1, lanes;
  std::vector<std::string> steps;  // a name for each after step 0
  void (*run)(step* trace, cudaStream_t stream);

  // What it must give: all lanes' `got`, step after step, or their `holds` at the end; or both.
  std::vector<int> got = {}, holds = {};

  unsigned threads() const { return blocks * lanes; }
  std::size_t size() const { return (steps.size() + 1) * threads(); }
};

struct experiment {
  std::string id, title;
  std::string page;       // what the tutorial does
  std::string says = {};  // what it says of it; empty if nothing is wrong with that
  std::string right;      // how it is
  std::vector<scene> scenes;
};

// Its output is the traces of its scenes, one after the other; it needs no input.
rung rung_of(experiment const& what);

}  // namespace ladder::shuffle
