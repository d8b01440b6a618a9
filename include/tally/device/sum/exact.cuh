// SPDX-License-Identifier: Apache-2.0
//
// Exact sums by a block. A thread adds up what it reads in doubles, in such a way that every
// addition is exact or its error is seen; what does not fit goes to the block's superaccumulators.
// All ends as integers, so that neither the order nor the path through this file leaves a trace.
#pragma once

#include "tally/aggregate/zipped.hpp"
#include "tally/device/input/batch.cuh"
#include "tally/device/input/packed.cuh"
#include "tally/device/sum/block_superaccumulator.cuh"
#include "tally/device/sum/privatised_superaccumulator.cuh"
#include "tally/device/sum/significands.cuh"
#include "tally/exact/float_format.hpp"

namespace tally::device {

__host__ __device__ constexpr int log2_of(int n) { return n < 2 ? 0 : 1 + log2_of(n / 2); }

// Values that are not finite.
enum class special { nan, positive_infinity, negative_infinity };
inline constexpr int specials = 3;

// What the block's threads share: a superaccumulator, and how many values are not finite.
template <class Number>
struct shared_sum {
  static constexpr int words = Number::digits + specials;
  block_superaccumulator<Number> digits;
  unsigned here[specials];                 // of the block's elements, fewer than 2^32
  unsigned long long elsewhere[specials];  // of other blocks'

  __device__ void clear() {
    digits.clear();
    if (threadIdx.x < specials) here[threadIdx.x] = 0, elsewhere[threadIdx.x] = 0;
  }
  __device__ std::uint64_t count(special s) const { return here[int(s)] + elsewhere[int(s)]; }
  __device__ void add_special(bool nan, bool negative) {
    auto const s = nan        ? special::nan
                   : negative ? special::negative_infinity
                              : special::positive_infinity;
    atomicAdd(&here[int(s)], 1u);
  }

  // Stores the sum as an exact_state, or as exact_products, whose digits carry() has yet to bring
  // into their form.
  template <class State>
  __device__ void store(State& t) const {
    t.nan = count(special::nan);
    t.positive_infinity = count(special::positive_infinity);
    t.negative_infinity = count(special::negative_infinity);
    for (int i = 0; i < Number::digits; ++i) t.finite.digit[i] = digits.digit(i);
  }

  // The sum is `words` integers for other blocks. Theirs are added by 4 threads each, a piece each.
  __device__ std::uint64_t word(int i) const {
    return i < Number::digits ? std::uint64_t(digits.digit(i)) : here[i - Number::digits];
  }
  __device__ void add_word(int i, std::int64_t x, int piece) {
    if (i < Number::digits)
      digits.add_piece(2 * i, x, piece);
    else if (piece == 0)
      atomicAdd(&elsewhere[i - Number::digits], (unsigned long long)x);
  }
};

// What an element adds to a sum: itself, or the product of a pair.
template <floating T>
__device__ double value_of(T x) {
  return as_double(x);
}
template <floating T>
__device__ double value_of(zipped<T, T> const& x) {
  return as_double(x.first) * as_double(x.second);
}

// Counts the elements that are not finite, and puts zeros in their place, so that they add nothing
// to digits either; for whole warps.
template <class Batch, class Number>
__device__ void set_specials_aside(Batch& x, shared_sum<Number>& shared) {
  bool any = false;
#pragma unroll
  for (int k = 0; k < Batch::size; ++k) any = any || !is_finite(x[k]);
  if (!__any_sync(~0u, any)) return;
#pragma unroll
  for (int k = 0; k < Batch::size; ++k) {
    if (is_finite(x[k])) continue;
    double const value = value_of(x[k]);
    shared.add_special(is_nan(value), value < 0);
    x.set(k, std::remove_cvref_t<decltype(x[k])>{});
  }
}

// A thread's part in the exact sum of a block's elements.
template <element T>
class exact_adder;

// Adds elements that have little in common, one by one, and exact sums of some that have more.
template <floating T>
class single_adder {
  static constexpr bool is_double = std::is_same_v<T, double>;

