// SPDX-License-Identifier: Apache-2.0
//
// How long the host is busy with an asynchronous reduction of a small array, beside CUB's with its
// memory allocated before: wall time a call, of bursts that do not fill the stream's queue. Rows
// are named host/WHAT/TYPE/2^k/WHO; each burst of one is followed by one of the other.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <cub/device/device_reduce.cuh>
#include <vector>

#include "bench/gpu/options.hpp"
#include "bench/gpu/row.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/tally.hpp"

namespace {

using tally::device_array;
using clock_type = std::chrono::steady_clock;

constexpr int calls = 200, bursts = 51;

template <class Enqueue>
double burst(cudaStream_t stream, Enqueue enqueue) {
  auto const start = clock_type::now();
  for (int i = 0; i < calls; ++i) enqueue();
  std::chrono::duration<double, std::micro> const took = clock_type::now() - start;
  tally::check(cudaStreamSynchronize(stream));
  return took.count() / calls;
}

void print(std::string const& id, std::vector<double> us) {
  auto sorted = us;
  std::ranges::sort(sorted);
  bench::print({.id = id, .us = sorted[bursts / 2], .how = "wall time", .samples = us});
}

// ours() and cubs() leave their answers in `out`.
template <class Ours, class Cubs>
void compare(std::string const& id, cudaStream_t stream, device_array<float>& out, float want,
             Ours ours, Cubs cubs) {
  if (!bench::asked.wants(id)) return;
  std::vector<double> us[2];
  burst(stream, ours), burst(stream, cubs);
  for (int i = 0; i < bursts; ++i) {
    us[0].push_back(burst(stream, ours));
    if (bench::asked.peers) us[1].push_back(burst(stream, cubs));
  }
  auto const expect = [&](char const* who, auto call) {
    out.fill_bytes(0xff);
    call();
    tally::check(cudaStreamSynchronize(stream));
    if (out.to_host()[0] != want) std::fprintf(stderr, "WRONG: %s/%s\n", id.c_str(), who);
  };
  expect("tally", ours), expect("cub", cubs);
  print(id + "/tally", us[0]);
  if (bench::asked.peers) print(id + "/cub", us[1]);
}

template <class Op, class Cub>
void rows(std::string const& name, Op op, Cub cub) {
  cudaStream_t stream;  // till the program ends: `there` needs it
  tally::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  tally::gpu there{.stream = stream};
  for (int log : {10, 16}) {  // one block, and several, which need a workspace
    std::vector<float> values(std::size_t(1) << log);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(int(i * 37 % 101) - 50);
    device_array<float> const in(std::span<float const>{values});
    device_array<float> out(1);
    std::size_t bytes = 0;
    cub(nullptr, bytes, in.data(), out.data(), values.size(), stream);
    device_array<unsigned char> memory(bytes);
    compare(
        "host/" + name + "/float32/2^" + std::to_string(log), stream, out,
        tally::reduce(tally::cpu{}, values, op), [&] { tally::reduce_into(there, in, out, op); },
        [&] { cub(memory.data(), bytes, in.data(), out.data(), values.size(), stream); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::read_options(argc, argv);
  auto const sum = [](void* memory, std::size_t& bytes, auto... arguments) {
    tally::check(cub::DeviceReduce::Sum(memory, bytes, arguments...));
  };
  auto const least = [](void* memory, std::size_t& bytes, auto... arguments) {
    tally::check(cub::DeviceReduce::Min(memory, bytes, arguments...));
  };
  try {
    rows("fast_sum", tally::fast_sum{}, sum);
    rows("sum", tally::sum{}, sum);
    rows("minimum", tally::minimum{}, least);
  } catch (tally::error const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
