// SPDX-License-Identifier: Apache-2.0
//
// Sums, scans and the k best of an array that several GPUs share out, beside what one of them does
// with a slice: whole calls of the host, each of which ends with the answer on all ranks. There is
// a rank a GPU, and one alone; they tell each other through host memory (threads), and through
// NCCL. Rows are named ranks/CALL/ELEMENTS OF A SLICE/alone|threads|nccl/RANKS; every answer of
// several is compared with the others'.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/gpu/options.hpp"
#include "bench/gpu/row.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/devices.hpp"
#include "tally/distributed.hpp"
#include "tally/nccl.hpp"
#include "tally/run_ranks.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using bench::asked;

__global__ void fill(float* x, std::size_t n, unsigned seed) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    unsigned z = unsigned(i) * 2654435761u + unsigned(i >> 32) + seed;
    z = (z ^ z >> 15) * 2246822519u, z = (z ^ z >> 13) * 3266489917u, z ^= z >> 16;
    x[i] = (float(z >> 8) - 8388608.f) * 1.1920929e-7f;
  }
}

// A rank's GPU and slice.
struct slice {
  gpu there;
  device_array<float> in, out;
  slice(int device, std::size_t n) : there{.device = device} {
    check(cudaSetDevice(device));
    in = device_array<float>(n), out = device_array<float>(n);
    launch(fill, 4096, 256)(in.data(), n, unsigned(device));
    check(cudaDeviceSynchronize());
  }
};

// The time of a call on all ranks, from when all are there until the last one has its answer.
double time_of(communicator& ranks, std::function<void()> const& call) {
  std::uint64_t none = 0;
  ranks.all_reduce(std::span(&none, 1));
  auto const begin = std::chrono::steady_clock::now();
  call();
  std::chrono::duration<double, std::micro> const own = std::chrono::steady_clock::now() - begin;
  std::vector<double> all(std::size_t(ranks.size()));
  ranks.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  return *std::ranges::max_element(all);
}

void measure(communicator& ranks, std::string const& name, std::size_t bytes,
             std::function<void()> const& call) {
  std::string const id = "ranks/" + name + "/" + std::to_string(ranks.size());
  if (!asked.wants(id)) return;
  call(), call();
  std::vector<double> samples;
  for (int i = 0; i < (asked.quick ? 5 : 15); ++i) samples.push_back(time_of(ranks, call));
  std::ranges::sort(samples);
  double const median = samples[samples.size() / 2];
  if (ranks.rank() == 0)
    print(bench::row{id, median, double(bytes) * ranks.size() / median * 1e-3, {}, samples});
}

// The same calls over all ranks' slices, or over this rank's alone.
template <class Where>
void measure_calls(communicator& ranks, slice& mine, Where&& where, std::string const& how) {
  std::size_t const n = mine.in.size();
  auto const name = [&](char const* call) {
    return std::string(call) + "/" + std::to_string(n) + "/" + how;
  };
  measure(ranks, name("sum"), 4 * n, [&] { reduce(where, mine.in, sum{}); });
  measure(ranks, name("maximum"), 4 * n, [&] { reduce(where, mine.in, maximum{}); });
  measure(ranks, name("top_k_64"), 4 * n, [&] { top_k(where, mine.in, 64); });
  measure(ranks, name("scan"), 8 * n, [&] {
    inclusive_scan(where, mine.in, mine.out, sum{});
    mine.there.synchronise();
  });
}

// What all come to must be the same wherever it is told.
void check_answer(communicator& ranks, slice& mine) {
  float const found = reduce(distributed{ranks, mine.there}, mine.in, sum{});
  std::vector<float> all(std::size_t(ranks.size()));
  ranks.all_gather(std::as_bytes(std::span(&found, 1)), std::as_writable_bytes(std::span(all)));
  exclusive_scan(distributed{ranks, mine.there}, mine.in, mine.out, sum{});
  for (float const other : all)
    if (other != found) std::fprintf(stderr, "WRONG: %a and %a\n", found, other);
}

void measure_slices(int devices, std::size_t n) {
  run_ranks(devices, [&](communicator& threads) {
    int const device = threads.rank();
    slice mine(device, n);
    self_communicator self;
    if (device == 0) measure_calls(self, mine, mine.there, "alone");
    measure_calls(threads, mine, distributed{threads, mine.there}, "threads");
    check_answer(threads, mine);
    nccl_communicator nccl(threads, device);
    measure_calls(nccl, mine, distributed{nccl, mine.there}, "nccl");
    check_answer(nccl, mine);
  });
}

}  // namespace

int main(int argc, char** argv) try {
  bench::read_options(argc, argv);
  int const devices = int(gpus().size());
  for (std::size_t const n :
       {std::size_t(1) << 20, std::size_t(1) << 24, std::size_t(1) << 28, std::size_t(1) << 31})
    if (!asked.quick || n >= std::size_t(1) << 28) measure_slices(devices, n);
} catch (std::exception const& failure) {
  std::fprintf(stderr, "ranks: %s\n", failure.what());
  return 1;
}
