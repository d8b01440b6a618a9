// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/long_sum.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/mpfr_oracle.hpp"
#include "support/whole.hpp"

namespace {

using namespace tally;
using support::whole;

// A long sum beside what it should be.
template <class T>
struct beside_gmp {
  using digits = detail::sum_digits<T>;
  detail::long_sum<digits> sum;
  whole exact;

  explicit beside_gmp(digits const& start) : sum(start) { set(exact, start); }
  void add(bool negative, std::uint64_t significand, int position) {
    sum.add(negative, significand, position + digits::lsb);
    exact.add(negative ? -1 : 1, whole(significand), position);
  }
  void expect(char const* what) {
    mpfr_oracle::number out(format<T>::precision), value(2300);
    mpfr_set_z(value.value, exact.value, MPFR_RNDN);
    mpfr_mul_2si(value.value, value.value, digits::lsb, MPFR_RNDN);
    int const ternary = mpfr_set(out.value, value.value, MPFR_RNDN);
    T const want = mpz_sgn(exact.value) ? mpfr_oracle::rounded<T>(out, ternary) : T{};
    ASSERT_EQ(to_bits(sum.template round<T>()), to_bits(want)) << what;
  }
};

template <class T>
class long_sums : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(long_sums, floats);

// Where a carry goes through many words, and where a tie is decided many words below.
TYPED_TEST(long_sums, carry_and_borrow_through_all_words) {
  using T = TypeParam;
  using digits = detail::sum_digits<T>;
  constexpr int end = format<T>::bias - digits::lsb;
  for (int high = 0; high <= end; high += high % 64 == 63 ? 1 : high % 64 == 0 ? 31 : 32)
    for (int low = 0; low <= high; low += low % 64 == 31 ? 32 : 31 + low % 2)
      for (bool const negative : {false, true}) {
        beside_gmp<T> s{digits{}};
        for (int step = 0; step < 8; ++step) {  // 2^high, then less and more than that by 2^low
          s.add(step < 4 ? negative : !negative, 1, step % 4 ? low : high);
          if (step % 4 == 1) s.add(!negative, 2, low);
          ASSERT_NO_FATAL_FAILURE(s.expect("step")) << high << ' ' << low << ' ' << step;
        }
        int const half = high - format<T>::precision;
        if (half < 0) continue;
        beside_gmp<T> tie{digits{}};
        tie.add(negative, 3, half);
        tie.add(negative, 1, high);
        for (bool const up : {true, false, false, true}) {
          tie.add(up, 1, low);
          ASSERT_NO_FATAL_FAILURE(tie.expect("tie")) << high << ' ' << low;
        }
      }
}

TYPED_TEST(long_sums, walk_as_gmp_does) {
  using T = TypeParam;
  using digits = detail::sum_digits<T>;
  std::mt19937_64 random(1);
  for (int walk = 0; walk < 40; ++walk) {
    digits start;
    for (int i = 0; i < 5; ++i)
      start.add(random() % 2, random() >> 11, digits::lsb + int(random() % 200));
    beside_gmp<T> s(start);
    for (int i = 0; i < 200; ++i) {
      std::uint64_t const significand =
          (random() % 4 ? ~std::uint64_t(0) : random()) >> (11 + random() % 53);
      s.add(random() % 2, significand, int(random() % 200));
      ASSERT_NO_FATAL_FAILURE(s.expect("walk"));
    }
  }
}

}  // namespace
