// SPDX-License-Identifier: Apache-2.0
//
// The running sums of a tile as they should be, beside those that an algorithm has.
#pragma once

#include "bounds/exact.hpp"
#include "bounds/record.hpp"

namespace tally::bounds {

// The sum of all before the next tile.
struct running {
  exact sum;
};

// What an algorithm has of a tile's sums: high and low parts, and what is rounded to a result.
struct noted_sums {
  static constexpr int most = 512, padding = 64;
  double high[most + padding], low[most + padding], sum[most + padding];
  double tolerance;
};
noted_sums& noted();

// Claims of what was noted of a tile.
class tile_of_sums {
 public:
  void take(site where, running& truth, double const* x, int count, int shift, int precision,
            int least);

  // Each sum rounds as it should.
  tile_of_sums& rounds(char const* name);
  // Each sum is within so many units in its last place (0: nothing is claimed), by default those
  // that were noted; or within `error` but for its last rounding.
  tile_of_sums& units(char const* name, double tolerance = noted().tolerance);
  tile_of_sums& near(char const* name, double error);
  // high + low of each is within `error`; no high, no low part exceeds `most`.
  tile_of_sums& parts(char const* name, double error);
  tile_of_sums& high(char const* name, double most);
  tile_of_sums& low(char const* name, double most);

 private:
  site where_{};
  int count_ = 0;
  // Of sums and of high + low, in units of 2^shift; and whether each result is another one.
  long double off_[noted_sums::most], parts_off_[noted_sums::most];
  bool other_[noted_sums::most];
};

tile_of_sums& last_tile();  // of this thread

void check_offset(char const* name, site, running const& truth, double high, double low, int shift,
                  double allowed);

}  // namespace tally::bounds
