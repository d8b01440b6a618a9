// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/launch.cuh"
#include "tally/thread_index.cuh"

namespace tally::device {

// Exact sums of integers of up to `Bits` bits times 2^position, for positions less than
// `Positions`, whatever these are: 128-bit integers, each for 64 positions, in dynamic shared
// memory behind `Before` bytes a thread of something else. Four lanes share a column of them and
// take turns, a quarter of a warp each, which is what the memory serves at once; no two of a
// quarter meet in a bank. Cleared when first needed. By whole warps.
template <int Positions, int Bits, int Before = 0>
class wide_bins {
  static constexpr int count = (Positions + 63) / 64;
  static constexpr int sharers = 4, columns = warp_size / sharers;
  static constexpr int room =
      (1 << (63 - Bits < 30 ? 63 - Bits : 30)) / sharers;  // additions that a bin bears

 public:
  static constexpr int bytes_a_thread = count * 16 / sharers;

  // Before at most n additions.
  template <class Digits>
  __device__ void reserve(int n, Digits& digits) {
    if (left_ >= n) {
      left_ -= n;
      return;
    }
    if (left_ < 0)
      clear();
    else
      empty<true>(digits);
    left_ = room - n;
  }

  __device__ void add(std::int64_t significand, int position) {
    unsigned const up = unsigned(position) % 64;
    auto const low = std::uint64_t(significand) << up;
    auto const high = std::uint64_t((significand >> 1) >> (63 - up));
    auto const value = static_cast<unsigned __int128>(high) << 64 | low;
    __int128& bin = at(int(unsigned(position) / 64), column());
#pragma unroll
    for (int turn = 0; turn < sharers; ++turn) {
      if (int(threadIdx.x % warp_size / columns) == turn) bin += __int128(value);
      __syncwarp();
    }
  }

  template <class Digits>
  __device__ void close(Digits& digits) {
    if (left_ >= 0) empty<false>(digits);
  }

 private:
  int left_ = -1;

  __device__ static __int128& at(int bin, int column) {
    auto* const mine = dynamic_shared<unsigned char>() + Before * blockDim.x;
    return reinterpret_cast<__int128*>(mine)[bin * int(blockDim.x / sharers) + column];
  }
  __device__ static int first_column() { return int(threadIdx.x / warp_size * columns); }
  __device__ static int column() { return first_column() + int(threadIdx.x % columns); }

  __device__ static void clear() {
    for (int bin = int(threadIdx.x % warp_size / columns); bin < count; bin += sharers)
      at(bin, column()) = 0;
    __syncwarp();
  }
  // A lane for each bin, or some.
  template <bool Checked, class Digits>
  __device__ static void empty(Digits& digits) {
    for (int bin = int(threadIdx.x % warp_size); bin < count; bin += warp_size) {
      std::int64_t word[4] = {};
#pragma unroll 4
      for (int i = 0; i < columns; ++i) {
        __int128& from = at(bin, first_column() + (i + bin) % columns);
        __int128 const x = from;
        from = 0;
        word[0] += std::uint32_t(x);
        word[1] += std::uint32_t(x >> 32);
        word[2] += std::uint32_t(x >> 64);
        word[3] += std::int32_t(x >> 96);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if constexpr (Checked)
          digits.add_integer_checked(4 * bin + 2 * i, word[i]);
        else
          digits.add_integer(4 * bin + 2 * i, word[i]);
    }
    __syncwarp();
  }
};

}  // namespace tally::device
