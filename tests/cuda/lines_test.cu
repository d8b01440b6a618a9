// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/lines.cuh"

#include <gtest/gtest.h>

#include "tally/devices.hpp"

namespace {

using namespace tally::timing;

// Bits of the memory bus, twice a clock.
double theoretical_gb_per_s() {
  auto const gpu = tally::gpus().front();
  return 2.0 * gpu.memory_clock_khz * (gpu.memory_bus_bits / 8) / 1e6;
}

TEST(Lines, cold_reads_and_copies_are_near_what_the_memory_bus_can_do_and_never_above) {
  constexpr std::size_t bytes = 256 << 20;
  for (auto const& found : {read_line(bytes, cache::cold), copy_line(bytes, cache::cold),
                            memcpy_line(bytes, cache::cold)}) {
    EXPECT_GT(found.gb_per_s(), 0.7 * theoretical_gb_per_s()) << found.how;
    EXPECT_LT(found.gb_per_s(), theoretical_gb_per_s()) << found.how;
  }
}

TEST(Lines, what_fits_the_cache_is_read_faster_when_it_is_warm) {
  constexpr std::size_t bytes = 16 << 20;
  EXPECT_LT(read_line(bytes, cache::warm).time.median(),
            0.8 * read_line(bytes, cache::cold).time.median());
}

TEST(Lines, copies_count_the_bytes_read_and_those_written) {
  EXPECT_EQ(copy_line(1 << 20, cache::warm).bytes_moved, 2u << 20);
  EXPECT_EQ(memcpy_line(1 << 20, cache::warm).bytes_moved, 2u << 20);
  EXPECT_EQ(read_line(1 << 20, cache::warm).bytes_moved, 1u << 20);
}

TEST(Lines, an_empty_kernel_takes_some_hundreds_of_nanoseconds) {
  EXPECT_GT(empty_kernel_time().median(), 0.2);
  EXPECT_LT(empty_kernel_time().median(), 5);
}

}  // namespace
