// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "simt/machine.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

__global__ void race(int* word) { *word = int(threadIdx.x); }

std::vector<std::string> told;

TEST(findings, are_told_when_they_are_made) {
  tally::device_array<int> word(1);
  simt::when_found([](simt::report const& r) { told.push_back(r.kind); });
  tally::launch(race, 1, 32)(word.data());
  EXPECT_EQ(told, std::vector<std::string>{"race"});
  simt::when_found(nullptr);
  EXPECT_EQ(simt::take_reports().size(), 1u);
}

// For replay_test.py, which asks for it.
TEST(findings, are_said_before_the_wrong_answer) {
  if (!std::getenv("TALLY_RARE_FAILURE")) return;
  tally::device_array<int> word(1);
  tally::launch(race, 1, 32)(word.data());
  EXPECT_EQ(word.to_host()[0], 32);
}

}  // namespace
