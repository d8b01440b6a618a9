// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/launch.cuh"
#include "tally/thread_index.cuh"
#include "tally/types.hpp"

namespace tally::device {

// So many threads, at most `most`, that two blocks of them find their part in shared memory.
constexpr int threads_with(int bytes_a_thread, int most) {
  constexpr int shared_bytes = 110 << 10, step = 128;
  int const fit = bytes_a_thread ? shared_bytes / bytes_a_thread / step * step : most;
  return fit < most ? fit : most;
}

// A thread's exact sums of doubles of any size that have at most 24 significant bits: `Count`
// doubles, each for the values of a group of 16 binades, which take 16 + 24 bits and those of their
// number. They are in dynamic shared memory behind `Before` bytes a thread of something else, a
// column a thread, so that no two threads of a warp meet in a bank. Cleared when they are first
// needed. Groups are told by an exponent's field over 16; `First` is that of the least.
template <int First, int Count, int Before = 0>
class bins {
 public:
  static constexpr int bytes_a_thread = Count * sizeof(double);

  // Before at most n additions.
  template <class Digits>
  __device__ void reserve(int n, Digits& digits) {
    constexpr int room = 1 << 13;
    if (added_ == 0 || added_ + n > room) {
#pragma unroll 1
      for (int i = 0; i < Count; ++i) {
        if (added_ != 0) digits.add(at(i));
        at(i) = 0;
      }
      added_ = 0;
    }
    added_ += n;
  }

  __device__ void add(float x) { at(int(to_bits(x) >> 27) & 15) += double(x); }
  __device__ void add(double x) { at(max(int(to_bits(x) >> 56) & 127, First) - First) += x; }

  // By whole warps. Two lanes add up a bin's columns as integers, each those of 16 threads,
  // beginning at another one than its neighbours.
  template <class Digits>
  __device__ void close(Digits& digits) {
    if (!__any_sync(~0u, added_ != 0)) return;
    if (added_ == 0)
      for (int i = 0; i < Count; ++i) at(i) = 0;
    __syncwarp();
    int const lane = int(threadIdx.x % warp_size), first = int(threadIdx.x) - lane;
    for (int half = lane; half < 2 * Count; half += warp_size) {
      int const bin = half / 2, unit = 16 * (First + bin) - (1023 + 23);
      double const scale = from_bits<double>(std::uint64_t(1023 - unit) << 52);
      std::int64_t sum = 0;
#pragma unroll 4
      for (int i = 0; i < columns; ++i)
        sum += std::int64_t(scale * at(bin, first + half % 2 * columns + (i + bin) % columns));
      if (sum != 0) add_to(digits, sum, unit - Digits::lsb);
    }
  }

 private:
  static constexpr int columns = warp_size / 2;
  int added_ = 0;

  // sum * 2^(position + lsb), without a bit below 2^lsb.
  template <class Digits>
  __device__ static void add_to(Digits& digits, std::int64_t sum, int position) {
    if (position < 0) sum >>= -position, position = 0;
    int const up = position % 16;
    std::int64_t const low = sum & ((1 << (16 - up)) - 1);
    if (low != 0) digits.add_integer(position / 16, low << up);
    digits.add_integer(position / 16 + 1, sum >> (16 - up));
  }

  __device__ static double& at(int bin, int thread) {
    auto* const mine = dynamic_shared<unsigned char>() + Before * blockDim.x;
    return reinterpret_cast<double*>(mine)[bin * int(blockDim.x) + thread];
  }
  __device__ static double& at(int bin) { return at(bin, int(threadIdx.x)); }
};

// Of floats, by their own exponents' fields: subnormal ones are in the group of the least.
using float_bins = bins<56, 16>;

// Of the products of two floats of this precision, which are doubles: in two parts where they have
// more than 24 bits.
template <int Precision, int Before = 0>
class product_bins {
  using parts = bins<45, 35, Before>;  // 2^-298 to 2^256

 public:
  static constexpr int bytes_a_thread = parts::bytes_a_thread;
  template <class Digits>
  __device__ void reserve(int n, Digits& digits) {
    parts_.reserve(2 * n, digits);
  }
  __device__ void add(double product) {
    if constexpr (2 * Precision > 24) {
      double const high = from_bits<double>(to_bits(product) >> 29 << 29);
      parts_.add(product - high);
      product = high;
    }
    parts_.add(product);
  }
  template <class Digits>
  __device__ void close(Digits& digits) {
    parts_.close(digits);
  }

 private:
  parts parts_;
};

}  // namespace tally::device
