// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/launch.cuh"
#include "tally/thread_index.cuh"
#include "tally/types.hpp"

namespace tally::device {

// A thread's exact sums of floats of any size: 16 doubles, each for the values of 16 binades, which
// take 16 + 24 bits and those of their number. They are in dynamic shared memory, a column a
// thread, so that no two threads of a warp meet in a bank. Cleared when they are first needed.
class bins {
 public:
  static constexpr int count = 16;
  static constexpr int bytes_a_thread = count * sizeof(double);

  // Before at most n additions.
  template <class Digits>
  __device__ void reserve(int n, Digits& digits) {
    constexpr int room = 1 << 13;
    if (added_ == 0 || added_ + n > room) {
#pragma unroll 1
      for (int i = 0; i < count; ++i) {
        if (added_ != 0) digits.add(at(i));
        at(i) = 0;
      }
      added_ = 0;
    }
    added_ += n;
  }

  __device__ void add(float x) { at(int(to_bits(x) >> 27) & (count - 1)) += double(x); }

  // By whole warps. Two lanes add up a bin's columns as integers, each those of 16 threads,
  // beginning at another one than its neighbours.
  template <class Digits>
  __device__ void close(Digits& digits) {
    if (!__any_sync(~0u, added_ != 0)) return;
    if (added_ == 0)
      for (int i = 0; i < count; ++i) at(i) = 0;
    __syncwarp();
    int const lane = int(threadIdx.x % warp_size), bin = lane % count, half = lane & count;
    int const unit = 16 * bin - 1 + Digits::lsb;  // what a bin holds are multiples of 2^unit
    double const scale = from_bits<double>(std::uint64_t(1023 - unit) << 52);
    std::int64_t sum = 0;
#pragma unroll 4
    for (int i = 0; i < count; ++i)
      sum += std::int64_t(
          scale * at(bin, int(threadIdx.x - threadIdx.x % warp_size) + half + (i + lane) % count));
    if (sum & 1) digits.add_integer(bin - 1, 1 << 15);
    digits.add_integer(bin, sum >> 1);
  }

 private:
  int added_ = 0;

  __device__ static double& at(int bin, int thread) {
    return dynamic_shared<double>()[bin * int(blockDim.x) + thread];
  }
  __device__ static double& at(int bin) { return at(bin, int(threadIdx.x)); }
};

}  // namespace tally::device
