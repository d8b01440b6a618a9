// SPDX-License-Identifier: Apache-2.0
#include "integer_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "tally/error.hpp"

namespace tally::cli {
namespace {

using digits = std::vector<std::uint64_t>;

constexpr std::uint64_t base = 10'000'000;
constexpr std::size_t places = 7;
constexpr std::size_t few = 32;  // so long that there is nothing to gain by halves

digits digits_of(std::uint64_t x) {
  digits all;
  for (; x > 0; x /= base) all.push_back(x % base);
  return all;
}

std::size_t count_of(digits const& x) {
  return places * (x.size() - 1) + fmt::formatted_size("{}", x.back());
}

void multiply_each(std::span<std::uint64_t const> a, std::span<std::uint64_t const> b,
                   std::uint64_t* out) {
  std::fill_n(out, a.size() + b.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
}

// The product of two polynomials of n coefficients, modulo 2^64, by Karatsuba's method. `room` is
// for 4 n, `out` for 2 n.
void multiply_halves(std::uint64_t const* a, std::uint64_t const* b, std::size_t n,
                     std::uint64_t* out, std::uint64_t* room) {
  if (n <= few) return multiply_each({a, n}, {b, n}, out);
  auto const half = n / 2;
  multiply_halves(a, b, half, out, room);
  multiply_halves(a + half, b + half, half, out + n, room);
  auto *const sum_a = room, *const sum_b = room + half, *const middle = room + n;
  for (std::size_t i = 0; i < half; ++i)
    sum_a[i] = a[i] + a[half + i], sum_b[i] = b[i] + b[half + i];
  multiply_halves(sum_a, sum_b, half, middle, room + 2 * n);
  for (std::size_t i = 0; i < n; ++i) middle[i] -= out[i] + out[n + i];
  for (std::size_t i = 0; i < n; ++i) out[half + i] += middle[i];
}

// A coefficient of their product is a sum of products below 10^14, of no more than the shorter has
// digits: fewer than 10^5, so that 64 bits hold it.
digits product_of(digits a, digits b) {
  auto const size = a.size() + b.size();
  digits out(size);
  if (std::min(a.size(), b.size()) <= few) {
    multiply_each(a, b, out.data());
  } else {
    auto n = std::max(a.size(), b.size());
    int halves = 0;
    for (; n > few; ++halves) n = (n + 1) / 2;
    n <<= halves;
    a.resize(n), b.resize(n), out.resize(2 * n);
    digits room(4 * n);
    multiply_halves(a.data(), b.data(), n, out.data(), room.data());
    out.resize(size);
  }
  std::uint64_t carry = 0;
  for (auto& digit : out) {
    carry += digit;
    digit = carry % base;
    carry /= base;
  }
  if (out.back() == 0) out.pop_back();
  return out;
}

// The product, or nothing if it has more digits than there may be; its factors have not.
std::optional<digits> short_product(digits a, digits b) {
  if (count_of(a) + count_of(b) - 1 > integer_product::most_digits) return std::nullopt;
  auto product = product_of(std::move(a), std::move(b));
  if (count_of(product) > integer_product::most_digits) return std::nullopt;
  return product;
}

}  // namespace

void integer_product::add(masked_array const& x) {
  if (zero_) return;
  visit(x.all.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (integer<T>)
      for_present(x, [&](std::span<std::byte const> bytes) {
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
          T n;
          std::memcpy(&n, &bytes[i], sizeof n);
          negative_ ^= n < T(0);
          multiply(n < T(0) ? 0 - std::uint64_t(n) : std::uint64_t(n));
        }
      });
  });
}

void integer_product::multiply(std::uint64_t magnitude) {
  zero_ |= magnitude == 0;
  if (zero_ || too_long_) return;
  std::uint64_t product;
  if (__builtin_mul_overflow(small_, magnitude, &product)) {
    push(digits_of(small_));
    product = magnitude;
  }
  small_ = product;
}

void integer_product::multiply(bool negative, std::string_view text) {
  constexpr std::size_t fits = 19;
  negative_ ^= negative;
  if (text.size() <= fits) return multiply(std::stoull(std::string(text)));
  if (zero_ || too_long_) return;
  digits factor;
  while (!text.empty()) {
    auto const size = std::min(text.size(), places);
    factor.push_back(std::stoull(std::string(text.substr(text.size() - size))));
    text.remove_suffix(size);
  }
  push(std::move(factor));
}

// Factors are multiplied where one is not much longer than the other.
void integer_product::push(digits factor) {
  while (!factors_.empty() && factors_.back().size() <= 2 * factor.size()) {
    auto product = short_product(std::move(factors_.back()), std::move(factor));
    factors_.pop_back();
    too_long_ = !product;
    if (too_long_) return factors_.clear();
    factor = std::move(*product);
  }
  factors_.push_back(std::move(factor));
}

void integer_product::append(integer_product const& right) {
  negative_ ^= right.negative_;
  too_long_ |= right.too_long_;
  multiply(right.zero_ ? 0 : right.small_);
  if (!zero_ && !too_long_)
    for (auto const& factor : right.factors_)
      if (!too_long_) push(factor);
}

std::optional<digits> integer_product::magnitude() const {
  if (too_long_) return std::nullopt;
  std::optional all(digits_of(small_));
  for (auto factor = factors_.rbegin(); all && factor != factors_.rend(); ++factor)
    all = short_product(*factor, std::move(*all));
  return all;
}

std::string integer_product::text() const {
  if (zero_) return "0";
  std::string text = negative_ ? "-" : "";
  auto const all = magnitude();
  if (!all) return text + "inf";
  text += fmt::format("{}", all->back());
  for (auto i = all->size() - 1; i-- > 0;) text += fmt::format("{:07}", (*all)[i]);
  return text;
}

void integer_product::read(byte_reader& in) {
  auto const all = in.get_text();
  std::string_view rest(all);
  *this = {};
  bool const negative = rest.starts_with('-');
  rest.remove_prefix(negative);
  negative_ = negative, zero_ = rest == "0", too_long_ = rest == "inf";
  if (zero_ || too_long_) return;
  negative_ = false;
  if (rest.empty() || rest.size() > most_digits || rest[0] == '0' ||
      rest.find_first_not_of("0123456789") != rest.npos)
    throw error("state: the product is no integer");
  multiply(negative, rest);
}

}  // namespace tally::cli
