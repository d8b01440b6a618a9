// SPDX-License-Identifier: Apache-2.0
//
// Chunks through GPUs, where cores are in the place of these (support/host_kernels.cpp); through
// one that is there: tests/cuda/pipeline_test.cu.
#include "tally/gpu/pipeline.hpp"

#include "support/pipeline_cases.hpp"

namespace {

using namespace tally;

TEST(gpu_chunks, have_a_power_of_two_of_elements_for_which_there_is_room) {
  constexpr std::size_t mib = 1 << 20;
  // What is asked for, of plenty.
  EXPECT_EQ(gpu_chunk_elements(1024 * mib, 4, 4, 4, 32 * mib), 8 * mib);
  EXPECT_EQ(gpu_chunk_elements(1024 * mib, 4, 4, 12, 32 * mib), 8 * mib);
  EXPECT_EQ(gpu_chunk_elements(1024 * mib, 4, 1, 1, 3000), 2048u);
  // A sixteenth is for what calls keep, the rest for the lanes.
  EXPECT_EQ(gpu_chunk_elements(4 * mib / 15 * 16, 4, 4, 4, 32 * mib), mib / 8);
  EXPECT_EQ(gpu_chunk_elements(4400 * mib, 4, 8, 8, 1024 * mib), 128 * mib);
  EXPECT_EQ(gpu_chunk_elements(4400 * mib, 8, 8, 8, 1024 * mib), 64 * mib);
  EXPECT_EQ(gpu_chunk_elements(4400 * mib, 4, 8, 16, 1024 * mib), 64 * mib);
  // None is worth a launch.
  EXPECT_EQ(gpu_chunk_elements(0, 4, 4, 4, 32 * mib), 0u);
  EXPECT_EQ(gpu_chunk_elements(5 * 1024, 4, 4, 4, 32 * mib), 256u);
  EXPECT_EQ(gpu_chunk_elements(4 * 1024, 4, 4, 4, 32 * mib), 0u);
}

TEST(gpu_pipelines, give_the_bits_of_one_call) {
  for (auto const& devices : {std::vector{-1}, std::vector{0}, std::vector{0, 0, 0}})
    support::expect_the_bits_of_one_call(devices, 20'011, 1024 * sizeof(float));
}

TEST(gpu_pipelines, take_turns) { support::expect_turns_in_order({0}, 100); }

TEST(gpu_pipelines, end_by_the_first_error) { support::expect_the_first_error({0}); }

TEST(gpu_pipelines, say_what_they_cannot_take) {
  auto const none = [](gpu_chunk&) {};
  auto const made = [&](gpu_pipeline_options options) {
    return support::failure_of([&] { gpu_pipeline const all(std::move(options), none); });
  };
  EXPECT_EQ(made({.devices = {}, .elements = {4}}), "gpu_pipeline: devices has none");
  for (auto const& sizes : {std::vector<std::size_t>{}, {0}, {0, 4}})
    EXPECT_EQ(made({.elements = sizes}), "gpu_pipeline: elements has no sizes, or one of 0 bytes");
  EXPECT_EQ(made({.elements = {4}, .lanes = 0}), "gpu_pipeline: lanes = 0");
  gpu_pipeline two({.elements = {4, 2}}, none);
  std::vector<std::byte> const x(8);
  EXPECT_EQ(support::failure_of([&] { two.add(x); }), "gpu_pipeline: 1 arrays, of 2");
  EXPECT_EQ(support::failure_of([&] { two.add({x, x}); }),
            "gpu_pipeline: arrays[1] has 8 bytes, of 2 elements");
}

}  // namespace