 public:
  using number = detail::sum_digits<T>;
  using shared_type = shared_sum<number>;
  using columns = privatised_superaccumulator<number, is_double ? 16 : 8, first_bit<T, number>>;
  static constexpr int dynamic_bytes = columns::bytes;  // of shared memory

  __device__ static void clear_apart() { columns::clear(); }  // by the block, before a barrier

  __device__ void put(double x, shared_type& shared) { sum_.put(x, shared.digits); }
  __device__ void put_rest(double x, shared_type& shared) {
    sum_.template put<components - 1>(x, shared.digits);
  }
  // Adds an element, for any thread.
  __device__ void add_one(T x, shared_type& shared) {
    if (is_finite(x) && (!is_double || fabs(as_double(x)) < 0x1p960))
      put(as_double(x), shared);
    else
      add_special(x, shared);
  }
  // Adds all elements of a batch, after apart().reserve(their number), and calls each(significand
  // and row) for every one. What values that are not finite add to digits does not matter: they are
  // counted, and decide.
  // (Where a state is the result, set_specials_aside() has taken them out.)
  __device__ columns& apart() { return apart_; }
  template <class Batch, class Each>
  __device__ void add_apart(Batch const& x, shared_type& shared, Each each) {
    finite_check<T> check;
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      if constexpr (is_double) {
        auto const p = place(x[k]);
        bool const negative = to_bits(x[k]) & format<T>::sign;
        apart_.template add<53>(negative ? -p.significand : p.significand, p.position);
        each(in_row(p));
      } else {
        in_pieces const p = pieces_of(x[k]);
        if (is_finite(x[k]))
          TALLY_CLAIM(pieces("pieces", as_float(x[k]), p.low, p.high,
                             8 * int(p.row) + format<T>::lowest - 1));
        apart_.template add_pieces<row_bits<T>>(p.low, p.high, p.row);
        each(p);
      }
      check.look_at(x[k]);
    }
    if (check.all_finite()) return;
    array_of<T, Batch> const copy(x);
#pragma unroll 1
    for (T const value : copy.value)
      if (!is_finite(value)) add_special(value, shared);
  }
  // Whole warps call close() after the last of all these, and the block calls close_apart() between
  // two barriers, of which the second one may not be needed.
  __device__ void close(shared_type& shared) { sum_.close(shared.digits); }
  __device__ static bool close_apart(shared_type& shared) { return columns::close(shared.digits); }

 private:
  static constexpr int components = is_double ? 2 : 1;
  expansion<components> sum_;
  columns apart_;

  // A value that no thread can keep. (A call here would cost the loop above it 18 % of its speed.)
  __device__ static void add_special(T x, shared_type& shared) {
    if (is_finite(x)) {
      auto const p = take_apart(x);
      shared.digits.add(p.negative, p.significand, p.exponent);
    } else {
      shared.add_special(is_nan(x), to_bits(x) & format<T>::sign);
    }
  }
};

// Adds elements of up to 32 bits: while what is read at once is close enough together, plain double
// additions are exact (cpu/sum/windows.hpp has the same on a CPU).
template <floating T>
class exact_adder<T> : public single_adder<T> {
 public:
  using shared_type = typename single_adder<T>::shared_type;

  // Adds what a thread has read at once, with T{} in place of what does not count; for whole warps.
  template <class Batch>
  __device__ void add(Batch const& x, shared_type& shared) {
    constexpr int size = Batch::size, many = warp_size / 2;
    double all = 0;
    bool const expected = this->apart().expects(), fits = !expected && add_up(x, all);
    if (unsigned const others = __ballot_sync(~0u, !fits); others != 0) {
      this->apart().reserve(size, shared.digits);
      if (!expected && __popc(others) >= many) this->apart().expect_more();
    }
    if (fits)
      this->put(all, shared);
    else
      this->add_apart(x, shared, [](auto const&) {});
  }

