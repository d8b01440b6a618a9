// SPDX-License-Identifier: Apache-2.0
//
// Steps of exact sums by digits (digits.hpp): each is called with every index of a group of
// numbers, in any order, by cores or by a GPU's threads.
//
// A finite number is significand * 2^(lowest + e), where the significand has as many bits as the
// type's precision and e >= 0. In fixed point it is cut into digits of `width` bits, which have its
// sign. If P processes add up R of them each, the sum is at most C * (2^width - 1), where C is P *
// R or more, a power of two, and C * 2^width = 2^63. So no sum is beyond an int64; nor is it with
// what a lower digit carries, which is from -C to C - 1.
//
// Few digits are enough for numbers of like size: the highest bit of the first is then that of a
// number with the group's largest e. Who has other bits below the last says so; if nobody does, the
// sums of digits are the exact sums.
#pragma once

#include "tally/exact/float_format.hpp"

namespace tally::detail {

// How many bits there are in n - 1: the least k such that n <= 2^k.
TALLY_FN unsigned log2_above(std::uint64_t n) {
  return n <= 1 ? 0 : unsigned(64 - leading_zeros(n - 1));
}
// Bits of a digit of which so many are added up.
TALLY_FN unsigned digit_width(std::uint64_t count) { return 63 - log2_above(count); }

// Numbers that share a place. They are 32 apart, so that neighbouring threads read neighbours.
struct number_groups {
  static constexpr unsigned each = 8, apart = 32;

  static constexpr std::uint64_t of(std::uint64_t size) {
    return (size + each * apart - 1) / (each * apart) * apart;
  }
  TALLY_FN static std::uint64_t number(std::uint64_t group, unsigned j) {
    return group / apart * (each * apart) + group % apart + j * apart;
  }
};

// Groups of which digits are, all or some, and where these lie: as their numbers do, or side by
// side, with as many places for each digit as there are numbers.
struct digit_groups {
  std::int64_t const* which;  // null: all
  std::uint64_t count;

  TALLY_FN std::uint64_t group(std::uint64_t i) const {
    return which ? std::uint64_t(which[i]) : i;
  }
  // Where digit d of the j-th number lies, in the i-th of these groups.
  TALLY_FN std::uint64_t digit(unsigned d, std::uint64_t i, unsigned j) const {
    constexpr unsigned each = number_groups::each;
    return d * each * count + (which ? i * each + j : number_groups::number(i, j));
  }
};

// A group's place is its largest exponent field, at least 1, divided by the step and rounded up; 0
// where all are zeros. So it is 254 at most: doubles have fields up to 2046.
template <floating T>
inline constexpr int place_step = sizeof(T) == 8 ? 9 : 1;
inline constexpr unsigned not_finite_place = 255;

// The place of a group whose largest number has these bits, without its sign.
template <floating T>
TALLY_FN unsigned place_of(bits_of<T> largest) {
  if (largest == 0) return 0;
  if (largest >= format<T>::infinity) return not_finite_place;
  int const field = int(largest >> (format<T>::precision - 1));
  return unsigned(((field > 1 ? field : 1) + place_step<T> - 1) / place_step<T>);
}

// Digits below places, and those that every number of the type has bits in.
template <floating T>
inline constexpr unsigned first_digits = sizeof(T) == 8 ? 2 : 1;
template <floating T>
constexpr unsigned all_digits(unsigned width) {
  return (unsigned(format<T>::max_field - 2 + format<T>::precision) + width - 1) / width;
}

// Where digits begin: their lowest bit counts 2^(lowest + zero).
template <floating T>
struct digit_scale {
  unsigned count, width;
  int zero;

  TALLY_FN int exponent() const { return format<T>::lowest + zero; }
  // Digit 0 is the highest.
  TALLY_FN std::int64_t digit(unsigned d, unpacked const& x) const {
    int const by = x.exponent - exponent() - int((count - 1 - d) * width);
    if (by >= int(width) || by <= -64) return 0;
    std::uint64_t const bits = by >= 0 ? x.significand << by : x.significand >> -by;
    auto const part = std::int64_t(bits & ((std::uint64_t(1) << width) - 1));
    return x.negative ? -part : part;
  }
  // Whether it has bits below the lowest.
  TALLY_FN bool loses(unpacked const& x) const {
    int const below = exponent() - x.exponent;
    if (below <= 0) return false;
    return (below >= 64 ? x.significand : x.significand & ((std::uint64_t(1) << below) - 1)) != 0;
  }
};

// What is known of the digits of a call: below places, or all.
template <floating T>
struct digit_layout {
  std::uint8_t const* places;  // null: all digits
  std::uint64_t groups;        // behind whose places is log2_above() of the rows of a process
  unsigned count, width;       // with places, the width of one row's

