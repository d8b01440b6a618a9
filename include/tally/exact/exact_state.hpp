// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "tally/dtype.hpp"
#include "tally/exact/fixed_point.hpp"

namespace tally {
namespace detail {

// An exact sum: of what is finite, and how many terms were NaN, +inf and -inf.
template <class Digits>
struct exact_terms {
  Digits finite;
  std::uint64_t nan = 0, positive_infinity = 0, negative_infinity = 0;
};

template <class Digits, floating Rounded>
struct exact_total : exact_terms<Digits> {
  using exact_terms<Digits>::finite, exact_terms<Digits>::nan,
      exact_terms<Digits>::positive_infinity, exact_terms<Digits>::negative_infinity;

  template <class Other, class R>
  TALLY_HD void merge(exact_total<Other, R> const& other) {
    finite.add(other.finite);
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
  }

  TALLY_HD bool is_nan_sum() const { return nan || (positive_infinity && negative_infinity); }
  TALLY_HD bool is_finite_sum() const { return !nan && !positive_infinity && !negative_infinity; }

  // The sum, rounded once to R; a sum of exactly zero is +0.
  template <floating R = Rounded>
  TALLY_HD R result() const {
    if (is_nan_sum()) return quiet_nan<R>();
    if (!is_finite_sum()) return infinity<R>(negative_infinity != 0);
    return finite.template round<R>();
  }

  void write(byte_writer& out) const {
    for (auto const count : {nan, positive_infinity, negative_infinity}) out.put(count);
    finite.write(out);
  }
  // In few bytes: which counts are not 0, these, and the digits that are not.
  void pack(byte_writer& out) const {
    out.put(
        std::uint8_t((nan != 0) | (positive_infinity != 0) << 1 | (negative_infinity != 0) << 2));
    for (auto const count : {nan, positive_infinity, negative_infinity})
      if (count) out.put(count);
    finite.pack(out);
  }

 protected:
  void take(byte_reader& in) {
    for (auto* const count : {&nan, &positive_infinity, &negative_infinity})
      *count = in.get<std::uint64_t>();
    finite = Digits::read(in);
  }
  void take_packed(byte_reader& in) {
    unsigned const which = in.get<std::uint8_t>();
    if (which > 7) throw error("state: a sum has counts that do not exist");
    int i = 0;
    for (auto* const count : {&nan, &positive_infinity, &negative_infinity})
      if (which >> i++ & 1)
        if (*count = in.get<std::uint64_t>(); *count == 0)
          throw error("state: a sum has a count that is 0");
    finite = Digits::unpack(in);
  }
  TALLY_FN void count(bool is_nan, bool negative) {
    ++(is_nan ? nan : negative ? negative_infinity : positive_infinity);
  }
};

}  // namespace detail

// The exact sum of any number of values of type T: an integer, and how many were NaN, +inf and
// -inf. Adding and merging are exact, so that order, grouping, threads and machines leave no trace:
// states of the same values are equal, and `result` rounds the exact sum once.
//
//   tally::exact_state<float> a, b;
//   a.add(1e30f); b.add(1.0f); b.add(-1e30f);
//   a.merge(b);
//   a.result();            // 1.0f
//   a.serialise();         // bytes to save or send; tally::exact_state<float>::deserialise(bytes)
template <element T>
struct exact_state
    : detail::exact_total<detail::sum_digits<T>, std::conditional_t<integer<T>, double, T>> {
  // Adds x; U is T or a type all of whose values T has, too.
  template <element U>
    requires(detail::sum_digits<U>::lsb >= detail::sum_digits<T>::lsb &&
             sizeof(detail::sum_digits<U>) <= sizeof(detail::sum_digits<T>))
  TALLY_FN void add(U x) {
    if constexpr (floating<U>) {
      if (!is_finite(x)) return add_special(is_nan(x), to_bits(x) & format<U>::sign);
    }
    auto const p = take_apart(x);
    this->finite.add(p.negative, p.significand, p.exponent);
  }

  // Equal sums with equal counts give equal bytes.
  std::vector<std::byte> serialise() const {
    byte_writer out;
    out.put(magic);
    out.put(std::uint8_t(dtype_of<T>));
    this->write(out);
    return out.take();
  }
  static exact_state deserialise(std::span<std::byte const> bytes) {
    byte_reader in(bytes);
    if (in.get<std::uint32_t>() != magic) throw error("state: not an exact_state, version 1");
    auto const type = in.get<std::uint8_t>();
    if (type != std::uint8_t(dtype_of<T>))
      throw error("state: of element type number " + std::to_string(type) + ", not " +
                  std::string(name(dtype_of<T>)));
    auto const out = read(in);
    if (!in.at_end()) throw error("state: more bytes than an exact_state has");
    return out;
  }

  static exact_state read(byte_reader& in) {
    exact_state out;
    out.take(in);
    return out;
  }
  static exact_state unpack(byte_reader& in) {
    exact_state out;
    out.take_packed(in);
    return out;
  }

 private:
  static constexpr std::uint32_t magic = 0x01535854;  // "TXS", 1

  TALLY_COLD void add_special(bool is_nan, bool negative) { this->count(is_nan, negative); }
};

}  // namespace tally