 private:
  // Adds up a batch; false where the sum may not be exact.
  template <class Batch>
  __device__ static bool add_up(Batch const& x, double& all) {
    using seen = detail::seen_as<T>;
    unsigned largest = 0, smallest = ~0u;
    double sum[4] = {};
    TALLY_CLAIM(begin());
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      float const value = as_float(x[k]);
      unsigned const magnitude = to_bits(value) & 0x7fffffff;
      if constexpr (!std::is_same_v<T, float16>) {
        largest = max(largest, magnitude);
        smallest = min(smallest, magnitude - 1);  // a zero becomes large
      }
      TALLY_CLAIM(adds("batch.sums", sum[k % 4], double(value)));
      sum[k % 4] += double(value);
    }
    all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    TALLY_CLAIM(adds("batch.sums", sum[0] + sum[1], sum[2] + sum[3]));
    if constexpr (std::is_same_v<T, float16>) {
      TALLY_CLAIM(settle(is_finite(all)));
      return is_finite(all);
    } else {
      int const top = int(largest >> 23), bottom = max(int(smallest >> 23), seen::min_normal);
      bool const fits = top < seen::not_finite &&
                        log2_of(Batch::size) + (top + 1 - bottom) + (seen::precision - 1) <= 53;
      TALLY_CLAIM(settle(fits));
      return fits;
    }
  }
};

// Adds doubles: from those that are not too far apart, multiples of one power of two are extracted
// by a sigma (Rump, Ogita and Oishi, 2008; cpu/sum/windows.hpp), so that their additions are
// exact, and those of what they leave, too. Elements that lie elsewhere than those before move
// sigma. Where this does not do for some lanes, all go to digits.
template <>
class exact_adder<double> : public single_adder<double> {
 public:
  template <class Batch>
  __device__ void add(Batch const& x, shared_type& shared) {
    constexpr int size = Batch::size, each = (size + chains - 1) / chains;
    auto const fit = apart().expects() ? fitting::none : make_fit(x, shared);
    if (fit == fitting::none) {
      apart().reserve(size, shared.digits);
      return add_apart(x, shared, [](auto const&) {});
    }
    if (fit == fitting::others) return add_singly(x, shared);
    left_ -= each;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      auto& c = chain_[k % chains];
      double const next = c.sum + x[k];
      TALLY_CLAIM(within("chain.room", next - sigma_, sigma_ / 3));
      TALLY_CLAIM(adds("chain.rest", c.rest, x[k] - (next - c.sum)));
      c.rest += x[k] - (next - c.sum);
      c.sum = next;
    }
  }
  __device__ void close(shared_type& shared) {
    flush(shared);
    single_adder<double>::close(shared);
  }

 private:
  // Whether a lane's batch can be extracted by its sigma, which is moved where that helps: this one
  // can, only others' can, or too many lanes' cannot, and none is.
  enum class fitting { this_one, others, none };
  template <class Batch>
  __device__ fitting make_fit(Batch const& x, shared_type& shared) {
    constexpr int size = Batch::size, each = (size + chains - 1) / chains, many = 4;
    unsigned largest = 0, smallest = ~0u;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      std::uint64_t const magnitude = to_bits(x[k]) & ~format<double>::sign;
      largest = max(largest, unsigned(magnitude >> 32));
      smallest = min(smallest, unsigned((magnitude - 1) >> 32));  // a zero becomes large
    }
    bool const fits = largest < above_ && smallest >= from_ && left_ >= each;
    if (!__any_sync(~0u, !fits)) return fitting::this_one;
    int const top = int(largest >> 20), bottom = int(smallest >> 20);
    bool const narrow = top < overflow_field && top - bottom < binades;
    if (__popc(__ballot_sync(~0u, !narrow)) >= many) {
      apart().expect_more();
      return fitting::none;
    }
    if (!narrow) return fitting::others;
    if (!fits) {
      flush(shared);
      open(max(top + 1, binades));  // a binade to spare
    }
    return fitting::this_one;
  }

  // What is extracted of elements below 1 is multiples of 2^unit; 2^log2_room additions to a chain
  // stay below 2^(52 + unit).
  static constexpr int log2_room = 7, chains = 2, unit = log2_room - 50;
  // How far the elements' exponent fields may be apart, so that what is left is added up exactly in
  // 53 bits, and which are below those that may overflow.
  static constexpr int binades = 103 - 2 * log2_room - 53,
                       overflow_field = format<double>::max_field - 64;
  struct chain {
    double sum = 0, rest = 0;
  };
  chain chain_[chains];
  double sigma_ = 0;
  unsigned from_ = ~0u, above_ = 1;  // upper halves of magnitudes; nothing but zeros fits at first
  int left_ = 0;                     // additions to a chain until it is full

  __device__ void open(int top) {
    left_ = 1 << log2_room;
    above_ = unsigned(top + 1) << 20;
    from_ = unsigned(max(top - binades, 0)) << 20;
    sigma_ = 1.5 * from_bits<double>(std::uint64_t(top + 1 + 52 + unit) << 52);
    for (chain& c : chain_) c = {sigma_, 0};
  }
  __device__ void flush(shared_type& shared) {
    if (above_ == 1) return;
    TALLY_CLAIM(adds("chain.sum", chain_[0].sum - sigma_, chain_[1].sum - sigma_));
    TALLY_CLAIM(adds("chain.rest", chain_[0].rest, chain_[1].rest));
    put((chain_[0].sum - sigma_) + (chain_[1].sum - sigma_), shared);
    put_rest(chain_[0].rest + chain_[1].rest, shared);
    above_ = 1;
  }
  template <class Batch>
  __device__ void add_singly(Batch const& x, shared_type& shared) {
    array_of<double, Batch> const copy(x);
#pragma unroll 1
    for (double const value : copy.value) add_one(value, shared);
  }
};

