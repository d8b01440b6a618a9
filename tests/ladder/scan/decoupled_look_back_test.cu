// SPDX-License-Identifier: Apache-2.0
#include "ladder/scan/16_decoupled_look_back.cu"

#include <gtest/gtest.h>

#include "tally/cuda/device_array.cuh"

namespace ladder::scan {
namespace {

using op = recurrence<int>;

// Tile k is the element k. Those up to `prefixes` have published what all up to them come to.
__global__ void look(unsigned tile, unsigned prefixes, tile_states<op::state> states,
                     op::state* out) {
  auto all = op::identity();
  for (unsigned k = 0; k < tile; ++k) {
    auto const x = op::lift(int(k));
    all = op{}(all, x);
    if (threadIdx.x == 0)
      states.publish(k, k < prefixes ? all : x, k < prefixes ? has_prefix : has_total);
  }
  __syncwarp();
  auto const before = look_back{}(tile, op::lift(int(tile)), states, op{});
  unsigned found;
  if (threadIdx.x == 0) out[0] = all, out[1] = before;
  if (threadIdx.x == 0) out[2] = states.await(tile, has_prefix, found);
}

struct three {
  op::state before, found, published;
  explicit three(std::vector<op::state> const& all)
      : before(all[0]), found(all[1]), published(all[2]) {}
};

TEST(ladder_look_back, puts_any_number_of_tiles_together_in_their_order) {
  constexpr unsigned tiles = 200;
  tally::device_array<std::byte> const scratch(tile_states<op::state>::bytes(tiles));
  tally::device_array<op::state> const out(3);
  for (unsigned const tile : {1u, 2u, 31u, 32u, 33u, 34u, 64u, 65u, 66u, 199u})
    for (unsigned const prefixes : {1u, 2u, 5u, 64u, 170u}) {
      if (prefixes > tile) continue;
      scratch.fill_bytes(0);
      tally::launch(look, 1, 32)(tile, prefixes, {scratch.data(), tiles}, out.data());
      auto const [before, found, published] = three(out.to_host());
      EXPECT_EQ(found.a, before.a) << tile << ' ' << prefixes;
      EXPECT_EQ(found.b, before.b) << tile << ' ' << prefixes;
      EXPECT_EQ(published.b, tile % 2 ? tile - before.b : tile + before.b);
    }
}

}  // namespace
}  // namespace ladder::scan
