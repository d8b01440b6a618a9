// SPDX-License-Identifier: Apache-2.0
//
// CUB's selections beside Tally's, where CUB has them: of one array (DeviceTopK, 3.2 and later),
// and of rows that a block holds (DeviceBatchedTopK, 3.5 and later). They sort nothing, which of
// equal elements they give is another each time, and rows can be no longer than is known at compile
// time.
#pragma once

#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#define TALLY_CUB_HAS_TOP_K
#endif
#if __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>
#include <cuda/iterator>
#define TALLY_CUB_HAS_BATCHED_TOP_K
#endif
#include <cub/version.cuh>

#include "bench/gpu/cub_call.cuh"

namespace bench {

inline constexpr std::uint64_t most_of_cub_rows = 8192;  // that a block holds, of floats

#ifdef TALLY_CUB_HAS_BATCHED_TOP_K
// Rows of exactly that length.
template <std::int64_t Length>
void measure_cub_rows(std::string const& id, timing::rotation const& in, std::uint64_t rows,
                      std::uint64_t k, std::size_t calls, int replays) {
  namespace need = cuda::execution;
  auto const how = need::require(need::determinism::not_guaranteed, need::tie_break::unspecified,
                                 need::output_ordering::unsorted);
  device_array<float> found(rows * k);
  device_array<std::int32_t> at(rows * k);
  // Each row's elements, indices, and places for what is found.
  auto const apart = [](auto begin, std::int64_t by) {
    return cuda::make_strided_iterator(cuda::make_counting_iterator(begin), by);
  };
  cuda::constant_iterator const indices(cuda::counting_iterator<std::int32_t>(0));
  auto const call = [&](void* temporary, std::size_t& bytes, std::size_t i, cudaStream_t s) {
    tally::check(cub::DeviceBatchedTopK::MaxPairs(
        temporary, bytes, apart(reinterpret_cast<float const*>(in[i]), Length),
        apart(found.data(), std::int64_t(k)), indices, apart(at.data(), std::int64_t(k)),
        cuda::args::constant<Length>{}, std::int64_t(k), std::int64_t(rows),
        cuda::std::execution::env{cuda::stream_ref{s}, how}));
  };
  measure_cub_call(id, call, calls, replays, 4 * rows * Length);
}
#endif

#ifdef TALLY_CUB_HAS_TOP_K
inline void measure_cub_array(std::string const& id, timing::rotation const& in, std::uint64_t n,
                              std::uint64_t k, std::size_t calls, int replays) {
  namespace need = cuda::execution;
  auto const how =
      need::require(need::determinism::not_guaranteed, need::output_ordering::unsorted);
  device_array<float> found(k);
  device_array<std::int32_t> at(k);
  auto const call = [&](void* temporary, std::size_t& bytes, std::size_t i, cudaStream_t s) {
    tally::check(cub::DeviceTopK::MaxPairs(temporary, bytes, reinterpret_cast<float const*>(in[i]),
                                           found.data(), cuda::counting_iterator<std::int32_t>(0),
                                           at.data(), std::int64_t(n), std::int64_t(k),
                                           cuda::std::execution::env{cuda::stream_ref{s}, how}));
  };
  measure_cub_call(id, call, calls, replays, 4 * n);
}
#endif

// Of floats, if CUB can.
inline void measure_cub([[maybe_unused]] std::string const& id,
                        [[maybe_unused]] timing::rotation const& in,
                        [[maybe_unused]] std::uint64_t rows, [[maybe_unused]] std::uint64_t length,
                        [[maybe_unused]] std::uint64_t k, [[maybe_unused]] std::size_t calls,
                        [[maybe_unused]] int replays) {
#ifdef TALLY_CUB_HAS_TOP_K
  if (rows == 1) measure_cub_array(id, in, length, k, calls, replays);
#endif
#ifdef TALLY_CUB_HAS_BATCHED_TOP_K
  if (rows > 1 && length == 256) measure_cub_rows<256>(id, in, rows, k, calls, replays);
  if (rows > 1 && length == 4096) measure_cub_rows<4096>(id, in, rows, k, calls, replays);
  if (rows > 1 && length == most_of_cub_rows)
    measure_cub_rows<most_of_cub_rows>(id, in, rows, k, calls, replays);
#endif
}

}  // namespace bench