// Adds integers, those of 64 bits by their 32-bit halves.
template <integer T>
class exact_adder<T> {
 public:
  using number = detail::sum_digits<T>;
  using shared_type = shared_sum<number>;
  static constexpr int dynamic_bytes = 0;

  __device__ static void clear_apart() {}
  template <class Batch>
  __device__ void add(Batch const& x, shared_type& shared) {
    if constexpr (narrow<T> && Batch::in_words) {
      low_ += std::uint64_t(sum_of_words<T>(x));
    } else {
#pragma unroll
      for (int k = 0; k < Batch::size; ++k) add_one(x[k], shared);
    }
  }
  __device__ void add_one(T x, shared_type&) {
    if constexpr (sizeof(T) == 8) {
      low_ += std::uint64_t(x) & 0xffffffff;
      high_ += std::uint64_t(x >> 32);  // arithmetic for signed types
    } else {
      low_ += std::uint64_t(x);
    }
  }
  __device__ void close(shared_type& shared) {
    deposit(low_, 0, sizeof(T) < 8 && std::is_signed_v<T>, shared);
    if constexpr (sizeof(T) == 8) deposit(high_, 32, std::is_signed_v<T>, shared);
  }
  __device__ static bool close_apart(shared_type&) { return false; }

 private:
  std::uint64_t low_ = 0, high_ = 0;

  __device__ static void deposit(std::uint64_t x, int exponent, bool is_signed,
                                 shared_type& shared) {
    auto const all = warp::detail::redux_of(x, plus{});
    bool const negative = is_signed && std::int64_t(all) < 0;
    if (threadIdx.x % warp_size == 0)
      shared.digits.add(negative, negative ? 0 - all : all, exponent);
  }
};

}  // namespace tally::device
