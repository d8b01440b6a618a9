// SPDX-License-Identifier: Apache-2.0
//
// What a GPU benchmark prints: a line of JSON for everything that it measures.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

struct row {
  std::string id;
  double us;                       // a call: the samples' median
  double gb_per_s = std::nan("");  // NaN: it is not about bytes
  std::string how = {};
  std::vector<double> samples;
};

// The texts need no escapes.
inline void print(row const& r) {
  std::printf("{\"id\": \"%s\", \"us\": %.4g", r.id.c_str(), r.us);
  if (!std::isnan(r.gb_per_s)) std::printf(", \"gb_per_s\": %.5g", r.gb_per_s);
  if (!r.how.empty()) std::printf(", \"how\": \"%s\"", r.how.c_str());
  std::printf(", \"samples\": [");
  for (std::size_t i = 0; i < r.samples.size(); ++i)
    std::printf("%s%.5g", i ? ", " : "", r.samples[i]);
  std::printf("]}\n");
  std::fflush(stdout);
}

}  // namespace bench
