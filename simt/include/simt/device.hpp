// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/vector_types.hpp"

// What kernels call. Everything that waits, orders memory or touches it atomically goes to the
// machine; these functions are neither inlined nor instrumented, so that the machine sees one
// access, at the caller's line.
#define SIMT_CALL [[gnu::noinline, gnu::no_sanitize_thread]]
#define SIMT_HERE __builtin_return_address(0)

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

namespace simt {

using word = unsigned long long;

enum class atomic_kind { load, store, update };

// Checks an atomic access of the running lane; it happens right after.
void before_atomic(void const* address, unsigned size, atomic_kind, int order, int scope, void* pc);
// To be called after it: it may have changed memory.
void after_atomic(void const* address, atomic_kind, bool changed);

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

void fence(int scope);
long long lane_clock();
[[noreturn]] void trap(void* pc);
void pause();

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

template <class T>
word to_word(T x) {
  word bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}
template <class T>
T from_word(word bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// As CUDA's overloads: smaller integers travel as int.
template <class T>
using shuffled = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), int, T>;

template <class T, class F>
SIMT_CALL T update(T* address, F next, void* pc, int order = __NV_ATOMIC_RELAXED,
                   int scope = __NV_THREAD_SCOPE_DEVICE) {
  before_atomic(address, sizeof(T), atomic_kind::update, order, scope, pc);
  T const old = *address;
  T const now = next(old);
  *address = now;
  after_atomic(address, atomic_kind::update, std::memcmp(&old, &now, sizeof(T)) != 0);
  return old;
}

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

// Barriers and fences.
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
inline void __threadfence_block() { simt::fence(__NV_THREAD_SCOPE_BLOCK); }
inline void __threadfence() { simt::fence(__NV_THREAD_SCOPE_DEVICE); }
inline void __threadfence_system() { simt::fence(__NV_THREAD_SCOPE_SYSTEM); }

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

// Atomics: relaxed, on the types that CUDA has them for. The suffixes are scopes.
#define SIMT_ATOMIC_SCOPE(name, suffix, scope, next, ...)                                         \
  template <class T>                                                                              \
    requires simt::is_one_of<T, __VA_ARGS__>                                                      \
  SIMT_CALL T name##suffix(T* address, std::type_identity_t<T> x) {                               \
    return simt::update(                                                                          \
        address, [x]([[maybe_unused]] T old) { return T(next); }, SIMT_HERE, __NV_ATOMIC_RELAXED, \
        scope);                                                                                   \
  }
#define SIMT_ATOMIC(name, next, ...)                                          \
  SIMT_ATOMIC_SCOPE(name, , __NV_THREAD_SCOPE_DEVICE, next, __VA_ARGS__)      \
  SIMT_ATOMIC_SCOPE(name, _block, __NV_THREAD_SCOPE_BLOCK, next, __VA_ARGS__) \
  SIMT_ATOMIC_SCOPE(name, _system, __NV_THREAD_SCOPE_SYSTEM, next, __VA_ARGS__)
SIMT_ATOMIC(atomicAdd, old + x, int, unsigned, unsigned long long, float, double)
SIMT_ATOMIC(atomicSub, old - x, int, unsigned)
SIMT_ATOMIC(atomicExch, x, int, unsigned, unsigned long long, float)
SIMT_ATOMIC(atomicMin, x < old ? x : old, int, unsigned, unsigned long long, long long)
SIMT_ATOMIC(atomicMax, x > old ? x : old, int, unsigned, unsigned long long, long long)
SIMT_ATOMIC(atomicAnd, old& x, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicOr, old | x, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicXor, old ^ x, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicInc, old >= x ? 0 : old + 1, unsigned)
SIMT_ATOMIC(atomicDec, old == 0 || old > x ? x : old - 1, unsigned)
#undef SIMT_ATOMIC
#undef SIMT_ATOMIC_SCOPE

template <class T>
  requires simt::is_one_of<T, int, unsigned, unsigned long long, unsigned short>
SIMT_CALL T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> x) {
  return simt::update(address, [=](T old) { return old == expected ? x : old; }, SIMT_HERE);
}

