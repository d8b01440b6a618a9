// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

using namespace tally;

// top_k_into(), the largest k by ascending index.
extern "C" int probe_top_k(int type, void const* data, std::size_t n, std::uint64_t k, int threads,
                           void* values, std::int64_t* indices) {
  return probe::guarded([&] {
    top_k_into(cpu{threads}, any_array(dtype(type), data, n), k, any_output{dtype(type), values, k},
               std::span(indices, k), {.sorted = false});
  });
}
