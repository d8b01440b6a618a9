// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/device/sum/squares.cuh"

namespace tally::device {

// Exact sums and sums of squares of elements of two bytes. Their squares are doubles, and those
// that are read at once are added up in one, which is exact if the sum is below 2^53 units of all
// of them. Otherwise they are extracted once more by a sigma (squares.cuh), below which there are
// 53 bits again; and where that does not do, the elements are added one by one.
template <floating T>
  requires half_word<T>
class square_adder<T> : public single_square_adder<T> {
  using base = single_square_adder<T>;
  using f = format<T>;

 public:
  using typename base::digits;
  using typename base::sums;

  // Adds what a thread has read at once, with T{} in place of what does not count; for whole warps.
  template <class Batch>
  __device__ void add(Batch const& x, sums& shared, digits& squares) {
    bool const expected = this->apart_.expects();
    totals all{};
    bool const fits = !expected && (add_up(x, all) || extract(x, all));
    if (unsigned const others = __ballot_sync(~0u, !fits); others != 0) {
      this->reserve(Batch::size, shared, squares);
      if (!expected && __popc(others) >= many) this->apart_.expect_more();
    }
    if (!fits) return this->add_apart(x, shared);
    this->sum_.put(all.sum, shared);
    this->squares_.put(all.squares, squares);
    if (all.rest != 0) this->squares_.template put<1>(all.rest, squares);
  }

 private:
  static constexpr int many = 4;  // lanes
  struct totals {
    double sum, squares, rest;
    int last;  // squares are multiples of 2^last
  };
  static __device__ double power_of_two(int exponent) {
    return from_bits<double>(std::uint64_t(1023 + exponent) << 52);
  }

  // Adds up a batch; false where the sum of the squares may not be exact. Where it is, so is the
  // sum: of n elements less than n * 2^26.5 units.
  template <class Batch>
  static __device__ bool add_up(Batch const& x, totals& all) {
    static_assert(Batch::size < 1 << 26);
    double sum[2] = {}, squares[2] = {};
    TALLY_CLAIM(begin());
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      double const value = as_double(x[k]);
      TALLY_CLAIM(adds("halves.sum", sum[k % 2], value));
      TALLY_CLAIM(adds("halves.squares", squares[k % 2], value * value));
      sum[k % 2] += value;
      squares[k % 2] = fma(value, value, squares[k % 2]);
    }
    int const field = int(least_before(x) >> (f::precision - 1));
    int const last = 2 * (max(field, 1) - 1 + f::lowest);
    TALLY_CLAIM(adds("halves.sum", sum[0], sum[1]));
    all = {sum[0] + sum[1], squares[0], squares[1], last};
    // A NaN is more, too.
    auto const upper = [](double y) { return unsigned(__double2hiint(y)); };
    bool const fits = max(upper(squares[0]), upper(squares[1])) < unsigned(1023 + last + 53) << 20;
    TALLY_CLAIM(settle(fits));
    return fits;
  }
  // Less than the magnitudes of all elements but zeros, by one unit at most.
  template <class Batch>
  static __device__ unsigned least_before(Batch const& x) {
    unsigned least = ~0u;
    if constexpr (Batch::in_words) {
#pragma unroll
      for (int i = 0; i < Batch::words; ++i)
        least = least_halves(x.word(i) & ~(f::sign * 0x10001u), ~0u, least);
    } else {
#pragma unroll
      for (int k = 0; k < Batch::size; ++k)
        least = min(least, (to_bits(x[k]) & ~unsigned(f::sign)) - 1 | 0xffff0000);
    }
    return min(least & 0xffff, least >> 16);
  }

  // Extracts multiples of sigma's last bit from the squares, whose sum is known up to a few last
  // bits. What is left of n squares is less than n / 2 of it, and a multiple of 2^last.
  template <class Batch>
  static __device__ bool extract(Batch const& x, totals& all) {
    constexpr int log2_size = log2_of(Batch::size) + 1;
    int const top =
        int(to_bits(all.squares + all.rest) >> 52) - 1023 + 1;  // the sum is below 2^top
    // Multiples of 2^(last / 2), elements are below 2^(top / 2): of them, too, 53 bits bear the
    // sum.
    if (top - all.last > 2 * (53 - log2_size)) return false;
    double const sigma = power_of_two(top + 1);
    double high = sigma, rest = 0;
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      double const value = as_double(x[k]), next = fma(value, value, high);
      TALLY_CLAIM(within("halves.room", next - sigma, sigma));
      TALLY_CLAIM(adds("halves.rest", rest, fma(value, value, high - next)));
      rest += fma(value, value, high - next);
      high = next;
    }
    all.squares = high - sigma, all.rest = rest;
    return true;
  }
};

}  // namespace tally::device
