// SPDX-License-Identifier: Apache-2.0
//
// The shared memory of block calls, which must not be written again before all threads have read
// what they need of it.
#pragma once

#include <type_traits>

#include "tally/cuda/thread_index.cuh"

namespace tally::block {

namespace detail {

// A buffer for count values of type T: one of two, or the only one where Which is void. `Which`
// tells buffers of the same T apart.
template <class T, int count, class Which>
__device__ T* buffer_of(int turn) {
  constexpr int buffers = std::is_void_v<Which> ? 1 : 2;
  constexpr int bytes = (count * sizeof(T) + 15) / 16 * 16;  // for loads of 16
  alignas(T) alignas(16) __shared__ unsigned char memory[buffers][bytes];
  return reinterpret_cast<T*>(memory[turn]);
}

// The buffer of calls that know nothing of one another. Its barrier lets them follow one another:
// past it, every thread has left the call before. The barrier is here, not at the end of a call, so
// that warps which are done can go ahead. A second buffer would not save it: threads would have to
// agree whose turn it is, and a call without a state has nowhere to remember that.
struct single_buffer {
  template <class T, int count = warp_size>
  __device__ T* take() const {
    T* const memory = buffer_of<T, count, void>(0);
    __syncthreads();
    return memory;
  }
};

struct double_buffer_base {};
template <class Buffer>
concept call_buffer = std::is_same_v<std::remove_reference_t<Buffer>, single_buffer> ||
                      std::is_base_of_v<double_buffer_base, std::remove_reference_t<Buffer>>;

template <class Owner>
struct owned_by;

}  // namespace detail

// Passed to block calls as their last argument: they write to two buffers in turn, and do with one
// barrier each. All threads make the same calls with it, and make it together, which is a barrier.
//
// Why one barrier is enough: when a thread comes to that of a call, it is done with the buffer of
// the call before; and the first call to write there again is the one after, past that barrier.
// Types change nothing: each has two buffers of its own, but the turn is the same.
//
// Objects of one Owner share their buffers: where calls with one follow calls with another that
// was made later, there must be a barrier between. Those of different Owners need none.
template <class Owner = void>
class double_buffer : detail::double_buffer_base {
 public:
  __device__ double_buffer() { __syncthreads(); }
  double_buffer(double_buffer const&) = delete;
  double_buffer& operator=(double_buffer const&) = delete;

  // A block call takes a buffer once, if at all, and then comes to a barrier.
  template <class T, int count = warp_size>
  __device__ T* take() {
    turn_ ^= 1;
    return detail::buffer_of<T, count, detail::owned_by<Owner>>(turn_);
  }

 private:
  int turn_ = 0;
};

}  // namespace tally::block
