// SPDX-License-Identifier: Apache-2.0
//
// What ranks the elements of a top-k, as run-time values: one kernel serves every type of a width.
#pragma once

#include "tally/exact/order_key.hpp"

namespace tally {

// Keys in which larger is better, of elements by their bits: rank_key's, turned around for the
// smallest. All NaNs have one key, and both zeros have one.
template <class Bits>
struct rank_order {
  Bits sign;      // a float's sign bit; 0 for an integer
  Bits infinity;  // a float's; an integer has no magnitude above it
  Bits flip;      // what turns the order around, or an integer's sign bit into its rank
  Bits shift;     // 1 moves NaN, the best, to 0 and everything else up by one
  bool skips;     // whether the key 0 is that of a NaN, which does not count

  template <element T>
    requires std::is_same_v<bits_of<T>, Bits>
  static rank_order of(std::type_identity<T>, bool smallest, bool skips_nan) {
    constexpr Bits all = Bits(~Bits(0));
    Bits const around = smallest ? all : Bits(0);
    if constexpr (floating<T>)
      return {format<T>::sign, format<T>::infinity, Bits(around ^ format<T>::sign),
              Bits(skips_nan && !smallest), skips_nan};
    else
      return {0, all, Bits(around ^ order_key(T(0))), 0, false};
  }

  TALLY_FN Bits operator()(Bits b) const {
    if constexpr (sizeof(Bits) == 1) return Bits(b ^ flip);  // no float is so short
    Bits const magnitude = Bits(b & Bits(~sign));
    // Of a negative number the negated magnitude, which of -0 is 0.
    Bits const ordered = (b & sign) ? Bits(sign - b) : b;
    Bits const nan = Bits(Bits(~Bits(0)) ^ Bits(flip ^ sign));
    return Bits((magnitude > infinity ? nan : Bits(ordered ^ flip)) + shift);
  }

  // The best key that an element has.
  TALLY_FN Bits best() const {
    bool const smallest = flip & 1;
    if (sign == 0 || !(smallest || skips)) return Bits(~Bits(0));
    return (*this)(smallest ? Bits(sign | infinity) : infinity);
  }

  // The element that has this key, if no other has it, too.
  TALLY_FN bool is_of_several(Bits key) const {
    Bits const ordered = Bits(Bits(key - shift) ^ flip);
    return sign != 0 && (ordered == 0 || magnitude_of(ordered) > infinity);
  }
  TALLY_FN Bits element_of(Bits key) const {
    Bits const ordered = Bits(Bits(key - shift) ^ flip);
    return ordered & sign ? Bits(sign | magnitude_of(ordered)) : ordered;
  }

 private:
  TALLY_FN Bits magnitude_of(Bits ordered) const {
    return ordered & sign ? Bits(Bits(~ordered) + 1) : ordered;
  }
};

}  // namespace tally