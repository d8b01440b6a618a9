// SPDX-License-Identifier: Apache-2.0
//
// Operators that expose a wrong order, and inputs for them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace operators {

// Keeps the left operand: associative, not commutative, so any swap shows.
struct leftmost {
  template <class T>
  T operator()(T left, T) const {
    return left;
  }
};

// x -> a x + b modulo 2^32. Composition is associative, not commutative, and depends on every
// operand.
struct affine {
  std::uint32_t a, b;
  bool operator==(affine const&) const = default;
};
struct then {
  affine operator()(affine f, affine g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};
struct then_with_identity : then {
  affine identity() const { return {1, 0}; }
};

inline std::vector<affine> random_affine(std::size_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<affine> x(n);
  for (auto& f : x) f = {std::uint32_t(random()) | 1, std::uint32_t(random())};
  return x;
}

// Sums x * (i + 1), modulo 2^64: an aggregate whose lift looks at the index.
template <class T>
struct weighted {
  using element = T;
  using state = std::uint64_t;
  using result = std::uint64_t;
  static constexpr bool any_order = true;
  state identity() const { return 0; }
  state lift(element x, std::uint64_t i) const { return x * (i + 1); }
  state combine(state s, state t) const { return s + t; }
  result lower(state s) const { return s; }
};

inline constexpr std::size_t sizes[] = {0,     1,     2,     3,     255,   256,   257,
                                        511,   512,   513,   1023,  5000,  16383, 16384,
                                        16385, 65535, 65536, 65537, 200003};

}  // namespace operators
