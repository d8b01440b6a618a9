// SPDX-License-Identifier: Apache-2.0
//
// Exact sums and sums of squares by a block, both from one look at each element.
#pragma once

#include "tally/device/sum/exact.cuh"

namespace tally::device {

// A thread's part in both sums.
template <element T>
class square_adder;

// Adds elements and squares that have little in common, one by one, and exact sums of some that
// have more.
template <floating T>
class single_square_adder {
  using sum_type = single_adder<T>;

 public:
  using number = detail::square_digits<T>;
  using sums = typename sum_type::shared_type;
  using digits = block_superaccumulator<number>;
  using columns =
      privatised_superaccumulator<number, 16, first_bit<T, number, 2>, sum_type::dynamic_bytes>;
  static constexpr int dynamic_bytes = sum_type::dynamic_bytes + columns::bytes;

  __device__ static void clear_apart() {
    sum_type::clear_apart();
    columns::clear();
  }
  __device__ void add_one(T x, sums& shared, digits& squares) {
    sum_.add_one(x, shared);
    add_square(x, squares);
  }
  // Whole warps call close() after the last add, and the block calls close_apart() between two
  // barriers, of which the second one may not be needed.
  __device__ void close(sums& shared, digits& squares) {
    sum_.close(shared);
    squares_.close(squares);
  }
  __device__ static bool close_apart(sums& shared, digits& squares) {
    bool const any = sum_type::close_apart(shared);
    return columns::close(squares) || any;
  }

 protected:
  sum_type sum_;
  expansion<std::is_same_v<T, double> ? 4 : 3> squares_;
  columns apart_;

  // Makes room for so many elements, which are then added to the privatised digits; for whole
  // warps.
  __device__ void reserve(int n, sums& shared, digits& squares) {
    sum_.apart().reserve(n, shared.digits);
    apart_.reserve(n, squares);
  }
  template <class Batch>
  __device__ void add_apart(Batch const& x, sums& shared) {
    sum_.add_apart(x, shared, [&](auto const& r) {
      apart_.template add_row<2 * row_bits<T>>(product_of(r.significand, r.significand), r.row);
    });
  }
  __device__ static void add_square(T x, digits& squares) {
    if (!is_finite(x)) return;
    auto const p = take_apart(x);
    std::uint64_t const low = p.significand & 0xffffffff, high = p.significand >> 32;
    add_digits(low * low, 2 * p.exponent, squares);
    add_digits(low * high, 2 * p.exponent + 33, squares);
    add_digits(high * high, 2 * p.exponent + 64, squares);
  }

 private:
  __device__ static void add_digits(std::uint64_t significand, int exponent, digits& squares) {
    if (significand != 0) squares.add(false, significand, exponent);
  }
};

// Where elements of type T lie: their exponents' fields, each of which says what they are below.
template <floating T>
struct square_window {
  static constexpr bool exact = !std::is_same_v<T, double>;  // the squares, as doubles
  static constexpr int precision = format<T>::precision;
  static constexpr int field_at = exact ? precision - 1 : precision - 33;  // of upper()
  static constexpr int bias = format<T>::bias - 1;  // an element is below 2^(field - bias)
  // The fields of those that can be squared.
  static constexpr int min_field = exact ? 0 : bias - 450;
  static constexpr int max_field = exact ? format<T>::max_field - 1 : bias + 480;

  // The 32 bits of a magnitude that are compared.
  static __device__ unsigned upper(bits_of<T> x) { return unsigned(x >> (exact ? 0 : 32)); }
  static __device__ auto magnitude(T x) { return bits_of<T>(to_bits(x) & ~format<T>::sign); }
  // Less than upper() of all that are not less than x, unless x is zero: then it is large.
  static __device__ unsigned upper_before(bits_of<T> x) { return upper(x - 1); }
};

// Floats or doubles of a few binades, the window, are added up in doubles without an error:
// multiples of one power of two are extracted from their squares by a sigma (Rump, Ogita and Oishi,
// 2008; cpu/sum/windows.hpp), and of doubles also from the elements and the squares' errors. The
// window moves to where the elements are.
template <floating T>
  requires(sizeof(T) > 2)
class square_adder<T> : public single_square_adder<T> {
  using window = square_window<T>;
  using base = single_square_adder<T>;
  using base::apart_;
  using base::squares_;
  using base::sum_;

 public:
  using typename base::digits;
  using typename base::sums;

