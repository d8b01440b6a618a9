// SPDX-License-Identifier: Apache-2.0
//
// The lines that GPU work is held against, at every size, in HBM (cold) and in L2 (warm).
#include <algorithm>
#include <cstdio>
#include <exception>

#include "bench/gpu/row.cuh"
#include "src/cuda/lines.cuh"
#include "tally/cuda/cuda_error.cuh"

namespace {

using namespace tally::timing;

// Whether a buffer or two can be measured: cold in 2 GB at least for each, warm in half of L2.
bool fits(std::size_t bytes, int buffers, cache state) {
  if (state == cache::cold) {
    std::size_t const each = std::max(bytes, std::size_t{2} << 30), spare = std::size_t{1} << 30;
    std::size_t free, total;
    tally::check(cudaMemGetInfo(&free, &total));
    return buffers * each + spare < free;
  }
  int device, l2;
  tally::check(cudaGetDevice(&device));
  tally::check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
  return buffers * bytes <= std::size_t(l2) / 2;
}

bench::row row_of(std::string const& what, int log2_bytes, cache state, line const& found) {
  return {
      .id = what + "/2^" + std::to_string(log2_bytes) + (state == cache::cold ? "/cold" : "/warm"),
      .us = found.time.median(),
      .gb_per_s = found.gb_per_s(),
      .how = found.how,
      .samples = found.time.us};
}

void measure(int log2_bytes, cache state) {
  auto const bytes = std::size_t{1} << log2_bytes;
  if (!fits(bytes, 1, state)) return;
  print(row_of("read", log2_bytes, state, read_line(bytes, state)));
  if (!fits(bytes, 2, state)) return;
  print(row_of("copy", log2_bytes, state, copy_line(bytes, state)));
  print(row_of("memcpy", log2_bytes, state, memcpy_line(bytes, state)));
}

}  // namespace

int main() try {
  auto const empty = empty_kernel_time();
  bench::print({.id = "empty kernel", .us = empty.median(), .samples = empty.us});
  for (int log2_bytes = 20; log2_bytes <= 32; ++log2_bytes)
    for (auto const state : {cache::cold, cache::warm}) measure(log2_bytes, state);
} catch (std::exception const& failure) {
  std::fprintf(stderr, "ceilings: %s\n", failure.what());
  return 1;
}
