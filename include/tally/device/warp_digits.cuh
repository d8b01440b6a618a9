// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/launch.cuh"
#include "tally/thread_index.cuh"

namespace tally::device {

// A fixed-point number for each warp, the value of `Number`, for doubles and products that have
// little in common: digits of 16 bits in dynamic shared memory, behind `Before` bytes a thread of
// something else, which lanes add to by atomics that give nothing back. Each has some copies, so
// that lanes whose values are alike wait less for one another. Cleared when first needed.
template <class Number, int Before = 0>
class warp_digits {
  static constexpr int halves = 2 * Number::digits, copies = 4;
  // From one copy to the next, whose digits are a quarter of the banks away.
  static constexpr int stride =
      halves + (2 * warp_size - halves % warp_size + warp_size / copies) % warp_size;
  static constexpr int room = 1 << 15;  // additions that a digit bears

 public:
  static constexpr int bytes_a_thread = stride * copies * int(sizeof(int)) / warp_size;

  // Before at most n additions of each lane: by whole warps.
  template <class Digits>
  __device__ void reserve(int n, Digits& digits) {
    n *= warp_size / copies;
    if (left_ < n) {
      if (left_ < 0)
        clear();
      else
        empty<true>(digits);
      left_ = room;
    }
    left_ -= n;
  }

  // (high * 2^64 + low) * 2^(position + lsb), of at most `Bits` bits: by any lane.
  template <int Bits>
  __device__ void add(bool negative, std::uint64_t high, std::uint64_t low, int position) {
    constexpr int pieces = (Bits + 15 + 15) / 16, words = (pieces + 1) / 2;
    unsigned const from[4] = {unsigned(low), unsigned(low >> 32), unsigned(high),
                              unsigned(high >> 32)};
    int const up = position % 16;
    int* const to = mine() + int(threadIdx.x % copies) * stride + position / 16;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      unsigned const word =
          __funnelshift_l(i > 0 ? from[i - 1] : 0, i < 4 ? from[i] : 0, unsigned(up));
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int const piece = half == 0 ? int(word & 0xffff) : int(word >> 16);
        if (2 * i + half < pieces && piece != 0)
          atomicAdd(to + 2 * i + half, negative ? -piece : piece);
      }
    }
  }

  // After the last addition: by whole warps.
  template <class Digits>
  __device__ void close(Digits& digits) {
    if (left_ >= 0) empty<false>(digits);
  }

 private:
  int left_ = -1;

  __device__ static int* mine() {
    auto* const all = dynamic_shared<unsigned char>() + Before * blockDim.x;
    return reinterpret_cast<int*>(all) + threadIdx.x / warp_size * (stride * copies);
  }
  __device__ static void clear() {
    for (int i = int(threadIdx.x % warp_size); i < stride * copies; i += warp_size) mine()[i] = 0;
    __syncwarp();
  }
  template <bool Checked, class Digits>
  __device__ static void empty(Digits& digits) {
    __syncwarp();
    for (int i = int(threadIdx.x % warp_size); i < halves; i += warp_size) {
      std::int64_t sum = 0;
#pragma unroll
      for (int copy = 0; copy < copies; ++copy) {
        int& from = mine()[copy * stride + i];
        sum += from;
        from = 0;
      }
      if (sum == 0) continue;
      if constexpr (Checked)
        digits.add_integer_checked(i, sum);
      else
        digits.add_integer(i, sum);
    }
    __syncwarp();
  }
};

}  // namespace tally::device
