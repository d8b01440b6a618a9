// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/natural.hpp"

#include <gmp.h>
#include <gtest/gtest.h>

#include <random>

namespace {

using tally::detail::natural;

struct integer {
  mpz_t value;
  integer() { mpz_init(value); }
  integer(integer const&) = delete;
  integer& operator=(integer const&) = delete;
  ~integer() { mpz_clear(value); }
  template <int Limbs>
  void set(natural<Limbs> const& x) {
    mpz_import(value, Limbs, -1, 4, 0, 0, x.limb);
  }
};

// Of a random length, made of long runs of ones and of zeros.
template <int Limbs>
natural<Limbs> random_natural(std::mt19937_64& random) {
  natural<Limbs> x;
  int const length = int(random() % (32 * Limbs + 1));
  bool one = true;
  for (int i = length - 1; i >= 0; --i) {
    x.limb[i / 32] |= std::uint32_t(one) << (i % 32);
    if (random() % 8 == 0) one = !one;
  }
  return x;
}

TEST(natural, multiplies_and_subtracts_as_gmp_does) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    auto const a = random_natural<9>(random);
    auto const b = random_natural<4>(random);
    integer x, y, z;
    x.set(a), y.set(b);
    mpz_mul(z.value, x.value, y.value);
    auto product = tally::detail::multiply(a, b);
    integer found;
    found.set(product);
    ASSERT_EQ(mpz_cmp(found.value, z.value), 0);
    auto const c = random_natural<13>(random);
    y.set(c);
    ASSERT_EQ(product < c, mpz_cmp(z.value, y.value) < 0);
    if (product < c) continue;
    tally::detail::subtract(product, c);
    mpz_sub(z.value, z.value, y.value);
    found.set(product);
    ASSERT_EQ(mpz_cmp(found.value, z.value), 0);
  }
}

TEST(natural, finds_bits_and_slices) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 3000; ++i) {
    auto const a = random_natural<6>(random);
    integer x, y, mask;
    x.set(a);
    int const at = int(random() % 300) - 100;
    ASSERT_EQ(a.bit_length(), mpz_sgn(x.value) ? int(mpz_sizeinbase(x.value, 2)) : 0);
    if (at >= 0) {
      ASSERT_EQ(a.bit(at), mpz_tstbit(x.value, at));
      mpz_fdiv_q_2exp(y.value, x.value, at);
    } else {
      mpz_mul_2exp(y.value, x.value, -at);
    }
    ASSERT_EQ(a.any_below(at), mpz_sgn(x.value) && int(mpz_scan1(x.value, 0)) < at);
    mpz_fdiv_r_2exp(y.value, y.value, 96);
    integer found;
    found.set(a.slice<3>(at));
    ASSERT_EQ(mpz_cmp(found.value, y.value), 0) << at;
  }
}

// The cut is the exact value's floor at its exponent, and sticky says whether that is all.
TEST(natural, divides_as_gmp_does) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) {
    auto const a = random_natural<20>(random);
    auto const b = random_natural<4>(random);
    if (a.bit_length() == 0 || b.bit_length() == 0) continue;
    bool const even = random() % 2;
    int const exponent = int(random() % 9) - 4;
    auto const out = tally::detail::divide(a, b, exponent, even);
    EXPECT_GE(out.whole.bit_length(), 127);
    ASSERT_TRUE(!even || out.exponent % 2 == 0);
    integer x, y, quotient, rest, found;
    x.set(a), y.set(b);
    int const shift = out.exponent - exponent;
    if (shift < 0)
      mpz_mul_2exp(x.value, x.value, -shift);
    else
      mpz_mul_2exp(y.value, y.value, shift);
    mpz_fdiv_qr(quotient.value, rest.value, x.value, y.value);
    found.set(out.whole);
    ASSERT_EQ(mpz_cmp(found.value, quotient.value), 0);
    ASSERT_EQ(out.sticky, mpz_sgn(rest.value) != 0);
  }
}

TEST(natural, takes_roots_as_gmp_does) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 3000; ++i) {
    tally::detail::truncated x{random_natural<8>(random), 2 * (int(random() % 50) - 25),
                               random() % 2 == 0};
    if (random() % 4 == 0) {  // a square, and what is next to it
      auto const root = random_natural<4>(random);
      x.whole = tally::detail::multiply(root, root);
      if (random() % 2 && x.whole.bit_length()) tally::detail::subtract(x.whole, {{1}});
    }
    auto const found = tally::detail::square_root(x);
    integer square, root, rest, whole;
    square.set(x.whole);
    mpz_sqrtrem(root.value, rest.value, square.value);
    whole.set(found.whole);
    ASSERT_EQ(mpz_cmp(whole.value, root.value), 0);
    ASSERT_EQ(found.sticky, x.sticky || mpz_sgn(rest.value) != 0);
    ASSERT_EQ(found.exponent, x.exponent / 2);
  }
}

