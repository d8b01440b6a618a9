// SPDX-License-Identifier: Apache-2.0
//
// What random calls are given.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <span>

#include "tally/tally.hpp"

namespace recording {

using namespace tally;
using std::uint64_t;
using generator = std::mt19937_64;

inline uint64_t below(generator& random, uint64_t n) { return random() % n; }

// From `least` to `most`, any number of binary digits as often as any other.
inline uint64_t spread(generator& random, uint64_t least, uint64_t most) {
  if (least >= most) return most;
  int const digits = std::bit_width(most / std::max<uint64_t>(1, least));
  uint64_t const x = most >> below(random, uint64_t(digits));
  return std::max(least, x - below(random, x / 2 + 1));
}

// From nothing to some tiles of each of several threads; or large, so that a GPU has to have many
// blocks.
inline std::size_t random_size(generator& random, bool large) {
  if (large) return std::size_t(spread(random, 1 << 20, 1 << 24));
  auto const size = std::size_t(below(random, uint64_t(2) << below(random, 18)));
  return below(random, 8) == 0 ? (size + 511) / 512 * 512 + below(random, 3) : size;
}

template <element T>
T random_element(generator& random, int kind) {
  std::normal_distribution<double> normal;
  if constexpr (floating<T>) {
    auto const sign = below(random, 2) ? format<T>::sign : bits_of<T>{};
    switch (kind) {
      case 0: return convert<T>(normal(random));
      case 1:
        for (;;) {
          T const x = from_bits<T>(bits_of<T>(random()));
          if (is_finite(x)) return x;
        }
      case 2: return convert<T>(std::ldexp(normal(random), int(below(random, 80)) - 40));
      case 3: return T{1};
      case 4: return convert<T>(double(below(random, 7)) - 3);
      case 5: return from_bits<T>(bits_of<T>(below(random, 9)) | sign);
      case 6: return below(random, 100) ? convert<T>(normal(random)) : quiet_nan<T>();
      default: return below(random, 3000) ? convert<T>(normal(random)) : infinity<T>(sign);
    }
  } else {
    return kind < 4 ? T(random()) : kind < 6 ? T(below(random, 3)) : T(1);
  }
}

// An array of the host, of bool too.
template <class T>
class host_array {
 public:
  explicit host_array(std::size_t n) : elements_(std::make_unique<T[]>(n)), size_(n) {}

  std::span<T> all() { return {elements_.get(), size_}; }
  std::span<T const> all() const { return {elements_.get(), size_}; }

 private:
  std::unique_ptr<T[]> elements_;
  std::size_t size_;
};

template <element T>
host_array<T> random_input(generator& random, std::size_t n) {
  int const kind = int(below(random, 8)), order = int(below(random, 6));
  host_array<T> found(n);
  auto const x = found.all();
  for (T& e : x) e = random_element<T>(random, kind);
  auto const less = [](T a, T b) { return order_key(a) < order_key(b); };
  if (order == 0) std::sort(x.begin(), x.end(), less);
  if (order == 1) std::sort(x.rbegin(), x.rend(), less);
  return found;
}

}  // namespace recording
