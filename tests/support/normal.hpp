// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace support {

// n values of the standard normal distribution, the same ones every time.
template <class T>
std::vector<T> normal(std::size_t n) {
  std::mt19937 random(3);
  std::normal_distribution<T> next;
  std::vector<T> x(n);
  for (T& e : x) e = next(random);
  return x;
}

}  // namespace support