// Limbs at which estimates of a quotient's limb are too large, by one and by two.
constexpr std::uint32_t edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};

void expect_quotient(natural<8> const& a, natural<4> const& d) {
  auto rest = a;
  auto const quotient = tally::detail::long_division(rest, d);
  integer x, y, q, r, found;
  x.set(a), y.set(d);
  mpz_fdiv_qr(q.value, r.value, x.value, y.value);
  found.set(quotient);
  ASSERT_EQ(mpz_cmp(found.value, q.value), 0);
  found.set(rest);
  ASSERT_EQ(mpz_cmp(found.value, r.value), 0);
}

TEST(natural, divides_where_limbs_are_extreme) {
  for (int i = 0; i < 5 * 5 * 5 * 5 * 5 * 5 * 5; ++i) {
    int rest = i;
    auto const next = [&] {
      auto const limb = edges[rest % 5];
      rest /= 5;
      return limb;
    };
    natural<4> d;
    for (int k = 0; k < 3; ++k) d.limb[k] = next();
    natural<8> a;
    for (int k = 3; k < 7; ++k) a.limb[k] = next();
    a.limb[0] = a.limb[1] = a.limb[3], a.limb[7] = i % 3 ? 0 : a.limb[6];
    if (d.bit_length() == 0) continue;
    ASSERT_NO_FATAL_FAILURE(expect_quotient(a, d));
    d.limb[3] = d.limb[2];
    ASSERT_NO_FATAL_FAILURE(expect_quotient(a, d));
  }
}

// A square, and what is next to it: one more, one less, and one less than the next square.
TEST(natural, takes_roots_of_what_is_next_to_squares) {
  for (int i = 0; i < 5 * 5 * 5 * 5; ++i)
    for (int const beside : {0, 1, -1, 2}) {
      int rest = i;
      natural<4> root;
      for (auto& limb : root.limb) limb = edges[rest % 5], rest /= 5;
      tally::detail::truncated x{tally::detail::multiply(root, root), 0, false};
      integer square, want, more;
      square.set(x.whole), want.set(root);
      if (beside == 1) mpz_add_ui(square.value, square.value, 1);
      if (beside == -1 && i) mpz_sub_ui(square.value, square.value, 1);
      if (beside == 2) mpz_addmul_ui(square.value, want.value, 2);
      x.whole = {};
      mpz_export(x.whole.limb, nullptr, -1, 4, 0, 0, square.value);
      mpz_sqrtrem(want.value, more.value, square.value);
      auto const found = tally::detail::square_root(x);
      integer whole;
      whole.set(found.whole);
      ASSERT_EQ(mpz_cmp(whole.value, want.value), 0) << i << ' ' << beside;
      ASSERT_EQ(found.sticky, mpz_sgn(more.value) != 0) << i << ' ' << beside;
    }
}

// What is cut off, by one bit at any place, is not forgotten: not by a quotient, nor by a rounding.
TEST(natural, remembers_every_bit_that_is_cut_off) {
  natural<20> const three{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}};
  for (int at = 0; at < 32 * 19; ++at) {
    auto x = three;
    x.limb[at / 32] |= std::uint32_t(1) << at % 32;
    auto const quotient = tally::detail::divide(x, {{3}}, 0, at % 2 != 0);
    auto const exact = tally::detail::divide(three, {{3}}, 0, at % 2 != 0);
    EXPECT_FALSE(exact.sticky);
    EXPECT_TRUE(quotient.sticky) << at;
    // 2^608 times 1 + 2^-24 is between two floats, and so is any less than that much more.
    natural<20> tie{};
    tie.limb[19] = 1, tie.limb[18] = 1 << 8;
    EXPECT_EQ(tally::detail::round_natural<float>(false, tie, -608), 1.0f);
    if (at >= 18 * 32 + 8) continue;
    tie.limb[at / 32] |= std::uint32_t(1) << at % 32;
    EXPECT_EQ(tally::detail::round_natural<float>(false, tie, -608), 1 + 0x1p-23f) << at;
    EXPECT_EQ(tally::detail::round_natural<float>(true, tie, -608), -1 - 0x1p-23f) << at;
  }
}

}  // namespace
