// SPDX-License-Identifier: Apache-2.0
//
// Rung 16: decoupled look-back (Merrill and Garland, 2016).
//
// Change:   a tile publishes its own total before it waits. A warp looks at the 32 tiles to the
//           left at once, and goes on to the left until it comes by one that has the prefix of all
//           up to it; what lies between, totals are enough for.
// Predict:  2 n moved, and no chain: a tile waits for others to load their elements, not for
//           others to wait. About the same time as copying the array, but for the tickets, one
//           trip through the L2 cache a tile before its loads begin.
// Measured: on an H200 29.2 us, 0.31 of the ceiling, and so no faster than rung 14 at this size:
//           the ticket, the look to the left and one load of 4 bytes at a time are waited for one
//           after the other. At 2^28 elements 1,539 us, where rung 14 takes 1,831.
// Bytes:    n elements read, n results written; a status and two states a tile written, and read
//           by some tiles behind it.
#include "ladder/scan/single_pass.cuh"

namespace ladder::scan {

struct look_back {
  template <class Op>
  __device__ typename Op::state operator()(unsigned number, typename Op::state const& of_tile,
                                           tile_states<typename Op::state> const& states,
                                           Op op) const {
    auto before = op.identity();
    if (threadIdx.x >= 32) return before;
    if (threadIdx.x == 0 && number > 0) states.publish(number, of_tile, has_total);
    for (unsigned end = number; end > 0; end = end > 32 ? end - 32 : 0) {
      bool ends;
      auto const window = fold_window(end, states, ends, op);
      before = op(window, before);
      if (ends) break;
    }
    if (threadIdx.x == 0) states.publish(number, op(before, of_tile), has_prefix);
    return before;
  }

 private:
  // Lane l looks at tile end - 1 - l. In lane 0 what is known of these tiles comes together, back
  // to the first prefix, which `ends` the search.
  template <class Op>
  __device__ static typename Op::state fold_window(unsigned end,
                                                   tile_states<typename Op::state> const& states,
                                                   bool& ends, Op op) {
    unsigned const lane = threadIdx.x;
    auto x = op.identity();
    unsigned found = has_prefix;
    if (lane < end) x = states.await(end - 1 - lane, has_total, found);
    __syncwarp();
    unsigned const prefixes = __ballot_sync(~0u, lane < end && found == has_prefix);
    unsigned const last = prefixes ? unsigned(__ffs(int(prefixes))) - 1 : 31;
    ends = prefixes != 0;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      auto const further = tally::warp::shift_down(x, int(distance));
      if (lane + distance <= last) x = op(further, x);
    }
    return x;
  }
};

static registered const here{single_pass_rung(
    {
        .id = "scan/16_decoupled_look_back",
        .title = "One pass: look back at totals and prefixes",
        .bound = "reading and writing",
    },
    look_back{})};

}  // namespace ladder::scan
