// SPDX-License-Identifier: Apache-2.0
//
// What a block does for an aggregate in a scan: scan.cuh calls it, and prefix_for says which an
// aggregate has.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/device/prefix/plain.cuh"

namespace tally::device {

// A prefix is a small type, trivially copyable, that is handed to the kernel. It has
//
//   element, result            of the aggregate
//   threads                    of a block, whole warps
//   blocks_a_multiprocessor    of a launch of many tiles
//   words                      status words that a tile publishes
//   shared, carry              what a block's threads share, and what each knows of tiles before
//   start(carry, shared)       before the first tile
//   scan(carry, shared, mailbox, tile, out, total)
//                              the results of the thread's elements of a tile (staged_tile.cuh),
//                              each of all elements before and, unless the scan is exclusive, of
//                              itself; of the last tile *total, too, unless it is null
//
// All threads of a block call each of them together. prefix_for<A>::make(a, skips_nan, reverse,
// init) returns it, `init` being a std::optional of the value before the first element.
template <aggregate A>
struct prefix_for {
  static_assert(sizeof(typename A::state) <= 128, "a state of more than 128 bytes: too large");
  static auto make(A const& a, bool skips_nan, bool reverse,
                   std::optional<typename A::result> const& init) {
    return make_plain_prefix(a, skips_nan, reverse, init);
  }
};
template <floating In, floating Out, floating State>
struct prefix_for<exact_running_sum<In, Out, State>>;  // exact.cuh

}  // namespace tally::device
