// SPDX-License-Identifier: Apache-2.0
//
// The shared memory of block calls, which must not be written again before all threads have read
// what they need of it.
#pragma once

#include <type_traits>

#include "tally/cuda/thread_index.cuh"

namespace tally::block {

namespace detail {

// `Which` tells memories of the same T apart.
template <class T, int count, class Which>
__device__ T* memory_of(int turn) {
  constexpr int turns = std::is_void_v<Which> ? 1 : 2;
  constexpr int bytes = (count * sizeof(T) + 15) / 16 * 16;  // for loads of 16
  alignas(T) alignas(16) __shared__ unsigned char memory[turns][bytes];
  return reinterpret_cast<T*>(memory[turn]);
}

// Of calls that know nothing of one another. The barrier lets them follow one another: past it,
// every thread has left the call before. It is here, not at the end of a call, so that warps which
// are done can go ahead. One memory more would not do without: whose turn it is must be the same in
// all threads, and nothing that a function finds when it is first called is.
struct every_call {
  template <class T, int count = warp_size>
  __device__ T* take() const {
    T* const memory = memory_of<T, count, void>(0);
    __syncthreads();
    return memory;
  }
};

struct turn_taker {};
template <class M>
concept memory = std::is_same_v<std::remove_reference_t<M>, every_call> ||
                 std::is_base_of_v<turn_taker, std::remove_reference_t<M>>;

template <class Owner>
struct owned_by;

}  // namespace detail

// Passed to block calls as their last argument: they take turns at two memories, and do with one
// barrier each. All threads make the same calls with it, and make it together, which is a barrier.
//
// Why one is enough: when a thread comes to the barrier of a call, it is done with the memory of
// the call before; and the first call to write there again is the one after, past that barrier.
// Types change nothing: they share turns, not memories.
//
// Objects of one Owner share their memories: where calls with one follow calls with another that
// was made later, there must be a barrier between. Those of different Owners need none.
template <class Owner = void>
class turns : detail::turn_taker {
 public:
  __device__ turns() { __syncthreads(); }
  turns(turns const&) = delete;
  turns& operator=(turns const&) = delete;

  // For the calls, each of which takes once, if at all, and then comes to a barrier.
  template <class T, int count = warp_size>
  __device__ T* take() {
    turn_ ^= 1;
    return detail::memory_of<T, count, detail::owned_by<Owner>>(turn_);
  }

 private:
  int turn_ = 0;
};

}  // namespace tally::block
