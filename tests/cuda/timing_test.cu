// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/timing.cuh"

#include <gtest/gtest.h>

#include <set>

#include "tally/cuda/launch.cuh"

namespace {

using namespace tally::timing;

__global__ void spin(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

__global__ void count_call(unsigned* calls) { ++*calls; }

work spinning(long long nanoseconds) {
  return
      [=](cudaStream_t stream, std::size_t) { tally::launch(spin, 1, 1, 0, stream)(nanoseconds); };
}

TEST(Timing, a_call_of_a_millisecond_takes_a_millisecond_however_it_is_timed) {
  constexpr long long millisecond = 1'000'000;
  for (auto const& found : {warm_time(spinning(millisecond)), cold_time(spinning(millisecond), 4),
                            event_time(spinning(millisecond), 4)}) {
    EXPECT_GE(found.median(), 990);
    EXPECT_LE(found.median(), 1100);
  }
}

TEST(Timing, there_is_a_sample_for_every_replay) {
  EXPECT_EQ(cold_time(spinning(1000), 4, 5).us.size(), 5u);
}

TEST(Timing, a_replay_makes_every_call_once_and_the_first_one_is_not_measured) {
  tally::device_array<unsigned> const calls(1);
  calls.fill_bytes(0);
  cold_time([&](cudaStream_t stream,
                std::size_t) { tally::launch(count_call, 1, 1, 0, stream)(calls.data()); },
            7, 3);
  EXPECT_EQ(calls.to_host().front(), 7 * (1 + 3));
}

TEST(Timing, cold_calls_are_numbered_from_0) {
  std::multiset<std::size_t> seen;
  cold_time(
      [&](cudaStream_t stream, std::size_t i) {
        seen.insert(i);
        tally::launch(spin, 1, 1, 0, stream)(1);
      },
      3);
  EXPECT_EQ(seen, (std::multiset<std::size_t>{0, 1, 2}));
}

TEST(Timing, a_rotation_gives_its_calls_blocks_that_do_not_overlap) {
  constexpr std::size_t bytes = (64 << 20) + 4;
  rotation const memory(bytes);
  ASSERT_GE(memory.calls(), 4u);
  for (std::size_t i = 1; i < memory.calls(); ++i)
    EXPECT_GE(memory[i] - memory[i - 1], std::ptrdiff_t(bytes));
  EXPECT_EQ(memory[memory.calls()], memory[0]);
}

TEST(Timing, the_median_of_an_even_number_of_samples_is_between_the_middle_two) {
  EXPECT_EQ((samples{{4, 1, 2, 100}}.median()), 3);
  EXPECT_EQ((samples{{5, 1, 2}}.median()), 2);
}

}  // namespace
