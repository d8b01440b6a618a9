// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "memory.hpp"

// The functions that g++ -fsanitize=thread calls before each access to memory, and instead of
// each std::atomic operation (in host code of the same sources; kernels have CUDA's).
#define HERE __builtin_return_address(0)

using simt::access_kind;
using simt::see;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define ACCESS(name, bytes, kind) \
  void __tsan_##name(void* address) { see(address, bytes, kind, HERE); }
#define ACCESSES(bytes)                                                     \
  ACCESS(read##bytes, bytes, access_kind::read)                             \
  ACCESS(write##bytes, bytes, access_kind::write)                           \
  ACCESS(unaligned_read##bytes, bytes, access_kind::range_read)             \
  ACCESS(unaligned_write##bytes, bytes, access_kind::range_write)           \
  ACCESS(volatile_read##bytes, bytes, access_kind::volatile_read)           \
  ACCESS(volatile_write##bytes, bytes, access_kind::volatile_write)         \
  ACCESS(unaligned_volatile_read##bytes, bytes, access_kind::volatile_read) \
  ACCESS(unaligned_volatile_write##bytes, bytes, access_kind::volatile_write)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void* address, std::size_t bytes) {
  see(address, bytes, access_kind::range_read, HERE);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  see(address, bytes, access_kind::range_write, HERE);
}
// Kernels' sources are compiled with -fno-builtin for these, and linked with --wrap.
void* __real_memcpy(void*, void const*, std::size_t);
void* __real_memmove(void*, void const*, std::size_t);
void* __real_memset(void*, int, std::size_t);
void* __wrap_memcpy(void* to, void const* from, std::size_t bytes) {
  see(const_cast<void*>(from), bytes, access_kind::range_read, HERE);
  see(to, bytes, access_kind::range_write, HERE);
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, void const* from, std::size_t bytes) {
  see(const_cast<void*>(from), bytes, access_kind::range_read, HERE);
  see(to, bytes, access_kind::range_write, HERE);
  return __real_memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int byte, std::size_t bytes) {
  see(to, bytes, access_kind::range_write, HERE);
  return __real_memset(to, byte, bytes);
}

void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void** address) { see(address, 8, access_kind::read, HERE); }

#define ATOMIC_UPDATE(bits, name, builtin)                                                \
  std::uint##bits##_t __tsan_atomic##bits##_##name(std::uint##bits##_t volatile* address, \
                                                   std::uint##bits##_t x, int) {          \
    return builtin(address, x, __ATOMIC_SEQ_CST);                                         \
  }
#define ATOMICS(bits)                                                                            \
  std::uint##bits##_t __tsan_atomic##bits##_load(std::uint##bits##_t const volatile* address,    \
                                                 int) {                                          \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                           \
  }                                                                                              \
  void __tsan_atomic##bits##_store(std::uint##bits##_t volatile* address, std::uint##bits##_t x, \
                                   int) {                                                        \
    __atomic_store_n(address, x, __ATOMIC_SEQ_CST);                                              \
  }                                                                                              \
  bool __tsan_atomic##bits##_compare_exchange_strong(std::uint##bits##_t volatile* address,      \
                                                     std::uint##bits##_t* expected,              \
                                                     std::uint##bits##_t x, int, int) {          \
    return __atomic_compare_exchange_n(address, expected, x, false, __ATOMIC_SEQ_CST,            \
                                       __ATOMIC_SEQ_CST);                                        \
  }                                                                                              \
  bool __tsan_atomic##bits##_compare_exchange_weak(std::uint##bits##_t volatile* address,        \
                                                   std::uint##bits##_t* expected,                \
                                                   std::uint##bits##_t x, int, int) {            \
    return __atomic_compare_exchange_n(address, expected, x, false, __ATOMIC_SEQ_CST,            \
                                       __ATOMIC_SEQ_CST);                                        \
  }                                                                                              \
  ATOMIC_UPDATE(bits, exchange, __atomic_exchange_n)                                             \
  ATOMIC_UPDATE(bits, fetch_add, __atomic_fetch_add)                                             \
  ATOMIC_UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                             \
  ATOMIC_UPDATE(bits, fetch_and, __atomic_fetch_and)                                             \
  ATOMIC_UPDATE(bits, fetch_or, __atomic_fetch_or)                                               \
  ATOMIC_UPDATE(bits, fetch_xor, __atomic_fetch_xor)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
