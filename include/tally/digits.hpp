// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of what processes have, element by element, where what lies between them adds up
// nothing but integers: an element of each becomes the digits of a number in fixed point, whose
// sums are rounded once.
//
//   find_places(here, rows, places, digits);
//   // ... each of `places` becomes the maximum over the processes,
//   cut_digits(here, rows, processes, places, digits);
//   // ... each of `digits` the sum,
//   if (round_digits(here, processes, places, digits, out)) {
//     // and out is right but where any process has a number that is not finite, or too small:
//     find_lost_groups(here, rows, processes, places, lost);
//     // ... the maximum; for the numbers of the groups that are marked in it, as many at a time
//     // as there is memory for, with count = processes << the last of places,
//     cut_all_digits(here, rows, count, groups, all);
//     // ... the sum,
//     round_all_digits(here, count, groups, all, out);
//   }
//
// Eight elements, a group, have a place in common, a byte; a sum is two digits of doubles, one of
// other types, each an int64. Of R rows on each of P processes no bit of a float32 is lost where
// elements of a group differ by a factor of 2^39 / (P * R) at most; of a bfloat16 2^55 / (P * R),
// of a float64 2^65 / (P * R)^2. A float16 loses none up to 2^23 rows.
//
// All arrays lie where the call runs; on a gpu, calls are asynchronous but for round_digits(). They
// throw tally::error where a type is no floating-point one, an array is empty or not aligned, or a
// count is not from 1 to 2^31.
#pragma once

#include <span>

#include "tally/dynamic.hpp"

namespace tally {

// How many groups so many elements have, at least one, and how long `places` and `digits` are;
// `lost` is as long as there are groups.
struct digit_counts {
  std::uint64_t groups, places, digits;
};
digit_counts count_digits(dtype type, std::uint64_t size);
// How long the array of all digits is of so many groups, whose sums are of `count` elements.
std::uint64_t count_all_digits(dtype type, std::uint64_t count, std::uint64_t groups);

// What a process adds up: at least one row, all of one floating-point type and size. Behind the
// groups' places stands how many rows these are, as the least k such that 2^k are no fewer. Of the
// digits only the last is written, a zero.
void find_places(any_where where, std::span<any_array const> rows, std::uint8_t* places,
                 std::int64_t* digits);

// Writes the digits of the process's sums. The last becomes 1 if any of its numbers has bits below
// them, or is not finite, so that the sum of it counts the processes with such numbers.
void cut_digits(any_where where, std::span<any_array const> rows, std::uint64_t processes,
                std::uint8_t const* places, std::int64_t* digits);

// Returns whether any process has lost digits; waits for a gpu's stream.
bool round_digits(any_where where, std::uint64_t processes, std::uint8_t const* places,
                  std::int64_t const* digits, any_output const& out);

// A byte for each group: 1 where `out` is not right for this process's sake, else 0.
void find_lost_groups(any_where where, std::span<any_array const> rows, std::uint64_t processes,
                      std::uint8_t const* places, std::uint8_t* lost);

// All digits of the groups with these numbers. `count`: rows of all processes, or more, and the
// same on all; 2^31 at most.
void cut_all_digits(any_where where, std::span<any_array const> rows, std::uint64_t count,
                    std::span<std::int64_t const> groups, std::int64_t* digits);

// Writes the elements of these groups to `out`, and leaves the others as they are.
void round_all_digits(any_where where, std::uint64_t count, std::span<std::int64_t const> groups,
                      std::int64_t const* digits, any_output const& out);

}  // namespace tally
