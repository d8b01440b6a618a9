// SPDX-License-Identifier: Apache-2.0
//
// The probe: C functions over the library, which the Python tests call through ctypes. Each returns
// 0, or 1 with a text for probe_failure(). Elements and results travel as their bits.
#pragma once

#include <algorithm>
#include <cfenv>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tally/dynamic.hpp"
#include "tally/exact/float_format.hpp"

namespace probe {

extern std::string failure;

// Runs body() under the floating-point environment that probe_set_environment asked for, and sees
// that the library leaves it as it was.
int guarded(void (*run)(void*), void* body);

template <class F>
int guarded(F&& body) {
  return guarded([](void* f) { (*static_cast<std::remove_reference_t<F>*>(f))(); }, &body);
}

template <class T>
std::span<T const> elements(void const* data, std::size_t n) {
  return {static_cast<T const*>(data), n};
}

// Elements [first, first + n).
inline tally::any_array part(tally::any_array const& x, std::size_t first, std::size_t n) {
  auto const* const begin = static_cast<std::byte const*>(x.data);
  return {x.type, begin + first * size_of(x.type), n};
}

template <class R>
std::uint64_t bits_of_result(R x) {
  return std::uint64_t(tally::to_bits(x));
}

// The starts of up to nine pieces of an array of n elements, some of which may be empty; and n.
inline std::vector<std::size_t> random_cuts(std::mt19937_64& random, std::size_t n) {
  std::vector<std::size_t> cuts(1 + random() % 9);
  for (auto& c : cuts) c = random() % (n + 1);
  cuts.front() = 0;
  cuts.push_back(n);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

}  // namespace probe