// CUDA's built-in atomic functions with an order and a scope.
template <class T>
SIMT_CALL T __nv_atomic_load_n(T* address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::before_atomic(address, sizeof(T), simt::atomic_kind::load, order, scope, SIMT_HERE);
  return *address;
}
template <class T>
SIMT_CALL void __nv_atomic_store_n(T* address, std::type_identity_t<T> x, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::before_atomic(address, sizeof(T), simt::atomic_kind::store, order, scope, SIMT_HERE);
  bool const changed = std::memcmp(address, &x, sizeof(T)) != 0;
  *address = x;
  simt::after_atomic(address, simt::atomic_kind::store, changed);
}
template <class T>
SIMT_CALL T __nv_atomic_exchange_n(T* address, std::type_identity_t<T> x, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return simt::update(address, [x](T) { return x; }, SIMT_HERE, order, scope);
}
template <class T>
SIMT_CALL bool __nv_atomic_compare_exchange_n(T* address, T* expected, std::type_identity_t<T> x,
                                              bool /*weak*/, int order, int /*failure_order*/,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM) {
  T const wanted = *expected;
  *expected = simt::update(
      address, [=](T old) { return old == wanted ? x : old; }, SIMT_HERE, order, scope);
  return *expected == wanted;
}
#define SIMT_FETCH(name, next)                                                             \
  template <class T>                                                                       \
  SIMT_CALL T __nv_atomic_fetch_##name(T* address, std::type_identity_t<T> x, int order,   \
                                       int scope = __NV_THREAD_SCOPE_SYSTEM) {             \
    return simt::update(address, [x](T old) { return T(next); }, SIMT_HERE, order, scope); \
  }
SIMT_FETCH(add, old + x)
SIMT_FETCH(sub, old - x)
SIMT_FETCH(min, x < old ? x : old)
SIMT_FETCH(max, x > old ? x : old)
SIMT_FETCH(and, old& x)
SIMT_FETCH(or, old | x)
SIMT_FETCH(xor, old ^ x)
#undef SIMT_FETCH
inline void __nv_atomic_thread_fence(int /*order*/, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::fence(scope);
}

// Loads and stores with a hint: ordinary ones here.
template <class T>
T __ldg(T const* p) {
  return *p;
}
template <class T>
T __ldca(T const* p) {
  return *p;
}
template <class T>
T __ldcg(T const* p) {
  return *p;
}
template <class T>
T __ldcs(T const* p) {
  return *p;
}
template <class T>
void __stcg(T* p, std::type_identity_t<T> x) {
  *p = x;
}
template <class T>
void __stcs(T* p, std::type_identity_t<T> x) {
  *p = x;
}
template <class T>
void __stwt(T* p, std::type_identity_t<T> x) {
  *p = x;
}

// Bits and arithmetic.
constexpr int __popc(unsigned x) { return std::popcount(x); }
constexpr int __popcll(unsigned long long x) { return std::popcount(x); }
constexpr int __clz(int x) { return std::countl_zero(unsigned(x)); }
constexpr int __clzll(long long x) { return std::countl_zero((unsigned long long)x); }
constexpr int __ffs(int x) { return __builtin_ffs(x); }
constexpr int __ffsll(long long x) { return __builtin_ffsll(x); }
constexpr unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1) << (31 - bit);
  return reversed;
}
constexpr unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}
constexpr unsigned __umulhi(unsigned x, unsigned y) {
  return unsigned((unsigned long long)x * y >> 32);
}
constexpr unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
constexpr unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
constexpr int __float_as_int(float x) { return std::bit_cast<int>(x); }
constexpr float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
constexpr float __int_as_float(int x) { return std::bit_cast<float>(x); }
constexpr long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
constexpr double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
constexpr float __fadd_rn(float x, float y) { return x + y; }
constexpr float __fmul_rn(float x, float y) { return x * y; }
constexpr double __dadd_rn(double x, double y) { return x + y; }
constexpr double __dmul_rn(double x, double y) { return x * y; }
using std::max;
using std::min;
template <class T, class U>
  requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U> && !std::is_same_v<T, U>)
constexpr auto min(T x, U y) {
  using both = std::common_type_t<T, U>;
  return both(x) < both(y) ? both(x) : both(y);
}
template <class T, class U>
  requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U> && !std::is_same_v<T, U>)
constexpr auto max(T x, U y) {
  using both = std::common_type_t<T, U>;
  return both(x) < both(y) ? both(y) : both(x);
}

// Time counts the lane's own steps: memory accesses and calls of the machine.
inline long long clock64() { return simt::lane_clock(); }
inline void __nanosleep(unsigned) { simt::pause(); }
SIMT_CALL inline void __trap() { simt::trap(SIMT_HERE); }
