// SPDX-License-Identifier: Apache-2.0
//
// What a gpu_output brings back from a GPU's memory, in one piece and in several.
#include "tally/gpu/output.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tally/cuda/cuda_error.cuh"
#include "tally/gpu/copy.hpp"

namespace {

using namespace tally;

TEST(gpu_output, brings_back_from_a_gpu_what_was_sent_there) {
  constexpr std::size_t piece = std::size_t(4) << 20;  // of which two are on their way at once
  std::vector<std::byte> all(3 * piece + 5);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::byte(i * 2654435761u >> 13);
  gpu there;
  gpu_copy copy(there);
  copy.append(all);
  gpu_output const room(there, all.size());
  there.synchronise();
  check(cudaMemcpy(room.as<std::byte>().data(), copy.as<std::byte>().data(), all.size(),
                   cudaMemcpyDeviceToDevice));
  for (std::size_t size : {std::size_t(0), std::size_t(1), piece - 1, piece, piece + 1, 2 * piece,
                           2 * piece + 1, 3 * piece})
    for (std::size_t first : {std::size_t(0), std::size_t(5)}) {
      std::vector<std::byte> part(size + 1, std::byte(7));
      room.read(first, std::span(part).first(size));
      EXPECT_TRUE(std::equal(part.begin(), part.end() - 1, all.begin() + first)) << size;
      EXPECT_EQ(part.back(), std::byte(7));
      copy.append(std::span(all).first(100));  // both ways by turns
    }
}

}  // namespace
