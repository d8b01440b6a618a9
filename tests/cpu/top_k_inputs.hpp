// SPDX-License-Identifier: Apache-2.0
//
// Inputs that send a top-k one way or another.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "cpu/top_k/sample.hpp"

namespace top_k_inputs {

inline std::vector<float> random_floats(std::size_t n) {
  std::mt19937_64 random(8);
  std::vector<float> v(n);
  for (float& x : v) x = float(random() >> 40);
  return v;
}

// The largest values stand where the sample looks, so that it expects the k-th much too high.
inline std::vector<float> misleading(std::size_t n, std::uint64_t roots) {
  auto v = random_floats(n);
  std::uint64_t const samples = tally::detail::sample_size(n, roots);
  tally::detail::strata const places(n, samples);
  for (std::uint64_t i = 0; i < samples; ++i) v[places.sample(i)] += 1e9f;
  return v;
}

}  // namespace top_k_inputs
