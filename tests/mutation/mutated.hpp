// SPDX-License-Identifier: Apache-2.0
//
// What a tree with mutants asks at run time; every source of it includes this first (-include).
#pragma once

extern "C" {
extern int tally_mutant;                      // the number of the one that is on; -1: none, but
extern unsigned char* tally_mutants_reached;  // what is asked for is noted here
bool tally_is_mutant(int number);             // the same from code whose accesses are watched
}

// Whether the mutant is on. Constant expressions have none.
[[gnu::always_inline]] constexpr bool tally_mutated(int number) {
  if (__builtin_is_constant_evaluated()) return false;
#ifdef __SANITIZE_THREAD__
  return tally_is_mutant(number);
#else
  if (tally_mutant < 0) tally_mutants_reached[number] = 1;
  return tally_mutant == number;
#endif
}
