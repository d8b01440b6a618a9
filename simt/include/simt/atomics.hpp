// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>

#include "simt/device.hpp"

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

enum class atomic_kind { load, store, exchange, update };

// Relaxed ones may find what the last write has overwritten, unless its lane knows of that write.
void atomic_load(void const* address, void* to, unsigned size, int order, int scope, void* pc);

// Makes a new value of the old one at `at`.
using write_step = void (*)(void* at, void const* operand);

// An atomic write of the running lane: propose() checks it; take() makes it and gives the old
// value; settle() ends it: one that was not made before, as nobody uses its result, may happen
// later.
void propose(void* address, unsigned size, atomic_kind, write_step, void const* operand, int order,
             int scope, void* pc);
void take(void* old);
void settle();

// Gives what it found. Finding anything else than `expected`, it is a load.
void compare_exchange(void* address, void const* expected, void const* x, void* found,
                      unsigned size, int order, int failure_order, int scope, void* pc);

void fence(int order, int scope);

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);
template <class T>
inline constexpr bool is_16_bytes =
    sizeof(T) == 16 && alignof(T) >= 16 && std::is_trivially_copyable_v<T>;

template <class T>
SIMT_CALL T load(T const* address, int order, int scope, void* pc) {
  T x;
  atomic_load(address, &x, sizeof(T), order, scope, pc);
  return x;
}

// What updates make of the old value and the operand.
namespace steps {
#define SIMT_STEP(name, next)                                                 \
  struct name {                                                               \
    template <class T>                                                        \
    [[gnu::always_inline, gnu::no_sanitize_thread]] static T of(T old, T x) { \
      return T(next);                                                         \
    }                                                                         \
  };
SIMT_STEP(add, old + x)
SIMT_STEP(sub, old - x)
SIMT_STEP(min, x < old ? x : old)
SIMT_STEP(max, x > old ? x : old)
SIMT_STEP(and_, old& x)
SIMT_STEP(or_, old | x)
SIMT_STEP(xor_, old ^ x)
SIMT_STEP(inc, old >= x ? 0 : old + 1)
SIMT_STEP(dec, old == 0 || old > x ? x : old - 1)
#undef SIMT_STEP
struct exchange {
  template <class T>
  [[gnu::always_inline, gnu::no_sanitize_thread]] static T of(T const&, T const& x) {
    return x;
  }
};
}  // namespace steps

template <class Step, class T>
SIMT_CALL void make_step(void* at, void const* operand) {
  T& value = *static_cast<T*>(at);
  value = Step::template of<T>(value, *static_cast<T const*>(operand));
}

template <class T>
SIMT_CALL void store(T* address, T const& x, int order, int scope, void* pc) {
  propose(address, sizeof(T), atomic_kind::store, make_step<steps::exchange, T>, &x, order, scope,
          pc);
  settle();
}
template <class Step, class T>
SIMT_CALL void propose_update(T* address, T x, int order, int scope) {
  constexpr bool replaces = std::is_same_v<Step, steps::exchange>;
  propose(address, sizeof(T), replaces ? atomic_kind::exchange : atomic_kind::update,
          make_step<Step, T>, &x, order, scope, SIMT_HERE);
}
// Called pure, so that the compiler leaves the call away where nobody uses the result.
template <class T>
[[gnu::pure]] SIMT_CALL T taken() {
  union {
    T old;
    unsigned char bytes[sizeof(T)];
  } result;
  take(result.bytes);
  return result.old;
}
// In the caller's own code, for that.
template <class Step, class T>
SIMT_INLINE T update(T* address, std::type_identity_t<T> x, int order, int scope) {
  propose_update<Step, T>(address, x, order, scope);
  T const old = taken<T>();
  settle();
  return old;
}
// Returns what it found.
template <class T>
SIMT_CALL T compare_exchange(T* address, T const& expected, T const& x, void* pc,
                             int order = __NV_ATOMIC_RELAXED,
                             int failure_order = __NV_ATOMIC_RELAXED,
                             int scope = __NV_THREAD_SCOPE_DEVICE) {
  T found = expected;
  compare_exchange(address, &expected, &x, &found, sizeof(T), order, failure_order, scope, pc);
  return found;
}

}  // namespace simt

// Relaxed, on the types that CUDA has them for. The suffixes are scopes.
#define SIMT_ATOMIC_SCOPE(name, suffix, scope, step, ...)                           \
  template <class T>                                                                \
    requires(__VA_ARGS__)                                                           \
  SIMT_INLINE T name##suffix(T* address, std::type_identity_t<T> x) {               \
    return simt::update<simt::steps::step>(address, x, __NV_ATOMIC_RELAXED, scope); \
  }
#define SIMT_ATOMIC_WHERE(name, step, ...)                                    \
  SIMT_ATOMIC_SCOPE(name, , __NV_THREAD_SCOPE_DEVICE, step, __VA_ARGS__)      \
  SIMT_ATOMIC_SCOPE(name, _block, __NV_THREAD_SCOPE_BLOCK, step, __VA_ARGS__) \
  SIMT_ATOMIC_SCOPE(name, _system, __NV_THREAD_SCOPE_SYSTEM, step, __VA_ARGS__)