  TALLY_FN digit_scale<T> of(std::uint64_t group) const {
    if (!places) return {count, width, 0};
    unsigned const narrow = width - places[groups];
    int const largest = int(places[group]) * place_step<T> - 1;
    return {count, narrow, largest + format<T>::precision - int(count * narrow)};
  }
  TALLY_FN bool is_finite(std::uint64_t group) const { return places[group] != not_finite_place; }
};

// What a process adds up, as many of its rows as a step takes at a time.
template <floating T>
struct number_rows {
  static constexpr unsigned most = 16;

  T const* at[most];
  unsigned count;
  bool first;  // else what was found of others is there already
  std::uint64_t size;

  TALLY_FN T operator()(unsigned row, std::uint64_t group, unsigned j) const {
    auto const i = number_groups::number(group, j);
    return i < size ? at[row][i] : from_bits<T>(0);
  }
};

// Writes the groups' places, behind them log2_above() of how many rows there are; nothing is lost
// so far.
template <floating T>
struct find_highest {
  number_rows<T> rows;
  std::uint64_t groups;
  unsigned log2_rows;
  std::uint8_t* places;
  std::int64_t* lost;

  TALLY_HD void operator()(std::uint64_t group) const {
    constexpr unsigned each = number_groups::each;
    bits_of<T> largest[each] = {};
    for (unsigned r = 0; r < rows.count; ++r) {
      TALLY_UNROLL
      for (unsigned j = 0; j < each; ++j) {
        auto const x = bits_of<T>(to_bits(rows(r, group, j)) & ~format<T>::sign);
        if (x > largest[j]) largest[j] = x;
      }
    }
    TALLY_UNROLL
    for (unsigned j = 1; j < each; ++j)
      if (largest[j] > largest[0]) largest[0] = largest[j];
    unsigned const place = place_of<T>(largest[0]);
    if (rows.first || place > places[group]) places[group] = std::uint8_t(place);
    if (group == 0 && rows.first) places[groups] = std::uint8_t(log2_rows), *lost = 0;
  }
};

// Sets what several threads may set, and none reads.
TALLY_FN void raise(std::int64_t* flag) {
#ifdef __CUDA_ARCH__
  *static_cast<std::int64_t volatile*>(flag) = 1;
#else
  __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
#endif
}

// Numbers that are not finite, of some: infinities, and in the upper half those with the other
// sign; a NaN counts as both.
template <floating T>
TALLY_FN std::int64_t not_finite(T x) {
  if (is_finite(x)) return 0;
  bool const negative = (to_bits(x) & format<T>::sign) != 0;
  return std::int64_t(is_nan(x) || !negative) | std::int64_t(is_nan(x) || negative) << 32;
}

// The digits of the sums of a process's rows. Behind digits below places is whether any group's are
// not all; behind all digits, as if they were one more, what is not finite.
template <floating T>
struct cut_numbers {
  number_rows<T> rows;
  digit_layout<T> layout;
  digit_groups groups;
  std::int64_t* digits;

  TALLY_HD void operator()(std::uint64_t i) const {
    std::uint64_t const group = groups.group(i);
    auto const scale = layout.of(group);
    bool lost = layout.places && !layout.is_finite(group);
    for (unsigned d = 0; d < layout.count; ++d)
      add_up(i, d, [&](T x) {
        if (!is_finite(x)) return std::int64_t(0);
        auto const parts = take_apart(x);
        if (d == 0) lost |= scale.loses(parts);
        return scale.digit(d, parts);
      });
    if (!layout.places)
      add_up(i, layout.count, [](T x) { return not_finite(x); });
    else if (lost)
      raise(digits + groups.digit(layout.count, 0, 0));
  }

 private:
  template <class F>
  TALLY_FN void add_up(std::uint64_t i, unsigned d, F const& part) const {
    constexpr unsigned each = number_groups::each;
    std::uint64_t const group = groups.group(i);
    std::int64_t sums[each] = {};
    for (unsigned r = 0; r < rows.count; ++r) {
      T x[each];
      TALLY_UNROLL
      for (unsigned j = 0; j < each; ++j) x[j] = rows(r, group, j);
      TALLY_UNROLL
      for (unsigned j = 0; j < each; ++j) sums[j] += part(x[j]);
    }
    TALLY_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      auto& to = digits[groups.digit(d, i, j)];
      to = rows.first ? sums[j] : to + sums[j];
    }
  }
};

