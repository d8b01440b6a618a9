// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/claim.hpp"
#include "tally/cuda/launch.cuh"
#include "tally/cuda/thread_index.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

// A block's superaccumulator (R. M. Neal, arXiv:1505.05571) for values that have little in common,
// privatised as histograms are: its digits are there 32 times, a column for each lane of a warp and
// each column in a bank of its own, so that no two lanes meet, whatever they add. (Where there is
// not the room, there are fewer `Columns`.) It is in dynamic shared memory, from byte `Offset` on,
// and lanes add by atomics that give nothing back. There is a digit for every `Step` bits, 16 or 8;
// it takes 16 at a time, so that with 8 a number may need fewer of them. Position 0 is the bit
// `First` of Number.
template <class Number, int Step, int First, int Offset = 0, int Columns = warp_size>
class privatised_superaccumulator {
  static_assert(warp_size % Columns == 0);
  static constexpr int rows = 32 * Number::digits / Step;
  static constexpr unsigned row_bytes = Columns * sizeof(int);
  static constexpr int next = 16 / Step * Columns;  // ints to the digit 16 bits further
  static constexpr int room = 1 << 15;              // additions that a digit bears

 public:
  static constexpr int bytes = (rows * Columns + 4) * int(sizeof(int));

  // Makes it zero: for all threads of the block, before a barrier.
  __device__ static void clear() {
    static_assert(bytes % sizeof(int4) == 0 && Offset % sizeof(int4) == 0);
#pragma unroll 1
    for (int i = int(threadIdx.x); i < bytes / int(sizeof(int4)); i += int(blockDim.x))
      reinterpret_cast<int4*>(memory())[i] = {};
  }

  // Makes room for n additions of each lane; whole warps call it before them.
  template <class Digits>
  __device__ void reserve(int n, Digits& digits) {
    if (left_ < n) {
      if (left_ < 0)
        atomicExch(&is_used(), 1);
      else
        empty(digits);
      left_ = room / (warp_size / Columns) / int(blockDim.x / warp_size);
    }
    left_ -= n;
  }
  // Whether what comes next is likely to belong here, too, and need not be looked at before; for
  // whole warps.
  __device__ bool expects() { return expected_ > 0 && expected_-- > 0; }
  __device__ void expect_more() { expected_ = 16; }

  // Adds x * 2^(position + First + lsb), |x| < 2^Bits, a multiple of 2^lsb; for any lane.
  template <int Bits, class Integer>
  __device__ void add(Integer x, unsigned position) {
    add_row<Bits + Step - 1>(x, position / Step, position % Step);
  }
  // Adds x * 2^up, less than 2^Bits, at position Step * row.
  template <int Bits, class Integer>
  __device__ void add_row(Integer x, unsigned row, unsigned up = 0) {
    constexpr int pieces = (Bits + 15) / 16, words = (pieces + 1) / 2;
    static_assert(Bits % 16 != 0, "the last piece has a sign, too");
    auto const word_of = [&](int i) {
      constexpr int width = 8 * sizeof(Integer);
      return unsigned(x >> (32 * i < width ? 32 * i : width - 1));
    };
    int* const to = &mine(row);
#pragma unroll
    for (int i = 0; i < words; ++i) {
      int const word = int(__funnelshift_l(i > 0 ? word_of(i - 1) : 0, word_of(i), up));
      bool const whole = 2 * i + 1 == pieces;
      TALLY_CLAIM(counter("columns.digit", to + 2 * i * next, whole ? word : word & 0xffff));
      if (!whole)
        TALLY_CLAIM(counter("columns.digit", to + (2 * i + 1) * next,
                            2 * i + 2 == pieces ? word >> 16 : int(unsigned(word) >> 16)));
      atomicAdd(to + 2 * i * next, whole ? word : word & 0xffff);
      if (!whole)
        atomicAdd(to + (2 * i + 1) * next,
                  2 * i + 2 == pieces ? word >> 16 : int(unsigned(word) >> 16));
    }
  }

  // Adds low + high * 2^16 at position Step * row; both have at most 16 bits and a sign.
  template <int Bits>
  __device__ void add_pieces(int low, int high, unsigned row) {
    static_assert(Bits <= 32);
    int* const to = &mine(row);
    // An infinity may leave anything in the last rows.
    if (row < 29) TALLY_CLAIM(counter("columns.digit", to, low));
    if (row < 29 && Bits > 16) TALLY_CLAIM(counter("columns.digit", to + next, high));
    atomicAdd(to, low);
    if (Bits > 16) atomicAdd(to + next, high);
  }

  // Adds all columns to `digits`: for the block, after the last addition and between two barriers.
  // False if nothing was added, and so the second barrier is not needed.
  template <class Digits>
  __device__ static bool close(Digits& digits) {
    if (!is_used()) return false;
    for (int row = int(threadIdx.x); row < rows; row += int(blockDim.x)) {
      std::int64_t sum = 0;
#pragma unroll 8
      for (int i = 0; i < Columns; ++i)  // each thread of a warp begins at another column
        sum += memory()[row * Columns + (row + i) % Columns];
      if (sum != 0) digits.add_integer(place_of(row), shifted(row, sum));
    }
    return true;
  }

 private:
  int left_ = -1;     // additions of this warp until it has to empty the digits
  int expected_ = 0;  // batches

  // Which digit of Number a row's sum belongs to, and what it is there.
  __device__ static int place_of(int row) { return max(Step * row + First, 0) / 16; }
  __device__ static std::int64_t shifted(int row, std::int64_t sum) {
    int const bit = Step * row + First;
    return bit < 0 ? sum >> -bit : sum << bit % 16;
  }
  __device__ static int* memory() {
    return reinterpret_cast<int*>(dynamic_shared<unsigned char>() + Offset);
  }
  // The lane's digit of a row. Counting in bytes takes two instructions less than in ints.
  __device__ static int& mine(unsigned row) {
    unsigned const at = row * row_bytes | threadIdx.x % Columns * unsigned(sizeof(int));
    return *reinterpret_cast<int*>(reinterpret_cast<unsigned char*>(memory()) + at);
  }
  __device__ static int& is_used() { return memory()[rows * Columns]; }

  // Empties all columns into `digits`, while other warps go on adding. Since a warp last did this,
  // a digit has at most its additions, so each warp may have its share of what a digit bears.
  template <class Digits>
  __device__ static void empty(Digits& digits) {
#pragma unroll 1
    for (int row = 0; row < rows; ++row) {
      int const lane = int(threadIdx.x % warp_size);
      int const x = lane < Columns ? atomicExch(&mine(unsigned(row)), 0) : 0;
      std::int64_t const high = warp::detail::redux_of(x >> 16, plus{});
      std::int64_t const sum = (high << 16) + warp::detail::redux_of(x & 0xffff, plus{});
      if (sum != 0 && lane == 0) digits.add_integer_checked(place_of(row), shifted(row, sum));
    }
  }
};

}  // namespace tally::device
