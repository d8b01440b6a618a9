// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/device/sum/squares.cuh"

namespace tally::device {

// Exact sums and sums of squares of elements of two bytes. Their squares are doubles, and those
// that are read at once are added up in two, which is exact if each sum is below 2^53 units of all
// of them. Otherwise they are extracted by a sigma (squares.cuh), below which there are 53 bits
// again: of float16 all that is finite. Where that does not do, elements are added one by one.
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
    bool const fits = !expected && add_close(x, all);
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
  // A sum of n elements, and the squares' in two parts.
  struct totals {
    double sum, squares, rest;
  };
  int wide_ = 0;  // batches that are likely to need a sigma

  static __device__ double power_of_two(int exponent) {
    return from_bits<double>(std::uint64_t(1023 + exponent) << 52);
  }

  // Adds up a batch whose elements are not too far apart; else returns false. The squares of n
  // finite elements are multiples of 2^lowest, and their sum is below 2^top. Where such powers are
  // no further apart than `most_apart`, what sigma leaves has 53 bits: half a unit of 2^(top - 51)
  // of each square. So has the sum of the elements, as its square is below n * 2^top.
  template <class Batch>
  __device__ bool add_close(Batch const& x, totals& all) {
    constexpr int log2_size = log2_of(Batch::size) + 1, most_apart = 105 - log2_size;
    constexpr int top = 2 * (f::bias + 1) + log2_size, lowest = 2 * f::lowest;
    if constexpr (top - lowest <= most_apart) {
      if (wide_ > 0) {
        --wide_;
        return extract(x, all, top);
      }
    }
    int last;
    bool const fits = add_up(x, all, last);
    if (__popc(__ballot_sync(~0u, !fits)) >= many) wide_ = 16;
    if (fits) return true;
    int const here = int(to_bits(all.squares + all.rest) >> 52) - 1023 + 1;
    return here - last <= most_apart && extract(x, all, here);
  }

  // Adds up a batch; false where the sum of the squares may not be exact. Where it is, so is the
  // sum: that of n elements is less than n * 2^26.5 units. The squares are multiples of 2^last.
  template <class Batch>
  static __device__ bool add_up(Batch const& x, totals& all, int& last) {
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
    last = 2 * (max(field, 1) - 1 + f::lowest);
    TALLY_CLAIM(adds("halves.sum", sum[0], sum[1]));
    all = {sum[0] + sum[1], squares[0], squares[1]};
    auto const upper = [](double y) { return unsigned(__double2hiint(y)); };  // a NaN's is more
    bool const fits = max(upper(squares[0]), upper(squares[1])) < unsigned(1023 + last + 53) << 20;
    TALLY_CLAIM(settle(fits));
    return fits;
  }
  // Less than the magnitudes of all elements but zeros, by one unit at most.
  template <class Batch>
  static __device__ unsigned least_before(Batch const& x) {
    unsigned least = ~0u;
#pragma unroll
    for (int k = 0; k < Batch::size; k += 2) {
      unsigned both;
      if constexpr (Batch::in_words)
        both = x.word(k / 2);
      else
        both = to_bits(x[k]) | (k + 1 < Batch::size ? to_bits(x[k + 1]) << 16 : 0);
      least = least_halves(both & ~(f::sign * 0x10001u), ~0u, least);
    }
    return min(least & 0xffff, least >> 16);
  }

  // Extracts multiples of sigma's last bit from the squares, whose sum is below 2^top up to a few
  // last bits. False where they are not finite.
  template <class Batch>
  static __device__ bool extract(Batch const& x, totals& all, int top) {
    double const sigma = power_of_two(top + 1);
    double sum = 0, high = sigma, rest = 0;
    TALLY_CLAIM(begin());
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      double const value = as_double(anew(x[k])), next = fma(value, value, high);
      TALLY_CLAIM(adds("halves.sum", sum, value));
      TALLY_CLAIM(within("halves.room", next - sigma, sigma));
      TALLY_CLAIM(adds("halves.rest", rest, fma(value, value, high - next)));
      sum += value;
      rest += fma(value, value, high - next);
      high = next;
    }
    all = {sum, high - sigma, rest};
    TALLY_CLAIM(settle(is_finite(all.squares)));
    return is_finite(all.squares);
  }
};

}  // namespace tally::device