  // Adds what a thread has read at once, with T{} in place of what does not count; for whole warps.
  template <class Batch>
  __device__ void add(Batch& x, sums& shared, digits& squares) {
    if (apart_.expects() || !make_fit(x, shared, squares)) {
      base::reserve(Batch::size, shared, squares);
      return base::add_apart(x, shared);
    }
    left_ -= additions<Batch>;
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) accumulate(x[k], k % chains);
  }
  __device__ void close(sums& shared, digits& squares) {
    flush(shared, squares);
    base::close(shared, squares);
  }

 private:
  // Moves the window, or sets elements apart, where that helps. False, in all lanes, where it does
  // not in too many.
  template <class Batch>
  __device__ bool make_fit(Batch& x, sums& shared, digits& squares) {
    unsigned largest = 0, smallest = ~0u;
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      auto const magnitude = window::magnitude(x[k]);
      largest = max(largest, window::upper(magnitude));
      smallest = min(smallest, window::upper_before(magnitude));  // a zero becomes large
    }
    bool const fits = largest < above_ && smallest >= from_ && left_ >= additions<Batch>;
    if (!__any_sync(~0u, !fits)) return true;
    int const top = int(largest >> window::field_at), bottom = int(smallest >> window::field_at);
    bool const hopeless = top - bottom > binades || top > window::max_field;
    if (__popc(__ballot_sync(~0u, hopeless)) >= many) {
      apart_.expect_more();
      return false;
    }
    if (!fits) {
      bool const full = largest < above_ && smallest >= from_;
      int const last = int(above_ >> window::field_at) - 1;
      flush(shared, squares);
      open(full ? last : top + 1);  // a binade to spare
    }
    bool const outside = largest >= above_ || smallest < from_;
    if (__any_sync(~0u, outside)) set_apart(x, shared, squares);
    return true;
  }

  // Additions that a window bears: 2^log2_room for each chain of them.
  static constexpr bool exact = window::exact;
  static constexpr int log2_room = exact ? 7 : 6, chains = exact ? 2 : 1;
  template <class Batch>
  static constexpr int additions = (Batch::size + chains - 1) / chains;
  static constexpr int many = 4;  // lanes
  // What is extracted of squares below 1 is multiples of 2^unit. A window has so many binades that
  // additions of what the last extraction leaves are exact, too.
  static constexpr int unit = log2_room - 50;
  static constexpr int binades = exact ? 51 - log2_room - window::precision : 25 - log2_room;
  // The window: upper halves of magnitudes [from_, above_). Nothing but zeros fits at first.
  unsigned from_ = ~0u, above_ = 1;
  int left_ = 0;  // additions to a chain until it is full
  struct chain {
    double sum = 0, high = 0, low = 0;         // of elements; of squares, extracted and left
    double sum_rest = 0, error = 0, rest = 0;  // double: what its sums and squares leave
  };
  chain chain_[chains];
  double sigma_ = 0, sum_sigma_ = 0, error_sigma_ = 0;

  __device__ static double power_of_two(int exponent) {
    return from_bits<double>(std::uint64_t(1023 + exponent) << 52);
  }

  __device__ void accumulate(T x, int which) {
    auto& c = chain_[which];
    double const value = as_double(x);
    if constexpr (exact) {
      TALLY_CLAIM(adds("squares.sum", c.sum, value));
      c.sum += value;
      double const next = fma(value, value, c.high);
      TALLY_CLAIM(within("squares.room", next - sigma_, sigma_ / 3));
      TALLY_CLAIM(adds("squares.rest", c.low, fma(value, value, c.high - next)));
      c.low += fma(value, value, c.high - next);
      c.high = next;
    } else {
      double const square = fma(value, value, -0.0), error = fma(value, value, -square);
      TALLY_CLAIM(product("squares.error", value, value, square, error));
      extract(value, c.sum, c.sum_rest);
      extract(square, c.high, c.low);
      extract(error, c.error, c.rest);
    }
  }
  __device__ static void extract(double x, double& sum, double& rest) {
    double const next = sum + x;
    TALLY_CLAIM(adds("squares.rests", rest, x - (next - sum)));
    rest += x - (next - sum);
    sum = next;
  }

  // Opens a window for elements whose exponents have the field `top` or less.
  __device__ void open(int top) {
    left_ = 1 << log2_room;
    if (exact) top = min(top, window::max_field);  // else what is not finite would be inside
    if (top > window::max_field + 1 || top <= window::min_field) return;
    int const first = top - binades;
    above_ = unsigned(top + 1) << window::field_at;
    from_ = unsigned(first <= 1 ? 0 : max(first, window::min_field)) << window::field_at;
    int const upper = 2 * (top - window::bias) + unit;
    sigma_ = 1.5 * power_of_two(52 + upper);
    if constexpr (!exact) {
      sum_sigma_ = 1.5 * power_of_two(52 + top - window::bias + unit);
      error_sigma_ = 1.5 * power_of_two(52 + upper - 54);
    }
    for (chain& c : chain_) c = {sum_sigma_, sigma_, 0, 0, error_sigma_, 0};
  }
  // Passes on what the window holds, and closes it.
  __device__ void flush(sums& shared, digits& squares) {
    if (above_ == 1) return;
    double sum = 0, high = 0, low = 0;
#pragma unroll
    for (chain& c : chain_) {
      TALLY_CLAIM(adds("squares.sum", sum, c.sum - sum_sigma_));
      TALLY_CLAIM(adds("squares.high", high, c.high - sigma_));
      TALLY_CLAIM(adds("squares.low", low, c.low));
      TALLY_CLAIM(within("squares.room", c.high - sigma_, sigma_ / 3));
      if (!exact) TALLY_CLAIM(within("squares.room", c.sum - sum_sigma_, sum_sigma_ / 3));
      if (!exact) TALLY_CLAIM(within("squares.room", c.error - error_sigma_, error_sigma_ / 3));
      sum += c.sum - sum_sigma_, high += c.high - sigma_, low += c.low;
    }
    sum_.put(sum, shared);
    squares_.put(high, squares);
    squares_.template put<1>(low, squares);
    if constexpr (!exact) {
      sum_.put_rest(chain_[0].sum_rest, shared);
      squares_.template put<1>(chain_[0].error - error_sigma_, squares);
      squares_.template put<2>(chain_[0].rest, squares);
    }
    for (chain& c : chain_) c = {};
    sigma_ = sum_sigma_ = error_sigma_ = 0;
    from_ = ~0u, above_ = 1;
  }

  __device__ bool is_outside(T x) const {
    auto const magnitude = window::magnitude(x);
    return magnitude != 0 &&
           !(window::upper(magnitude) < above_ && window::upper_before(magnitude) >= from_);
  }
  // Adds elements outside the window, seldom more than one, which leave zeros in x.
  template <class Batch>
  __device__ void set_apart(Batch& x, sums& shared, digits& squares) {
    unsigned outside = 0;
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) outside |= unsigned(is_outside(x[k])) << k;
#pragma unroll 1
    for (; outside != 0; outside &= outside - 1) {
      int const at = __ffs(int(outside)) - 1;
      T value{};
#pragma unroll
      for (int k = 0; k < Batch::size; ++k) {
        if (k != at) continue;
        value = x[k];
        x.set(k, T{});
      }
      sum_.add_one(value, shared);
      if constexpr (!exact)
        base::add_square(value, squares);
      else if (is_finite(value))
        squares_.template put<1>(as_double(value) * as_double(value), squares);
    }
  }
};

