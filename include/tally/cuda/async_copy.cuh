// SPDX-License-Identifier: Apache-2.0
//
// Copies between global and shared memory that happen while a warp goes on, and barriers in shared
// memory that say when they have. From compute capability 9.0 on one instruction copies a piece of
// any length (cp.async.bulk); before that each lane copies 16 bytes at a time (cp.async).
#pragma once

#include <cuda_pipeline.h>

#include <cstdint>
#include <cuda/ptx>

#include "tally/cuda/thread_index.cuh"

namespace tally {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TALLY_COPIES_IN_BULK 1
#else
#define TALLY_COPIES_IN_BULK 0
#endif

// A barrier in shared memory (an mbarrier of PTX), which is passed again and again: a phase is over
// when so many have arrived as it was made for, and the bytes that they expect have been copied.
// Phases are counted from 0. Who waits for one sees what was done before these arrivals, and must
// do so before the next phase but one is over.
class phase_barrier {
 public:
  // By one thread. Others use the barrier when they have met it after barriers_are_made().
  __device__ void make(unsigned arrivals) { cuda::ptx::mbarrier_init(&word_, arrivals); }

  // By a warp, as one arrival.
  __device__ void arrive() {
    __syncwarp();
    if (is_first_lane()) cuda::ptx::mbarrier_arrive(&word_);
  }
  __device__ void await(unsigned phase) {
    while (!is_over(phase)) {
    }
  }

  // By a warp, as one arrival: begins to copy to shared memory. 16 divides both addresses and the
  // number of bytes.
  __device__ void copy(void* to, void const* from, unsigned bytes) {
#if TALLY_COPIES_IN_BULK
    __syncwarp();
    if (!is_first_lane()) return;
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &word_, bytes);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, from, bytes,
                             &word_);
#else
    copy_pieces<16>(to, from, bytes / 16);
#endif
  }
  // The same piece by piece, which divide the addresses.
  template <int Bytes>
  __device__ void copy_pieces(void* to, void const* from, unsigned count) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
#pragma unroll 5
    for (unsigned i = threadIdx.x % warp_size; i < count; i += warp_size)
      __pipeline_memcpy_async(static_cast<unsigned char*>(to) + i * Bytes,
                              static_cast<unsigned char const*>(from) + i * Bytes, Bytes);
    __pipeline_arrive_on(&word_);
    arrive();
  }

 private:
  std::uint64_t word_;

  static __device__ bool is_first_lane() { return threadIdx.x % warp_size == 0; }
  __device__ bool is_over(unsigned phase) {
#if TALLY_COPIES_IN_BULK
    return cuda::ptx::mbarrier_try_wait_parity(&word_, phase % 2);
#else
    return cuda::ptx::mbarrier_test_wait_parity(&word_, phase % 2);
#endif
  }
};

// By the thread that has made them.
__device__ inline void barriers_are_made() {
#if TALLY_COPIES_IN_BULK
  cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
#endif
}

// By each lane that has used shared memory itself where a copy comes next, before the warp meets.
__device__ inline void let_copies_follow() {
#if TALLY_COPIES_IN_BULK
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
#endif
}

// By a warp: copies from shared memory what its lanes have written there. 16 divides both addresses
// and the number of bytes.
__device__ inline void copy_from_shared_by_lanes(void* to, void const* from, unsigned bytes) {
  __syncwarp();
#pragma unroll 5
  for (unsigned i = threadIdx.x % warp_size; i < bytes / 16; i += warp_size)
    __stcs(static_cast<uint4*>(to) + i, static_cast<uint4 const*>(from)[i]);
}
// Begins to copy it: that takes longer, but the warp goes on.
__device__ inline void copy_from_shared(void* to, void const* from, unsigned bytes) {
#if TALLY_COPIES_IN_BULK
  let_copies_follow();
  __syncwarp();
  if (threadIdx.x % warp_size == 0) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to, from, bytes);
    cuda::ptx::cp_async_bulk_commit_group();
  }
#else
  copy_from_shared_by_lanes(to, from, bytes);
#endif
}
// Waits until the warp's copies have read what they copy.
__device__ inline void await_read_by_copies() {
#if TALLY_COPIES_IN_BULK
  if (threadIdx.x % warp_size == 0) cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>{});
#endif
  __syncwarp();
}
// Waits until they have happened.
__device__ inline void await_copies() {
#if TALLY_COPIES_IN_BULK
  if (threadIdx.x % warp_size == 0) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>{});
#endif
}

}  // namespace tally
