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

enum class atomic_kind { load, store, update };

// Relaxed ones may find what the last write has overwritten, unless its lane knows of that write.
void atomic_load(void const* address, void* to, unsigned size, int order, int scope, void* pc);

// Checks an atomic access of the running lane; it happens right after.
void before_atomic(void const* address, unsigned size, atomic_kind, int order, int scope, void* pc);
// Likewise; one that finds anything else than `expected` is a load, and returns false.
bool before_compare(void const* address, void const* expected, unsigned size, int order,
                    int failure_order, int scope, void* pc);
// To be called after a write: lanes may be waiting for a change.
void after_atomic(bool changed);

void fence(int order, int scope);

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);
template <class T>
inline constexpr bool is_16_bytes =
    sizeof(T) == 16 && alignof(T) >= 16 && std::is_trivially_copyable_v<T>;

template <class T>
SIMT_CALL void write(T* address, T const& x) {
  bool const changed = std::memcmp(address, &x, sizeof(T)) != 0;
  *address = x;
  after_atomic(changed);
}

template <class T>
SIMT_CALL T load(T const* address, int order, int scope, void* pc) {
  T x;
  atomic_load(address, &x, sizeof(T), order, scope, pc);
  return x;
}
template <class T>
SIMT_CALL void store(T* address, T const& x, int order, int scope, void* pc) {
  before_atomic(address, sizeof(T), atomic_kind::store, order, scope, pc);
  write(address, x);
}
template <class T, class F>
SIMT_CALL T update(T* address, F next, void* pc, int order = __NV_ATOMIC_RELAXED,
                   int scope = __NV_THREAD_SCOPE_DEVICE) {
  before_atomic(address, sizeof(T), atomic_kind::update, order, scope, pc);
  T const old = *address;
  write(address, T(next(old)));
  return old;
}
// Returns what it found.
template <class T>
SIMT_CALL T compare_exchange(T* address, T const& expected, T const& x, void* pc,
                             int order = __NV_ATOMIC_RELAXED,
                             int failure_order = __NV_ATOMIC_RELAXED,
                             int scope = __NV_THREAD_SCOPE_DEVICE) {
  bool const equal = before_compare(address, &expected, sizeof(T), order, failure_order, scope, pc);
  T const old = *address;
  if (equal) write(address, x);
  return old;
}

}  // namespace simt

// Relaxed, on the types that CUDA has them for. The suffixes are scopes.
#define SIMT_ATOMIC_SCOPE(name, suffix, scope, next, ...)                                         \
  template <class T>                                                                              \
    requires(__VA_ARGS__)                                                                         \
  SIMT_CALL T name##suffix(T* address, std::type_identity_t<T> x) {                               \
    return simt::update(                                                                          \
        address, [x]([[maybe_unused]] T old) { return T(next); }, SIMT_HERE, __NV_ATOMIC_RELAXED, \
        scope);                                                                                   \
  }
#define SIMT_ATOMIC_WHERE(name, next, ...)                                    \
  SIMT_ATOMIC_SCOPE(name, , __NV_THREAD_SCOPE_DEVICE, next, __VA_ARGS__)      \
  SIMT_ATOMIC_SCOPE(name, _block, __NV_THREAD_SCOPE_BLOCK, next, __VA_ARGS__) \
  SIMT_ATOMIC_SCOPE(name, _system, __NV_THREAD_SCOPE_SYSTEM, next, __VA_ARGS__)
#define SIMT_ATOMIC(name, next, ...) SIMT_ATOMIC_WHERE(name, next, simt::is_one_of<T, __VA_ARGS__>)
SIMT_ATOMIC(atomicAdd, old + x, int, unsigned, unsigned long long, float, double)
SIMT_ATOMIC(atomicSub, old - x, int, unsigned)
SIMT_ATOMIC_WHERE(atomicExch, x,
                  simt::is_one_of<T, int, unsigned, unsigned long long, float> ||
                      simt::is_16_bytes<T>)
SIMT_ATOMIC(atomicMin, x < old ? x : old, int, unsigned, unsigned long long, long long)
SIMT_ATOMIC(atomicMax, x > old ? x : old, int, unsigned, unsigned long long, long long)
SIMT_ATOMIC(atomicAnd, old& x, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicOr, old | x, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicXor, old ^ x, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicInc, old >= x ? 0 : old + 1, unsigned)
SIMT_ATOMIC(atomicDec, old == 0 || old > x ? x : old - 1, unsigned)
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
SIMT_CALL T __nv_atomic_exchange_n(T* address, std::type_identity_t<T> x, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return simt::update(address, [x](T) { return x; }, SIMT_HERE, order, scope);
}
template <class T>
SIMT_CALL void __nv_atomic_exchange(T* address, T* x, T* result, int order,
                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = simt::update(address, [x](T) { return *x; }, SIMT_HERE, order, scope);
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

inline void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::fence(order, scope);
}
inline void __threadfence_block() { simt::fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK); }
inline void __threadfence() { simt::fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE); }
inline void __threadfence_system() { simt::fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM); }
