// SPDX-License-Identifier: Apache-2.0
//
// Inputs for prefix sums whose prefixes are what is asked for, and what MPFR says of them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support/full_window.hpp"
#include "support/mpfr_oracle.hpp"
#include "tally/scan.hpp"

namespace support {

// A running sum in MPFR, of any elements.
template <tally::floating Out, tally::floating In>
class mpfr_prefixes {
 public:
  mpfr_prefixes() { mpfr_set_zero(sum_.value, 1); }
  // units * 2^exponent
  mpfr_prefixes(__int128 units, int exponent) {
    mpfr_set_si(sum_.value, long(units >> 64), MPFR_RNDN);
    mpfr_mul_2si(sum_.value, sum_.value, 64, MPFR_RNDN);
    mpfr_add_ui(sum_.value, sum_.value, std::uint64_t(units), MPFR_RNDN);
    mpfr_mul_2si(sum_.value, sum_.value, exponent, MPFR_RNDN);
    round();
  }
  Out next(In e) {
    if (tally::bits_of<In>(tally::to_bits(e) << 1) == 0) return last_;
    mpfr_oracle::set(term_.value, e);
    mpfr_add(sum_.value, sum_.value, term_.value, MPFR_RNDN);
    round();
    return last_;
  }

 private:
  mpfr_oracle::number sum_{sizeof(In) == 8 ? 2200 : 400}, term_{53};
  mpfr_oracle::number out_{tally::format<Out>::precision};
  Out last_{};

  void round() {
    int const ternary = mpfr_set(out_.value, sum_.value, MPFR_RNDN);
    last_ = mpfr_zero_p(sum_.value) ? Out{} : mpfr_oracle::rounded<Out>(out_, ternary);
  }
};

template <tally::floating Out, tally::floating In>
std::vector<Out> prefixes_by_mpfr(std::vector<In> const& x) {
  mpfr_prefixes<Out, In> sum;
  std::vector<Out> out;
  out.reserve(x.size());
  for (In const e : x) out.push_back(sum.next(e));
  return out;
}

// Whether a scan ends with these bits; at the first that differ, a test fails.
template <tally::floating Out, tally::floating In>
bool scan_ends_with(std::vector<In> const& x, std::vector<Out> const& want,
                    std::string const& what) {
  if (testing::Test::HasFailure()) return false;
  std::vector<Out> all(x.size());
  tally::inclusive_scan(tally::cpu{1}, x, all, tally::sum{});
  Out const* const out = all.data() + all.size() - want.size();
  if (std::memcmp(out, want.data(), want.size() * sizeof(Out)) == 0) return true;
  std::size_t i = 0;
  while (tally::to_bits(out[i]) == tally::to_bits(want[i])) ++i;
  ADD_FAILURE() << what << ": prefix " << all.size() - want.size() + i << " of " << all.size()
                << " is " << std::hexfloat << double(out[i]) << ", not " << double(want[i]);
  return false;
}
template <tally::floating Out, tally::floating In>
bool expect_prefixes(std::vector<In> const& x, std::string const& what) {
  return scan_ends_with(x, prefixes_by_mpfr<Out>(x), what);
}

// Elements whose sum is known as an integer in units of 2^unit.
template <tally::floating In>
struct prefix_run {
  using units = __int128;
  static constexpr int deepest = 110;  // below the largest sum there is room for as many binades
  std::vector<In> x;
  units sum = 0;
  int const unit;

  explicit prefix_run(int least) : unit(least) {}
  static units power(int of) { return units(1) << of; }

  // Moves the sum by as much, in as many elements as that takes, the largest first.
  void add(units by) {
    sum += by;
    bool const negative = by < 0;
    auto rest = static_cast<unsigned __int128>(negative ? -by : by);
    while (rest != 0) {
      int const shift = std::max(0, length(rest) - tally::format<In>::precision);
      auto const part = std::uint64_t(rest >> shift);
      In const e = value<In>(part, unit + shift);
      x.push_back(negative ? minus(e) : e);
      rest -= static_cast<unsigned __int128>(part) << shift;
    }
  }
  void move_to(units to) { add(to - sum); }
  // Below the units, so that `sum` does not know of it.
  void add_tiny(In e) { x.push_back(e); }
  // To the end of the tile.
  void pad() { x.resize((x.size() + 511) / 512 * 512); }

  static int length(unsigned __int128 v) {
    int n = 0;
    for (; v != 0; v >>= 1) ++n;
    return n;
  }
};

}  // namespace support
