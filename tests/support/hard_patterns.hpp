// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "tally/exact/float_format.hpp"

namespace support {

// Numbers that are hard to add up, each in a way of its own.
struct pattern {
  char const* name;
  double (*at)(std::size_t i, std::uint64_t random);
};
inline double unit(std::uint64_t random) { return (double(random >> 11) + 0.5) * 0x1p-53; }
inline double normal(std::uint64_t random) {
  return std::sqrt(-2 * std::log(unit(random))) *
         std::cos(6.2831853 * unit(random * 0x9e3779b97f4a7c15u));
}
inline double sign(std::uint64_t random) { return random % 2 ? 1 : -1; }
inline double float_of(std::uint64_t random) {
  return double(tally::from_bits<float>(std::uint32_t(random)));
}

inline pattern const patterns[] = {
    {"normal", [](std::size_t, std::uint64_t r) { return normal(r); }},
    {"positive", [](std::size_t, std::uint64_t r) { return std::fabs(normal(r)); }},
    {"uniform", [](std::size_t, std::uint64_t r) { return unit(r); }},
    {"digits", [](std::size_t, std::uint64_t r) { return double(r % 10); }},
    {"signs", [](std::size_t, std::uint64_t r) { return sign(r); }},
    {"halves", [](std::size_t i, std::uint64_t r) { return i == 0 ? 0x1p24 : sign(r) / 2; }},
    {"quarters", [](std::size_t, std::uint64_t r) { return (double(r % 2001) - 1000) / 4; }},
    {"finite bits",
     [](std::size_t, std::uint64_t r) { return float_of(r & ~std::uint64_t(1 << 30)); }},
    {"subnormal", [](std::size_t, std::uint64_t r) { return float_of(r & 0x807fffff); }},
    {"all cancels",
     [](std::size_t i, std::uint64_t r) {
       std::uint64_t const q = i / 4 * 7919 % 1000;
       double const large = std::ldexp(1 + double(q) / 1000, int(q % 100));
       return i % 4 == 0 ? large : i % 4 == 2 ? -large : normal(r);
     }},
    {"sawtooth", [](std::size_t i, std::uint64_t) { return double(i % 1000) * 0.37 - 184.8; }},
    {"zeros", [](std::size_t, std::uint64_t) { return 0.0; }},
    {"negative zeros", [](std::size_t, std::uint64_t) { return -0.0; }},
    {"lognormal", [](std::size_t, std::uint64_t r) { return sign(r) * std::exp(8 * normal(r)); }},
    {"overflow", [](std::size_t, std::uint64_t r) { return unit(r) * 3e38; }},
    {"ties", [](std::size_t i, std::uint64_t) { return i == 0  ? 0x1p24
                                                       : i % 2 ? 1.0
                                                               : -1.0; }},
    {"ties but for 2^-100",
     [](std::size_t i, std::uint64_t) {
       return i == 0 ? 0x1p-100 : i == 1 ? 0x1p24 : i % 2 ? -1.0 : 1.0;
     }},
    {"lost ones", [](std::size_t i, std::uint64_t) { return i == 0 ? 0x1p24 : 1.0; }},
    {"all binades",
     [](std::size_t i, std::uint64_t r) {
       return std::ldexp(1 + unit(r), int(i % 250) - 125) * sign(r);
     }},
    {"outliers",
     [](std::size_t i, std::uint64_t r) {
       return i % 5000 == 77 ? 1e30 : i % 5000 == 3333 ? -1e30 : normal(r);
     }},
    {"256 bits and back",
     [](std::size_t i, std::uint64_t r) {
       auto const q = i % 600;
       return q == 10    ? 0x1p126
              : q == 20  ? 1
              : q == 300 ? -0x1p126
              : q == 310 ? -1
                         : (double(r % 7) - 3) * 0x1p-130;
     }},
};

}  // namespace support
