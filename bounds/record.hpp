// SPDX-License-Identifier: Apache-2.0
//
// What is known of each bound: how often it was claimed, how nearly it was reached, and whether it
// was exceeded. Kept by name, in each thread; put together, and appended to the file that
// TALLY_BOUNDS_FILE names, when the process ends. It ends with status 4 if a bound was exceeded.
#pragma once

#include <cstdint>

namespace tally::bounds {

struct site {
  char const* file;
  int line;
};

// `used` of `allowed`, as a ratio; more than 1 is too much. The two values are for the report.
void record(char const* name, site where, long double ratio, double a, double b,
            std::uint64_t times = 1);

// What is recorded between begin() and settle() was only tried: it counts if settle(true) says so.
void begin();
void settle(bool counts);

// Of the bounds claimed so far: the largest ratio, or -1 for a name that has not been claimed.
long double largest(char const* name);
bool any_exceeded();
void forget();  // all of it, in this thread

}  // namespace tally::bounds
