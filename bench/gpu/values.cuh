// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks of whole calls share: the values that they run on, a context that keeps its
// workspace, and a row of samples.
#pragma once

#include <algorithm>
#include <string>

#include "bench/gpu/row.cuh"
#include "src/cuda/sort.cuh"
#include "src/cuda/timing.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/device/grid/workspace.hpp"
#include "tally/exact/float_format.hpp"

namespace bench {

using tally::device_array;
namespace timing = tally::timing;

enum class values { normal, uniform, any_bits, descending };
inline constexpr char const* names[] = {"normal", "uniform", "any_bits", "descending"};

__host__ __device__ inline std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

template <class T>
__device__ T value_of(std::uint64_t random, values which) {
  if constexpr (tally::integer<T>) {
    return T(random);
  } else {
    using f = tally::format<T>;
    if (which == values::any_bits) {
      auto bits = tally::bits_of<T>(random);
      if ((bits & f::infinity) == f::infinity) bits ^= tally::bits_of<T>(1) << (f::precision - 1);
      return tally::from_bits<T>(bits);
    }
    double const unit = (double(random >> 11) + 0.5) * 0x1p-53;
    return tally::convert<T>(which == values::uniform ? unit : normcdfinv(unit));
  }
}

template <class T>
__global__ void fill(T* data, std::uint64_t n, values which) {
  auto const step = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n; i += step)
    data[i] = which == values::descending ? T(double(n - i)) : value_of<T>(mixed(i), which);
}

class kept {
 public:
  kept() : header_(tally::device::workspace::header_bytes / 4), words_(std::size_t(1) << 23) {
    int device;
    tally::check(cudaGetDevice(&device));
    tally::check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
    header_.fill_bytes(0, timing::own_stream());
    words_.fill_bytes(0, timing::own_stream());
  }
  CUstream_st* stream() const { return stream_; }
  int multiprocessors() const { return multiprocessors_; }
  tally::device::workspace workspace(std::size_t) {
    return {header_.data(), words_.data(), words_.size()};
  }
  tally::device::call_memory memory(std::size_t words, std::size_t scratch) {
    if (scratch_.size() < scratch) scratch_ = device_array<std::byte>(scratch);
    return {words ? workspace(words) : tally::device::workspace{}, scratch_.data()};
  }
  std::size_t sort_scratch(std::uint64_t count, std::size_t key_bytes) {
    return tally::scratch_of_sort(count, key_bytes);
  }
  template <class Key>
  int sort(tally::device::pairs_to_sort<Key> const& pairs, int bits, std::byte* scratch,
           std::size_t bytes) {
    return tally::sort_pairs(pairs, bits, scratch, bytes, stream_);
  }
  kept& on(cudaStream_t stream) {
    stream_ = stream;
    return *this;
  }

 private:
  cudaStream_t stream_ = nullptr;
  int multiprocessors_;
  device_array<std::uint32_t> header_;
  device_array<tally::device::status_word> words_;
  device_array<std::byte> scratch_;
};

// What a program does between calls: every multiprocessor is busy for a microsecond or so.
__global__ void something_else(unsigned* word) {
  long long const begin = clock64();
  while (clock64() - begin < 2000) {
  }
  if (threadIdx.x == 0) word[blockIdx.x] = blockIdx.x;
}

// As cold_time(), but each call comes behind a kernel that is not ours, whose own time is taken
// off.
inline timing::samples behind_time(timing::work const& call, std::size_t calls, int replays) {
  static device_array<unsigned> words(132);
  auto const other = [](cudaStream_t s, std::size_t) {
    tally::launch(something_else, 132, 256, 0, s)(words.data());
  };
  double const alone = timing::cold_time(other, calls, replays).median();
  auto all = timing::cold_time(
      [&](cudaStream_t s, std::size_t i) {
        other(s, i);
        call(s, i);
      },
      calls, replays);
  for (double& us : all.us) us -= alone;
  return all;
}

inline void print(std::string const& id, timing::samples const& s, std::size_t bytes) {
  print(
      {.id = id, .us = s.median(), .gb_per_s = double(bytes) / s.median() / 1e3, .samples = s.us});
}

}  // namespace bench
