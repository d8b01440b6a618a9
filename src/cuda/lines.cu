// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/lines.cuh"

#include <algorithm>
#include <optional>

#include "tally/cuda/launch.cuh"

namespace tally::timing {
namespace {

struct shape {
  unsigned threads;
  int loads;           // 16 bytes each, in flight a thread
  unsigned blocks_sm;  // a multiprocessor; 0: a block for every tile of threads * loads
};

unsigned grid_of(shape s, std::size_t count) {
  int device, multiprocessors;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  std::size_t const tile = std::size_t(s.threads) * s.loads;
  std::size_t const tiles = std::max<std::size_t>((count + tile - 1) / tile, 1);
  std::size_t const most = s.blocks_sm ? s.blocks_sm * std::size_t(multiprocessors) : tiles;
  return unsigned(std::min(tiles, most));
}

std::string name(shape s) {
  return std::to_string(s.threads) + " threads x " + std::to_string(s.loads) + " loads, " +
         (s.blocks_sm ? std::to_string(s.blocks_sm) + " blocks a multiprocessor"
                      : "a block a tile");
}

// Every load is used: in a word that is written if it equals `wanted`.
template <int Loads>
__global__ void __launch_bounds__(1024, 1)
    read(uint4 const* in, std::size_t count, unsigned wanted, unsigned* found) {
  std::size_t const tile = std::size_t(blockDim.x) * Loads;
  unsigned bits = 0;
  auto const use = [&](uint4 x) { bits ^= x.x ^ x.y ^ x.z ^ x.w; };
  std::size_t base = blockIdx.x * tile + threadIdx.x;
  for (; base + (Loads - 1) * blockDim.x < count; base += gridDim.x * tile) {
    uint4 x[Loads];
#pragma unroll
    for (int j = 0; j < Loads; ++j) x[j] = in[base + j * blockDim.x];
#pragma unroll
    for (int j = 0; j < Loads; ++j) use(x[j]);
  }
  for (; base < count; base += blockDim.x) use(in[base]);
  if (bits == wanted) *found = bits;
}

template <int Loads>
__global__ void copy(uint4 const* in, std::size_t count, uint4* out) {
  std::size_t const base = blockIdx.x * (std::size_t(blockDim.x) * Loads) + threadIdx.x;
  uint4 x[Loads];
#pragma unroll
  for (int j = 0; j < Loads; ++j) {
    std::size_t const i = base + std::size_t(j) * blockDim.x;
    if (i < count) x[j] = in[i];
  }
#pragma unroll
  for (int j = 0; j < Loads; ++j) {
    std::size_t const i = base + std::size_t(j) * blockDim.x;
    if (i < count) out[i] = x[j];
  }
}

__global__ void nothing() {}

// Call i in blocks of memory of its own, or all in one.
struct blocks {
  cache state;
  rotation memory;
  blocks(std::size_t bytes, cache state) : state(state), memory(bytes) {}
  uint4* of(std::size_t call) const {
    return reinterpret_cast<uint4*>(memory[state == cache::cold ? call : 0]);
  }
  samples time(work const& enqueue) const {
    return state == cache::cold ? cold_time(enqueue, memory.calls()) : warm_time(enqueue);
  }
};

// time_of(shape) -> samples, or nothing where the shape does not apply.
template <class F>
line fastest(std::size_t bytes_moved, std::span<shape const> shapes, F time_of) {
  std::optional<line> best;
  for (auto const s : shapes) {
    line tried{bytes_moved, time_of(s), name(s)};
    if (!best || tried.time.median() < best->time.median()) best = std::move(tried);
  }
  return *best;
}

constexpr shape read_shapes[] = {
    {256, 4, 1}, {256, 4, 2}, {256, 4, 4}, {256, 4, 8}, {256, 4, 0}, {256, 8, 1},  {256, 8, 2},
    {256, 8, 4}, {256, 8, 8}, {256, 8, 0}, {512, 4, 1}, {512, 4, 2}, {512, 4, 3},  {512, 4, 4},
    {512, 4, 0}, {512, 8, 1}, {512, 8, 2}, {512, 8, 3}, {512, 8, 0}, {1024, 4, 1}, {1024, 4, 2},
};
constexpr shape copy_shapes[] = {{128, 8, 0}, {256, 4, 0}, {512, 2, 0}, {1024, 1, 0}};  // 16 KB

}  // namespace

line read_line(std::size_t bytes, cache state) {
  blocks const in(bytes, state);
  device_array<unsigned> const found(1);
  std::size_t const count = bytes / sizeof(uint4);
  return fastest(bytes, read_shapes, [&](shape s) {
    auto const kernel = s.loads == 4 ? read<4> : read<8>;
    return in.time([&](cudaStream_t stream, std::size_t i) {
      launch(kernel, grid_of(s, count), s.threads, 0, stream)(in.of(i), count, ~0u, found.data());
    });
  });
}

line copy_line(std::size_t bytes, cache state) {
  blocks const in(bytes, state), out(bytes, state);
  std::size_t const count = bytes / sizeof(uint4);
  return fastest(2 * bytes, copy_shapes, [&](shape s) {
    auto const kernel = s.loads == 1   ? copy<1>
                        : s.loads == 2 ? copy<2>
                        : s.loads == 4 ? copy<4>
                                       : copy<8>;
    return in.time([&](cudaStream_t stream, std::size_t i) {
      launch(kernel, grid_of(s, count), s.threads, 0, stream)(in.of(i), count, out.of(i));
    });
  });
}

line memcpy_line(std::size_t bytes, cache state) {
  blocks const in(bytes, state), out(bytes, state);
  auto const time = in.time([&](cudaStream_t stream, std::size_t i) {
    check(cudaMemcpyAsync(out.of(i), in.of(i), bytes, cudaMemcpyDeviceToDevice, stream));
  });
  return {2 * bytes, time, "cudaMemcpyAsync"};
}

samples empty_kernel_time() {
  return warm_time([](cudaStream_t stream, std::size_t) { launch(nothing, 1, 32, 0, stream)(); });
}

}  // namespace tally::timing
