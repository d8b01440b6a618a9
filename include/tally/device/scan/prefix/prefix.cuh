// SPDX-License-Identifier: Apache-2.0
//
// What a block does for an aggregate in a scan: the kernel calls it, and prefix_for says which
// an aggregate has.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/device/scan/prefix/plain.cuh"

namespace tally::device {

// A prefix is a small type, trivially copyable, that is handed to the kernel. It has
//
//   element, result            of the aggregate
//   threads, wave_threads      that scan in a block, at most; and in a wave (wave.cuh)
//   vectors                    of 16 bytes that a lane has of a tile
//   wave_vectors, wide_wave_vectors
//                              the same in a wave, and in one for more elements
//   stages                     parts of tiles that a warp has in shared memory
//   ahead                      by how many tiles totals are told before results
//   words                      status words that a tile publishes
//   part                       what a lane keeps of a warp's part of a tile (warp_tile.cuh) between
//                              gather() and results()
//   total, before, start       in shared memory: a part's total; the tile's parts before one; and
//                              all tiles before
//   clear(total)               once, of each: a total may tell what was met some tiles before
//   gather(tile, total)        by a scanning warp: its part's total
//   publish(mailbox, number, is_last, totals, warps, before)
//                              by a warp, when all of these are there: puts the parts' totals
//                              together, and publishes the tile's unless it is the last
//   carried, begin()           what a warp knows of the tiles before the last one of its block; and
//                              before the first
//   carry(carried, mailbox, from, to, start)
//                              by that warp: adds what the tiles [from, to) published: all tiles
//                              before the to-th, of those before the from-th
//   start_in_wave(mailbox, number, start)
//                              by a warp: all tiles before one, where no block has two
//   results(tile, totals, warp, start, before, part, total)
//                              by a scanning warp: puts results in the place of the elements, each
//                              of all elements before and, unless the scan is exclusive, of itself;
//                              that of the last one into its row's of `total`, too, unless that is
//                              null
//
// For rows that warps scan by themselves (rows_by_lanes.cuh), by a warp:
//
//   row_results(tile, total)   puts out the results of rows that some lanes each have in registers;
//                              or returns false
//   part_results(tile, carried, total)
//                              the same of a part of a row, which `carried` then has behind it
//   is_certain                 whether they never return false; else also
//   put_start(carried, start, before), go_on(carried, total, start)
//                              what gather() and results() of a part need to know, and what is
//                              known behind it
//
// For rows, and chunks of rows, that threads have (rows_by_threads.cuh):
//
//   chunk, chunk_digits        in global memory: what one comes to, or what is before one; and how
//                              many ints more, where it does not tell it all
//   first_chunk(), first_digits()
//                              what is before the first one
//   add_up_by_thread(row, chunk, digits)
//                              by a thread, to which the row is given from its end: what it comes
//                              to
//   carry_through(chunks, row, width)
//                              by some threads together: puts what is before each of a row's where
//                              what it comes to was
//   scan_by_thread(row, chunk, digits)
//                              by a thread: puts out all results, and returns the last one's
//   rereads                    whether elements must still be there when results are
//
//   leave_at(maybe<state>*)    on the host: where the kernel leaves the state of everything, of an
//                              array
//
// prefix_for<A>::make(a, skips_nan, reverse, before) returns it, `before` being a std::optional of
// the state before the first element.
template <aggregate A>
struct prefix_for {
  static_assert(sizeof(typename A::state) <= 128, "a state of more than 128 bytes: too large");
  static auto make(A const& a, bool skips_nan, bool reverse,
                   std::optional<typename A::state> const& before) {
    return make_plain_prefix(a, skips_nan, reverse, before);
  }
};
template <floating In, floating Out, floating State>
struct prefix_for<exact_running_sum<In, Out, State>>;  // exact.cuh
template <integer In, integer Out>
  requires(sizeof(Out) <= 4)
struct prefix_for<integer_running_sum<In, Out>>;  // integer.cuh

}  // namespace tally::device
