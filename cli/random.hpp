// SPDX-License-Identifier: Apache-2.0
//
// Random numbers with the same bits on every machine: the standard's distributions promise nothing,
// and libraries differ in log and cos, so this uses + - * / and square roots only.
#pragma once

#include <cstdint>
#include <random>

#include "tally/exact/float_format.hpp"

namespace tally::cli {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : engine_(seed) {}

  // From [0, 1), every multiple of T's resolution there alike.
  template <floating T>
  T uniform() {
    constexpr int bits = format<T>::precision;
    return convert<T>(double(engine_() >> (64 - bits)) / double(std::uint64_t(1) << bits));
  }
  // From [0, n), n > 0.
  std::uint64_t below(std::uint64_t n) {
    return std::uint64_t((unsigned __int128)(engine_())*n >> 64);
  }
  // Mean 0, variance 1.
  double normal();

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace tally::cli
