// SPDX-License-Identifier: Apache-2.0
//
// The lines that GPU work is held against, at every size, in HBM (cold) and in L2 (warm).
#include <cstdio>
#include <exception>

#include "bench/gpu/row.cuh"
#include "src/cuda/lines.cuh"
#include "tally/cuda_error.cuh"

namespace {

using namespace tally::timing;

bool fits(std::size_t bytes) {
  std::size_t free, total;
  tally::check(cudaMemGetInfo(&free, &total));
  return bytes < free;
}

std::size_t l2_bytes() {
  int device, bytes;
  tally::check(cudaGetDevice(&device));
  tally::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
  return std::size_t(bytes);
}

bench::row row_of(std::string const& what, int log2_bytes, cache state, line const& found) {
  return {
      .id = what + "/2^" + std::to_string(log2_bytes) + (state == cache::cold ? "/cold" : "/warm"),
      .us = found.time.median(),
      .gb_per_s = found.gb_per_s(),
      .how = found.how,
      .samples = found.time.us};
}

void measure(bench::report& report, int log2_bytes, cache state) {
  auto const bytes = std::size_t{1} << log2_bytes;
  report.add(row_of("read", log2_bytes, state, read_line(bytes, state)));
  report.add(row_of("copy", log2_bytes, state, copy_line(bytes, state)));
  report.add(row_of("memcpy", log2_bytes, state, memcpy_line(bytes, state)));
}

}  // namespace

int main() try {
  bench::report report;
  auto const empty = empty_kernel_time();
  report.add({.id = "empty kernel", .us = empty.median(), .samples = empty.us});
  for (int log2_bytes = 20; log2_bytes <= 32; ++log2_bytes) {
    auto const bytes = std::size_t{1} << log2_bytes;
    if (2 * bytes <= l2_bytes() / 2) measure(report, log2_bytes, cache::warm);
    if (fits(2 * std::max(bytes, std::size_t{2} << 30) + (std::size_t{1} << 30)))
      measure(report, log2_bytes, cache::cold);
  }
} catch (std::exception const& failure) {
  std::fprintf(stderr, "ceilings: %s\n", failure.what());
  return 1;
}
