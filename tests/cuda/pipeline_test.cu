// SPDX-License-Identifier: Apache-2.0
//
// Chunks through GPUs that are there, each at least twice.
#include "tally/gpu/pipeline.hpp"

#include "support/pipeline_cases.hpp"
#include "tally/devices.hpp"

namespace {

// 0, 0, 1, 1, ...
std::vector<int> devices() {
  std::vector<int> all;
  for (auto const& one : tally::gpus()) all.insert(all.end(), 2, one.index);
  return all;
}

TEST(gpu_pipelines, give_the_bits_of_one_call) {
  support::expect_the_bits_of_one_call({-1}, 3'000'017, 1 << 20);
  support::expect_the_bits_of_one_call(devices(), 3'000'017, 1 << 20);
}

TEST(gpu_pipelines, take_turns) { support::expect_turns_in_order(devices(), 1000); }

TEST(gpu_pipelines, end_by_the_first_error) { support::expect_the_first_error(devices()); }

}  // namespace
