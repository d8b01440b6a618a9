// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "simt/vector_types.hpp"

// What kernels call to know who they are and to meet each other. Here and in the headers beside
// this one, what waits, orders memory or is more than an ordinary access goes to the machine; those
// functions are neither inlined nor instrumented, so that it sees one call, at the caller's line.
#define SIMT_CALL [[gnu::noinline, gnu::no_sanitize_thread]]
#define SIMT_INLINE [[gnu::always_inline]] inline  // reported at the caller's line all the same
#define SIMT_HERE __builtin_return_address(0)

namespace simt {

using word = unsigned long long;

enum class collective {
  shuffle_index,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  any,
  all,
  match_any,
  match_all,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor,
  active_mask,
  sync_warp
};
// Meets the other lanes of `mask` in the same call; `kind` says what the lane brings and gets.
struct offer {
  collective what;
  unsigned mask;
  word value = 0;
  unsigned source = 0;  // of a shuffle: its third argument
  unsigned width = 32;
  bool is_signed = false;
};
word meet(offer const&, void* pc);

enum class barrier { sync, count, all, any };
int block_barrier(barrier, int predicate, void* pc);

long long lane_clock();
[[noreturn]] void trap(void* pc);
void pause();

template <class T>
word to_word(T x) {
  word bits = 0;
  __builtin_memcpy(&bits, &x, sizeof x);
  return bits;
}
template <class T>
T from_word(word bits) {
  T x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

// As CUDA's overloads: smaller integers travel as int.
template <class T>
using shuffled = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), int, T>;

}  // namespace simt

// Functions, so that reading an index touches no memory that the machine sees. Two of the names
// are also members of cudaLaunchConfig_t, which therefore has functions of these names.
[[gnu::const]] uint3 simt_thread_index();
[[gnu::const]] uint3 simt_block_index();
[[gnu::const]] dim3 simt_block_size();
[[gnu::const]] dim3 simt_grid_size();
#define threadIdx simt_thread_index()
#define blockIdx simt_block_index()
#define blockDim simt_block_size()
#define gridDim simt_grid_size()
inline constexpr int warpSize = 32;

// Barriers.
SIMT_CALL inline void __syncthreads() { simt::block_barrier(simt::barrier::sync, 0, SIMT_HERE); }
SIMT_CALL inline int __syncthreads_count(int predicate) {
  return simt::block_barrier(simt::barrier::count, predicate, SIMT_HERE);
}
SIMT_CALL inline int __syncthreads_and(int predicate) {
  return simt::block_barrier(simt::barrier::all, predicate, SIMT_HERE);
}
SIMT_CALL inline int __syncthreads_or(int predicate) {
  return simt::block_barrier(simt::barrier::any, predicate, SIMT_HERE);
}
SIMT_CALL inline void __syncwarp(unsigned mask = 0xffffffffu) {
  simt::meet({simt::collective::sync_warp, mask}, SIMT_HERE);
}

// Shuffles, votes and reductions of a warp.
#define SIMT_SHUFFLE(name, kind, argument)                                                     \
  template <class T>                                                                           \
    requires std::is_arithmetic_v<T>                                                           \
  SIMT_CALL simt::shuffled<T> name(unsigned mask, T x, argument source, int width = 32) {      \
    using carried = simt::shuffled<T>;                                                         \
    return simt::from_word<carried>(                                                           \
        simt::meet({simt::collective::kind, mask, simt::to_word<carried>(x), unsigned(source), \
                    unsigned(width)},                                                          \
                   SIMT_HERE));                                                                \
  }
SIMT_SHUFFLE(__shfl_sync, shuffle_index, int)
SIMT_SHUFFLE(__shfl_up_sync, shuffle_up, unsigned)
SIMT_SHUFFLE(__shfl_down_sync, shuffle_down, unsigned)
SIMT_SHUFFLE(__shfl_xor_sync, shuffle_xor, int)
#undef SIMT_SHUFFLE

SIMT_CALL inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return unsigned(simt::meet({simt::collective::ballot, mask, predicate != 0}, SIMT_HERE));
}
SIMT_CALL inline int __any_sync(unsigned mask, int predicate) {
  return int(simt::meet({simt::collective::any, mask, predicate != 0}, SIMT_HERE));
}
SIMT_CALL inline int __all_sync(unsigned mask, int predicate) {
  return int(simt::meet({simt::collective::all, mask, predicate != 0}, SIMT_HERE));
}
SIMT_CALL inline unsigned __activemask() {
  return unsigned(simt::meet({simt::collective::active_mask, 0}, SIMT_HERE));
}

template <class T>
  requires std::is_arithmetic_v<T>
SIMT_CALL unsigned __match_any_sync(unsigned mask, T x) {
  return unsigned(simt::meet({simt::collective::match_any, mask, simt::to_word(x)}, SIMT_HERE));
}
template <class T>
  requires std::is_arithmetic_v<T>
SIMT_CALL unsigned __match_all_sync(unsigned mask, T x, int* all) {
  auto const found =
      unsigned(simt::meet({simt::collective::match_all, mask, simt::to_word(x)}, SIMT_HERE));
  *all = found != 0;
  return found;
}

#define SIMT_WARP_REDUCE(name, T)                                                                  \
  SIMT_CALL inline T __##name##_sync(unsigned mask, T x) {                                         \
    return T(simt::meet({simt::collective::name, mask, simt::word(x), 0, 32, std::is_signed_v<T>}, \
                        SIMT_HERE));                                                               \
  }
SIMT_WARP_REDUCE(reduce_add, unsigned)
SIMT_WARP_REDUCE(reduce_add, int)
SIMT_WARP_REDUCE(reduce_min, unsigned)
SIMT_WARP_REDUCE(reduce_min, int)
SIMT_WARP_REDUCE(reduce_max, unsigned)
SIMT_WARP_REDUCE(reduce_max, int)
SIMT_WARP_REDUCE(reduce_and, unsigned)
SIMT_WARP_REDUCE(reduce_or, unsigned)
SIMT_WARP_REDUCE(reduce_xor, unsigned)
#undef SIMT_WARP_REDUCE

// Time counts the lane's own steps: memory accesses and calls of the machine.
inline long long clock64() { return simt::lane_clock(); }
inline void __nanosleep(unsigned) { simt::pause(); }
SIMT_CALL inline void __trap() { simt::trap(SIMT_HERE); }
