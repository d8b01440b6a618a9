// SPDX-License-Identifier: Apache-2.0
//
// What a GPU benchmark prints: one JSON object, its rows as they are measured.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

struct row {
  std::string id;
  double us;                       // a call: the samples' median
  double gb_per_s = std::nan("");  // none: not about bytes
  std::string how = {};
  std::vector<double> samples;
};

class report {
 public:
  report() { std::printf("{\"rows\": ["); }
  report(report const&) = delete;
  ~report() { std::printf("\n]}\n"); }

  // The texts need no escapes.
  void add(row const& r) {
    std::printf("%s\n{\"id\": \"%s\", \"us\": %.4g", rows_++ ? "," : "", r.id.c_str(), r.us);
    if (!std::isnan(r.gb_per_s)) std::printf(", \"gb_per_s\": %.5g", r.gb_per_s);
    if (!r.how.empty()) std::printf(", \"how\": \"%s\"", r.how.c_str());
    std::printf(", \"samples\": [");
    for (std::size_t i = 0; i < r.samples.size(); ++i)
      std::printf("%s%.5g", i ? ", " : "", r.samples[i]);
    std::printf("]}");
    std::fflush(stdout);
  }

 private:
  int rows_ = 0;
};

}  // namespace bench
