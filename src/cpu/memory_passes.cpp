// SPDX-License-Identifier: Apache-2.0
#include "memory_passes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tally/cpu/instruction_set.hpp"
#include "tally/cpu/stream_store.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/cpu/tile/prefetch.hpp"
#include "tally/cpu/tile/simd.hpp"

namespace tally::detail {
namespace {

constexpr std::size_t piece = 1 << 20;

// run(begin, size) for [0, bytes) in pieces of 1 MB, which threads take as they come, or in a share
// for each thread.
template <class F>
void each_piece(int threads, std::size_t bytes, bool shares, F&& run) {
  std::size_t const size =
      shares ? (bytes / std::size_t(threads) + piece - 1) / piece * piece : piece;
  parallel_for(threads, (bytes + size - 1) / size,
               [&](std::size_t i) { run(i * size, std::min(size, bytes - i * size)); });
}

void use(std::uint64_t x) { asm volatile("" ::"r"(x)); }

void or_bits(std::byte const* from, std::size_t bytes, bool ahead) {
  std::uint64_t found = 0;
  run_vectorised([&](auto width) __attribute__((always_inline)) {
    constexpr int lanes = width.value / 8, in_flight = 8;
    constexpr std::size_t step = in_flight * width.value;
    using vector = vec<std::uint64_t, lanes>;
    vector bits[in_flight] = {};
    for (std::size_t i = 0; i + step <= bytes; i += step) {
      for (int j = 0; j < in_flight; ++j) {
        auto const* const at =
            reinterpret_cast<char const*>(from) + i + std::size_t(j) * width.value;
        if (ahead) fetch_ahead(at, width.value);
        bits[j] |= cast<vector>(load<vec<char, width>>(at));
      }
    }
    for (auto const& b : bits) found |= fold_lanes(b, [](auto p, auto q) { return p | q; });
  });
  use(found);
}

void copy_to_cache(std::byte const* from, std::size_t bytes) {
  alignas(64) std::byte here[1 << 14];
  for (std::size_t i = 0; i < bytes; i += sizeof here) {
    std::memcpy(here, from + i, std::min(sizeof here, bytes - i));
    use(reinterpret_cast<std::uintptr_t>(here));
  }
}

void copy_past_caches(std::byte* to, std::byte const* from, std::size_t bytes, bool ahead) {
  stream_copy(to, from, bytes, ahead ? prefetched{from + 2048, line_bytes} : prefetched{});
  stream_fence();
}

}  // namespace

void read_once(int way, int threads, std::byte const* from, std::size_t bytes) {
  each_piece(threads, bytes, way == 1, [&](std::size_t at, std::size_t size) {
    way == 2 ? copy_to_cache(from + at, size) : or_bits(from + at, size, way == 3);
  });
}

void copy_once(int way, int threads, std::byte const* from, std::byte* to, std::size_t bytes) {
  each_piece(threads, bytes, way == 1, [&](std::size_t at, std::size_t size) {
    if (way >= 2)
      copy_past_caches(to + at, from + at, size, way == 3);
    else
      std::memcpy(to + at, from + at, size);
  });
}

}  // namespace tally::detail
