// SPDX-License-Identifier: Apache-2.0
#include "tally/wide_integer.hpp"

#include <algorithm>
#include <bit>

namespace tally {

int wide_integer::bits() const {
  std::uint64_t const sign = is_negative() ? ~std::uint64_t(0) : 0;
  for (int i = 3; i >= 0; --i)
    if (limb[i] != sign) return 64 * i + std::bit_width(limb[i] ^ sign) + 1;
  return 1;
}

std::string wide_integer::text() const {
  std::uint32_t half[8];  // of the magnitude, most significant first
  bool carry = is_negative();
  for (int i = 0; i < 8; ++i) {
    auto const bits = std::uint32_t(limb[i / 2] >> (i % 2 * 32));
    half[7 - i] = is_negative() ? ~bits + carry : bits;
    carry = carry && half[7 - i] == 0;
  }
  std::string digits;
  do {
    std::uint64_t rest = 0;
    for (auto& h : half) {
      rest = rest << 32 | h;
      h = std::uint32_t(rest / 10);
      rest %= 10;
    }
    digits += char('0' + rest);
  } while (std::ranges::any_of(half, [](auto h) { return h != 0; }));
  if (is_negative()) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

}  // namespace tally
