// SPDX-License-Identifier: Apache-2.0
//
// Rungs 5: banks of shared memory.
//
// Change:   a warp brings a tile of 1024 numbers to shared memory, then each lane reads 32 of them,
//           each number by one lane: at each step, the lanes' words are 1, 2, 4, ... 32 or 33
//           apart. For 33, every row of 32 words has a word of padding behind it. Tiles, room for
//           them, reads and barriers are as many for every distance.
// Predict:  word w lies in bank w % 32, and a bank gives one word at a time. A distance that is a
//           power of two puts that many lanes into a bank, so a read takes as many passes: there
//           are n / 32 * (distance - 1) conflicts. 33 has none, as 1: a word of padding a row is
//           the remedy. Time can only grow with conflicts: 1 and 33 alike, then 2, 4, 8, 16 and
//           last 32. The first few hide behind reading: for 4,194,304 numbers a GPU of 132 SMs has
//           993 passes on each for each lane a bank, 0.6 us at 1.7 GHz, so 16 take as long as
//           reading all takes, and 32 twice as long. (Banks of 8 bytes were Kepler's; today's are
//           of 4.)
// Measured: on an H200 17.4 us for 1, 2 and 33, 17.6 for 4, 19.0 for 8, 25 for 16, 33 for 32: as
//           predicted, but that reading through tiles takes longer by itself than the prediction
//           had it. At 2^28 numbers 623, 624, 623, 630, 663, 805 and 1,308.
// Bytes:    n numbers, each through shared memory once.
#include <string>
#include <vector>

#include "ladder/memory/tile.cuh"

namespace ladder::memory {

// A lane reads `distance` neighbours, but 32 of 33, and goes on behind those of all lanes.
__global__ void banks(int const* in, std::size_t n, unsigned distance, long long* out) {
  long long total = 0;
  unsigned const neighbours = min(distance, 32u), first = threadIdx.x % 32 * distance;
  for_each_tile(in, n, {.rows = 32, .pitch = max(distance, 32u)}, [&](int const* tile) {
    for (unsigned step = 0; step < 32; ++step) {
      unsigned const neighbour = step & (neighbours - 1);  // neighbours is a power of two
      total += tile[first + neighbour + (step - neighbour) * 32];
    }
  });
  out[thread_of_grid()] = total;
}

static rung at_distance(unsigned distance) {
  auto const number = std::to_string(distance);
  return of_reads(
      {
          .id = "memory/05_banks_" + std::string(2 - number.size(), '0') + number,
          .file = "ladder/memory/05_banks.cu",
          .title = "Lanes " + number + " words apart in shared memory",
          .bound = distance % 2 ? "reading: no bank conflicts" : number + " lanes a bank",
          .page = "32 banks of 4 bytes",
      },
      [=](problem const& p, unsigned block, int const* in, long long* out) {
        auto const room = tile_bytes(block, {.rows = 32, .pitch = 33});  // for every distance
        tally::launch(banks, p.grid, block, room, p.stream)(in, p.n, distance, out);
      });
}

static registered const here{std::vector{at_distance(1), at_distance(2), at_distance(4),
                                         at_distance(8), at_distance(16), at_distance(32),
                                         at_distance(33)}};

}  // namespace ladder::memory
