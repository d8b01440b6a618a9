// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"
#include "tally/top_k.hpp"

using namespace tally;

// top_k_into(), the largest k by ascending index.
extern "C" int probe_top_k(int type, void const* data, std::size_t n, std::uint64_t k, int threads,
                           void* values, std::int64_t* indices) {
  return probe::guarded([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      top_k_into(cpu{threads}, probe::elements<T>(data, n), k,
                 std::span(static_cast<T*>(values), k), std::span(indices, k), {.sorted = false});
    });
  });
}
