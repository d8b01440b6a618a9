// SPDX-License-Identifier: Apache-2.0
#include "tally/wide_integer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "support/failure_of.hpp"
#include "support/whole.hpp"
#include "tally/dynamic.hpp"

namespace {

using namespace tally;
using support::failure_of;
using support::whole;

std::string text_of(whole const& x) {
  std::string text(mpz_sizeinbase(x.value, 10) + 2, '\0');
  mpz_get_str(text.data(), 10, x.value);
  return text.c_str();
}

// GMP's integer of the same bits in two's complement.
void set(whole& out, wide_integer const& x) {
  mpz_import(out.value, 4, -1, 8, 0, 0, x.limb);
  if (x.is_negative()) out.add(-1, whole(1), 256);
}

TEST(wide_integer, text_and_bits_are_those_of_gmp) {
  std::mt19937_64 random(1);
  std::vector<wide_integer> all = {{}, {{1}}, {{~0ull, ~0ull, ~0ull, ~0ull}}};
  for (int bit = 0; bit < 256; ++bit) {
    wide_integer power;
    power.limb[bit / 64] = 1ull << bit % 64;
    all.push_back(power);
  }
  for (int i = 0; i < 1000; ++i) {
    wide_integer x;
    std::uint64_t const sign = i % 2 ? ~0ull : 0;
    for (int j = 0; j < 4; ++j) x.limb[j] = j <= i / 2 % 4 ? random() : sign;
    all.push_back(x);
  }
  for (auto const& x : all) {
    whole same, magnitude;
    set(same, x);
    EXPECT_EQ(x.text(), text_of(same));
    mpz_set(magnitude.value, same.value);
    if (x.is_negative()) mpz_com(magnitude.value, same.value);
    auto const bits = mpz_sgn(magnitude.value) ? mpz_sizeinbase(magnitude.value, 2) : 0;
    EXPECT_EQ(x.bits(), int(bits) + 1) << x.text();
  }
}

template <integer T>
std::vector<T> numbers(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(3000);
  for (auto& one : x) one = T(random());
  for (std::size_t i = 0; i < 2000; ++i) x[i] = std::numeric_limits<T>::lowest();
  return x;
}
template <integer T>
void set(whole& out, T x) {
  if constexpr (std::is_signed_v<T>)
    mpz_set_si(out.value, x);
  else
    mpz_set_ui(out.value, x);
}
template <integer T>
std::string exact_dot(std::vector<T> const& x, std::vector<T> const& y) {
  whole sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    whole a, b;
    set(a, x[i]), set(b, y[i]);
    mpz_addmul(sum.value, a.value, b.value);
  }
  return text_of(sum);
}

bound_aggregate wide(char const* name, dtype type) {
  return any_aggregate(name, {.wide = true}).on(type);
}

template <integer T>
void check() {
  SCOPED_TRACE(std::string(name(dtype_of<T>)));
  auto const x = numbers<T>(1), y = numbers<T>(2);
  std::vector<T> const ones(x.size(), T(1));
  std::string const sum = exact_dot(x, ones), squares = exact_dot(x, x), dot = exact_dot(x, y);
  any_array const a(x), b(y);
  auto const found = [](any_result const& r) { return r.wide().value().text(); };
  auto const type = dtype_of<T>;
  EXPECT_EQ(found(reduce(cpu{3}, a, wide("sum", type))), sum);
  EXPECT_EQ(found(reduce(cpu{3}, a, wide("sum_of_squares", type))), squares);
  EXPECT_EQ(found(reduce(cpu{3}, a, b, wide("dot", type))), dot);
  EXPECT_EQ(reduce(cpu{}, a, b, wide("dot", type)).value(),
            reduce(cpu{}, a, b, any_aggregate("dot")).value());

  any_reducer left(wide("dot", type)), right(wide("dot", type), {}, 1000), sent(wide("dot", type));
  left.add(cpu{}, {type, x.data(), 1000}, {type, y.data(), 1000});
  right.add(cpu{2}, {type, x.data() + 1000, 2000}, {type, y.data() + 1000, 2000});
  byte_writer out;
  right.write(out);
  auto const bytes = out.take();
  byte_reader in(bytes);
  sent.read(in);
  left.append(sent);
  EXPECT_EQ(found(left.result()), dot);

  any_reducer all(any_aggregate("describe").on(type));
  all.add(cpu{}, a);
  EXPECT_EQ(found(all.result(wide("sum", type))), sum);
  EXPECT_EQ(found(all.result(wide("sum_of_squares", type))), squares);
}

TEST(wide_integer, sums_of_integers_have_every_digit) {
  check<std::int8_t>(), check<std::int16_t>(), check<std::int32_t>(), check<std::int64_t>();
  check<std::uint8_t>(), check<std::uint16_t>(), check<std::uint32_t>(), check<std::uint64_t>();
}

TEST(wide_integer, what_has_no_exact_integer_says_so) {
  EXPECT_EQ(failure_of([] { wide("sum", dtype::float32); }),
            "wide: the sum of float32 is no exact integer");
  EXPECT_EQ(failure_of([] { wide("product", dtype::int8); }),
            "wide: the product of int8 is no exact integer");
  std::vector<int> const x(3);
  EXPECT_FALSE(reduce(cpu{}, any_array(x), any_aggregate("sum")).wide());
}

}  // namespace
