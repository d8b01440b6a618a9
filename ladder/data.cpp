// SPDX-License-Identifier: Apache-2.0
#include "ladder/data.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "tally/error.hpp"

namespace ladder {

// Sebastiano Vigna's splitmix64: the hash of a counter.
static std::uint64_t random_bits(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// -3 to 3 without 0. The sums of 2^28 of these, in any order, stay far below 2^24.
static float plain_float(std::uint64_t bits) {
  int const magnitude = 1 + int((bits >> 1) % 3);
  return float(bits & 1 ? magnitude : -magnitude);
}

// Any sign, magnitudes from 2^-12 to 2^12. Each of the first half comes back negated in the second,
// one unit in the last place off: what is left of the sum is small beside its terms.
static float hard_float(std::size_t index, std::size_t n) {
  auto const value = [](std::uint64_t bits) {
    float const fraction = 1 + float(bits >> 41) / float(1 << 23);
    return std::ldexp(bits & 1 ? fraction : -fraction, int((bits >> 1) % 24) - 12);
  };
  std::size_t const half = n / 2;
  if (index < half) return value(random_bits(index));
  float const first = value(random_bits(index - half));
  return std::nextafter(-first, std::numeric_limits<float>::infinity());
}

static float make_float(data kind, std::size_t index, std::size_t n) {
  if (kind == data::hard) return hard_float(index, n);
  if (kind == data::nan && index == n / 3) return std::numeric_limits<float>::quiet_NaN();
  return plain_float(random_bits(index));
}

// As the tutorial's rand() % 10, but from 1: none can be lost unseen.
static std::int32_t make_int(data kind, std::size_t index) {
  std::uint64_t const bits = random_bits(index);
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t few[] = {least, least, least + 1, -1, 0, 1, ~least};
  switch (kind) {
    case data::hard: return std::int32_t(bits);
    case data::page: return std::int32_t(bits >> 33) * (index % 2 ? 1 : -1);
    case data::ascending: return std::int32_t(index) - 1000;
    case data::descending: return 1000 - std::int32_t(index);
    case data::equal: return 7;
    case data::negative: return least + std::int32_t(bits >> 33);
    case data::least: return few[bits % std::size(few)];
    default: return std::int32_t(1 + bits % 9);
  }
}

std::size_t size_of(element) { return 4; }

std::vector<std::byte> make_input(data kind, element type, std::size_t n) {
  std::vector<std::byte> bytes(n * size_of(type));
  for (std::size_t i = 0; i < n; ++i) {
    std::byte* const at = bytes.data() + i * size_of(type);
    if (type == element::float32) {
      float const value = make_float(kind, i, n);
      std::memcpy(at, &value, sizeof value);
    } else {
      std::int32_t const value = make_int(kind, i);
      std::memcpy(at, &value, sizeof value);
    }
  }
  return bytes;
}

}  // namespace ladder
