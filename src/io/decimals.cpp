// SPDX-License-Identifier: Apache-2.0
#include "tally/io/decimals.hpp"

#include <algorithm>

#include "decimal_text.hpp"
#include "tally/exact/between.hpp"

namespace tally::io {
namespace {

int order_of(auto const& a, auto const& b) { return a < b ? -1 : b < a ? 1 : 0; }

unsigned __int128 aligned(std::uint64_t magnitude, int places) {
  unsigned __int128 x = magnitude;
  for (; places > 0; --places) x *= 10;
  return x;
}

}  // namespace

decimal_sum decimal_products::sum() const {
  constexpr auto half = std::uint64_t(1) << 32;
  auto all = others_;
  for (std::size_t scale = 0; scale < low_.size(); ++scale) {
    if (low_[scale] == 0 && high_[scale] == 0) continue;
    decimal_sum here;
    here.add(high_[scale]);
    here.multiply(half), here.multiply(half);
    here.add(low_[scale]);
    here.shift(-std::int64_t(scale));
    all.add(here);
  }
  return all;
}

parsed decimals::add(std::string_view text) {
  decimal_text number;
  auto const result = take_apart(text, number);
  if (result != parsed::number) return result;
  if (number.is_zero()) {
    add(false, 0, 0);
    return result;
  }
  all_.push_back({others_.size(), kind::other, number.negative, 0});
  others_.push_back({number.digits(), number.highest() + 1});
  return result;
}

void decimals::append(decimals const& other, std::size_t i) {
  auto x = other.all_[i];
  if (x.what == kind::other) {
    others_.push_back(other.others_[x.magnitude]);
    x.magnitude = others_.size() - 1;
  }
  all_.push_back(x);
}

decimals::wide decimals::wide_of(entry const& x) const {
  if (x.what == kind::other) return others_[x.magnitude];
  auto digits = std::to_string(x.magnitude);
  auto const exponent = std::int64_t(digits.size()) - x.scale;
  digits.erase(digits.find_last_not_of('0') + 1);
  return {std::move(digits), exponent};
}

void decimals::add_to(decimal_sum& sum, std::size_t i, bool negated) const {
  auto const& x = all_[i];
  bool const negative = x.negative != negated;
  if (x.what == kind::number) return sum.add(negative, x.magnitude, x.scale);
  auto const& [digits, exponent] = others_[x.magnitude];
  sum.add((negative ? "-" : "") + digits + "e" +
          std::to_string(exponent - std::int64_t(digits.size())));
}

void decimals::add_product_to(decimal_products& sum, decimals const& a, std::size_t i,
                              decimals const& b, std::size_t j) {
  auto const &x = a.all_[i], &y = b.all_[j];
  if (x.what == kind::number && y.what == kind::number)
    return sum.add(x.negative != y.negative, x.magnitude, y.magnitude, x.scale + y.scale);
  sum.add(a.value(i).times(b.value(j)));
}

decimals::integer decimals::parts(std::size_t i) const {
  auto [digits, exponent] = wide_of(all_[i]);
  auto const places = std::int64_t(digits.size()) - exponent;
  if (digits.empty()) return {false, "0", 0};
  return {all_[i].negative, std::move(digits), places};
}

decimal_sum decimals::value(std::size_t i) const {
  decimal_sum x;
  add_to(x, i);
  return x;
}

int decimals::compare(decimals const& a, entry const& x, decimals const& b, entry const& y) {
  auto const sign = [](entry const& e) {
    return e.what == kind::number && e.magnitude == 0 ? 0 : e.negative ? -1 : 1;
  };
  if (sign(x) != sign(y) || sign(x) == 0) return order_of(sign(x), sign(y));
  if (x.what == kind::number && y.what == kind::number)
    return sign(x) * order_of(aligned(x.magnitude, y.scale - x.scale),
                              aligned(y.magnitude, x.scale - y.scale));
  auto const wide_x = a.wide_of(x), wide_y = b.wide_of(y);
  auto const by_size = order_of(wide_x.exponent, wide_y.exponent);
  return sign(x) * (by_size != 0 ? by_size : order_of(wide_x.digits, wide_y.digits));
}

decimal_sum decimals::kth(std::uint64_t k) {
  std::ranges::nth_element(
      all_, all_.begin() + std::ptrdiff_t(k),
      [&](auto const& x, auto const& y) { return compare(*this, x, *this, y) < 0; });
  return value(std::size_t(k));
}

std::string decimals::quantile(fraction q, interpolation method) {
  auto const at = detail::place_of(method, all_.size(), q);
  auto low = kth(at.index);
  if (!at.is_between()) return low.text();
  auto high = kth(at.index + 1);
  auto const whole = at.denominator << at.scale, part = std::uint64_t(at.fraction);
  low.multiply(whole - part), high.multiply(part);
  low.add(high);
  return low.quotient(whole);
}

}  // namespace tally::io
