// SPDX-License-Identifier: Apache-2.0
#include "tally/device/grid/schedule.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

using namespace tally;

// How often each part was gone through, and by how many threads each time.
struct job {
  device::workspace w;
  std::uint32_t parts;
  unsigned begin;
  bool dynamic;
  unsigned* counts;
};

template <class Way>
__device__ void go_through(Way way, job const& j) {
  for (std::uint64_t part = blockIdx.x - j.begin; part < j.parts; part += way.next()) {
    way.ask();
    atomicAdd(j.counts + part, 1u);
  }
}
template <int Each>
__global__ void take_parts(job const j) {
  if (blockIdx.x < j.begin) return;
  go_through(device::dynamic_schedule<Each>(j.w, j.dynamic, j.begin), j);
}
__global__ void take_parts_in_turn(job const j) {
  go_through(device::static_schedule(j.w, false), j);
}

struct counted {
  std::vector<unsigned> counts;
  std::uint32_t drawn;
};
template <class Kernel>
counted run(Kernel kernel, unsigned blocks, std::uint32_t parts, bool dynamic, unsigned begin = 0) {
  constexpr std::uint32_t behind = 100;
  device_array<std::uint32_t> header(2);
  header.fill_bytes(0);
  device_array<unsigned> counts(parts + behind);
  counts.fill_bytes(0);
  launch(kernel, blocks,
         64)(job{{header.data(), nullptr, 0}, parts, begin, dynamic, counts.data()});
  return {counts.to_host(), header.to_host()[1]};
}

void expect_each_once(counted const& c, std::uint32_t parts) {
  for (std::size_t i = 0; i < c.counts.size(); ++i)
    ASSERT_EQ(c.counts[i], i < parts ? 64u : 0u) << "part " << i << " of " << parts;
}

constexpr std::uint32_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 1000};

TEST(blocks_that_draw_parts, go_through_each_once) {
  for (unsigned blocks : {1u, 2u, 3u, 5u})
    for (auto const parts : sizes) {
      expect_each_once(run(take_parts<1>, blocks, parts, true), parts);
      expect_each_once(run(take_parts<2>, blocks, parts, true), parts);
      expect_each_once(run(take_parts<3>, blocks, parts, true), parts);
    }
}

TEST(blocks_that_draw_parts, may_leave_out_the_first) {
  for (unsigned blocks : {2u, 5u})
    for (auto const parts : sizes)
      expect_each_once(run(take_parts<1>, blocks, parts, true, 1), parts);
}

TEST(blocks_that_draw_parts, draw_one_ticket_more_each_than_there_are) {
  EXPECT_EQ(run(take_parts<1>, 3, 100, true).drawn, 97u + 3);
  EXPECT_EQ(run(take_parts<2>, 3, 103, true).drawn, 50u + 3);
}

TEST(blocks_that_draw_no_parts, go_through_each_once) {
  for (unsigned blocks : {1u, 2u, 5u})
    for (auto const parts : sizes) {
      auto const drawn = run(take_parts<2>, blocks, parts, false);
      expect_each_once(drawn, parts);
      EXPECT_EQ(drawn.drawn, 0u);
      expect_each_once(run(take_parts_in_turn, blocks, parts, false), parts);
    }
}

}  // namespace