// Adds integers, and their squares by 32-bit pieces.
template <integer T>
class square_adder<T> {
 public:
  using number = detail::square_digits<T>;
  using sums = typename exact_adder<T>::shared_type;
  using digits = block_superaccumulator<number>;
  static constexpr int dynamic_bytes = 0;

  __device__ static void clear_apart() {}

  template <class Batch>
  __device__ void add(Batch const& x, sums& shared, digits&) {
    sum_.add(x, shared);
    if constexpr (narrow<T> && Batch::in_words) {
      piece_[0] += products_of_words<T>(x, x);
    } else {
#pragma unroll
      for (int k = 0; k < Batch::size; ++k) put(x[k]);
    }
  }
  __device__ void add_one(T x, sums& shared, digits&) {
    sum_.add_one(x, shared);
    put(x);
  }
  __device__ void close(sums& shared, digits& squares) {
    sum_.close(shared);
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      std::uint64_t const all = warp::detail::redux_of(piece_[i], plus{});
      if (threadIdx.x % warp_size == 0) squares.add(false, all, 32 * i);
    }
  }
  __device__ static bool close_apart(sums&, digits&) { return false; }

 private:
  static constexpr int pieces = sizeof(T) <= 2 ? 1 : sizeof(T) / 2;
  exact_adder<T> sum_;
  std::uint64_t piece_[pieces] = {};

  __device__ void put(T x) {
    std::uint64_t const value = take_apart(x).significand, low = value * value;
    if constexpr (pieces == 1) {
      piece_[0] += low;
    } else {
      piece_[0] += low & 0xffffffff;
      piece_[1] += low >> 32;
    }
    if constexpr (pieces == 4) {
      std::uint64_t const high = __umul64hi(value, value);
      piece_[2] += high & 0xffffffff;
      piece_[3] += high >> 32;
    }
  }
};

}  // namespace tally::device