#define SIMT_ATOMIC(name, step, ...) SIMT_ATOMIC_WHERE(name, step, simt::is_one_of<T, __VA_ARGS__>)
SIMT_ATOMIC(atomicAdd, add, int, unsigned, unsigned long long, float, double)
SIMT_ATOMIC(atomicSub, sub, int, unsigned)
SIMT_ATOMIC_WHERE(atomicExch, exchange,
                  simt::is_one_of<T, int, unsigned, unsigned long long, float> ||
                      simt::is_16_bytes<T>)
SIMT_ATOMIC(atomicMin, min, int, unsigned, unsigned long long, long long)
SIMT_ATOMIC(atomicMax, max, int, unsigned, unsigned long long, long long)
SIMT_ATOMIC(atomicAnd, and_, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicOr, or_, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicXor, xor_, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicInc, inc, unsigned)
SIMT_ATOMIC(atomicDec, dec, unsigned)
#undef SIMT_ATOMIC
#undef SIMT_ATOMIC_WHERE
#undef SIMT_ATOMIC_SCOPE

#define SIMT_CAS(suffix, scope)                                                         \
  template <class T>                                                                    \
    requires(simt::is_one_of<T, int, unsigned, unsigned long long, unsigned short> ||   \
             simt::is_16_bytes<T>)                                                      \
  SIMT_CALL T atomicCAS##suffix(T* address, std::type_identity_t<T> expected,           \
                                std::type_identity_t<T> x) {                            \
    return simt::compare_exchange(address, expected, x, SIMT_HERE, __NV_ATOMIC_RELAXED, \
                                  __NV_ATOMIC_RELAXED, scope);                          \
  }
SIMT_CAS(, __NV_THREAD_SCOPE_DEVICE)
SIMT_CAS(_block, __NV_THREAD_SCOPE_BLOCK)
SIMT_CAS(_system, __NV_THREAD_SCOPE_SYSTEM)
#undef SIMT_CAS

// CUDA's built-in atomic functions with an order and a scope. Those without _n take any type of 1,
// 2, 4, 8 or 16 bytes, through pointers.
template <class T>
SIMT_CALL T __nv_atomic_load_n(T* address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return simt::load(address, order, scope, SIMT_HERE);
}
template <class T>
SIMT_CALL void __nv_atomic_load(T* address, std::remove_cv_t<T>* result, int order,
                                int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = simt::load(address, order, scope, SIMT_HERE);
}
template <class T>
SIMT_CALL void __nv_atomic_store_n(T* address, std::type_identity_t<T> x, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::store(address, x, order, scope, SIMT_HERE);
}
template <class T>
SIMT_CALL void __nv_atomic_store(T* address, T* x, int order,
                                 int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::store(address, *x, order, scope, SIMT_HERE);
}
template <class T>
SIMT_INLINE T __nv_atomic_exchange_n(T* address, std::type_identity_t<T> x, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return simt::update<simt::steps::exchange>(address, x, order, scope);
}
template <class T>
SIMT_INLINE void __nv_atomic_exchange(T* address, T* x, T* result, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = simt::update<simt::steps::exchange>(address, *x, order, scope);
}
template <class T>
SIMT_CALL bool __nv_atomic_compare_exchange(T* address, T* expected, T* x, bool /*weak*/, int order,
                                            int failure_order,
                                            int scope = __NV_THREAD_SCOPE_SYSTEM) {
  T const wanted = *expected;
  *expected = simt::compare_exchange(address, wanted, *x, SIMT_HERE, order, failure_order, scope);
  return std::memcmp(expected, &wanted, sizeof(T)) == 0;
}
template <class T>
SIMT_CALL bool __nv_atomic_compare_exchange_n(T* address, T* expected, std::type_identity_t<T> x,
                                              bool /*weak*/, int order, int failure_order,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM) {
  T const wanted = *expected;
  *expected = simt::compare_exchange(address, wanted, x, SIMT_HERE, order, failure_order, scope);
  return *expected == wanted;
}
#define SIMT_FETCH(name, step)                                                             \
  template <class T>                                                                       \
  SIMT_INLINE T __nv_atomic_fetch_##name(T* address, std::type_identity_t<T> x, int order, \
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {           \
    return simt::update<simt::steps::step>(address, x, order, scope);                      \
  }
SIMT_FETCH(add, add)
SIMT_FETCH(sub, sub)
SIMT_FETCH(min, min)
SIMT_FETCH(max, max)
SIMT_FETCH(and, and_)
SIMT_FETCH(or, or_)
SIMT_FETCH(xor, xor_)
#undef SIMT_FETCH

inline void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::fence(order, scope);
}
inline void __threadfence_block() { simt::fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK); }
inline void __threadfence() { simt::fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE); }
inline void __threadfence_system() { simt::fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM); }