// Whether a group has numbers that are not finite, or bits below the digits.
template <floating T>
struct find_losses {
  number_rows<T> rows;
  digit_layout<T> layout;
  std::uint8_t* lost;

  TALLY_HD void operator()(std::uint64_t group) const {
    auto const scale = layout.of(group);
    bool found = !layout.is_finite(group) || (!rows.first && lost[group]);
    for (unsigned r = 0; r < rows.count; ++r)
      for (unsigned j = 0; j < number_groups::each; ++j)
        found |= scale.loses(take_apart(rows(r, group, j)));
    lost[group] = found;
  }
};

// A natural number that grows by digits from the lowest on: its first 64 bits, where the first of
// them is, and whether any behind them is set.
struct leading_bits {
  std::uint64_t bits = 0;
  int exponent = 0;
  bool sticky = false;

  // `digit` * 2^place, above all that it had.
  TALLY_FN void put(std::uint64_t digit, int place) {
    if (digit == 0) return;
    int const shift = leading_zeros(digit), first = place + 63 - shift;
    if (bits != 0) {
      int const by = first - exponent;
      sticky |= by >= 64 || bits << (64 - by) != 0;
      bits = by < 64 ? bits >> by : 0;
    }
    bits |= digit << shift;
    exponent = first;
  }
};

// Sums of digits become numbers of the type: each digit keeps its bits, and those above go to the
// next one.
template <floating T>
struct round_sums {
  digit_layout<T> layout;
  digit_groups groups;
  std::int64_t const* digits;
  T* out;
  std::uint64_t size;
  bool* lost;  // where it is told whether any group's digits are not all; null: nowhere

  TALLY_HD void operator()(std::uint64_t i) const {
    constexpr unsigned each = number_groups::each;
    std::uint64_t const group = groups.group(i);
    auto const scale = layout.of(group);
    std::int64_t highest[each];
    TALLY_UNROLL
    for (unsigned j = 0; j < each; ++j) highest[j] = digit(0, i, j);
    TALLY_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      auto const n = number_groups::number(group, j);
      if (n < size) out[n] = rounded(scale, highest[j], i, j);
    }
    if (lost && i == 0) *lost = digit(layout.count, 0, 0) != 0;
  }

 private:
  TALLY_FN std::int64_t digit(unsigned d, std::uint64_t i, unsigned j) const {
    return digits[groups.digit(d, i, j)];
  }
  TALLY_FN T rounded(digit_scale<T> const& scale, std::int64_t highest, std::uint64_t i,
                     unsigned j) const {
    if (!layout.places)
      if (auto const kinds = digit(layout.count, i, j)) return not_finite_sum(kinds);
    unsigned const width = scale.width;
    std::int64_t carry = 0;
    for (unsigned d = layout.count; --d > 0;) carry = (digit(d, i, j) + carry) >> width;
    bool const negative = highest + carry < 0;
    auto const positive = [&](std::int64_t x) { return negative ? -x : x; };
    leading_bits sum;
    carry = 0;
    int place = scale.exponent();
    for (unsigned d = layout.count; --d > 0; place += int(width)) {
      auto const all = positive(digit(d, i, j)) + carry;
      sum.put(std::uint64_t(all) & ((std::uint64_t(1) << width) - 1), place);
      carry = all >> width;
    }
    sum.put(std::uint64_t(positive(highest) + carry), place);
    if (sum.bits == 0) return from_bits<T>(0);
    return round_to<T>(negative, sum.bits, sum.exponent, sum.sticky);
  }
  TALLY_FN static T not_finite_sum(std::int64_t kinds) {
    bool const positive = (kinds & 0xffffffff) != 0, negative = kinds >> 32 != 0;
    return positive && negative ? quiet_nan<T>() : infinity<T>(negative);
  }
};

#define TALLY_DIGIT_STEPS_OF(X, T) \
  X(find_highest<T>) X(cut_numbers<T>) X(find_losses<T>) X(round_sums<T>)
#define TALLY_DIGIT_STEPS(X)       \
  TALLY_DIGIT_STEPS_OF(X, float16) \
  TALLY_DIGIT_STEPS_OF(X, bfloat16) TALLY_DIGIT_STEPS_OF(X, float) TALLY_DIGIT_STEPS_OF(X, double)

}  // namespace tally::detail
