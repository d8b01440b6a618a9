// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/device.hpp"
#include "simt/vector_types.hpp"

// Loads and stores with a hint for the caches, on the types that CUDA has them for. They are for
// global memory only, and what __ldg reads nobody may have written in the same launch.
namespace simt {

enum class cached { load, read_only_load, store };

// Checks an access of the running lane; it happens right after.
void before_cached(void const* address, unsigned size, cached, void* pc);

template <class T>
inline constexpr bool is_cached = false;
#define SIMT_CACHED(...) \
  template <>            \
  inline constexpr bool is_cached<__VA_ARGS__> = true;
#define SIMT_CACHED_VECTORS(name) SIMT_CACHED(name##2) SIMT_CACHED(name##4)
SIMT_CACHED(char)
SIMT_CACHED(signed char)
SIMT_CACHED(unsigned char)
SIMT_CACHED(short)
SIMT_CACHED(unsigned short)
SIMT_CACHED(int)
SIMT_CACHED(unsigned)
SIMT_CACHED(long)
SIMT_CACHED(unsigned long)
SIMT_CACHED(long long)
SIMT_CACHED(unsigned long long)
SIMT_CACHED(float)
SIMT_CACHED(double)
SIMT_CACHED_VECTORS(char) SIMT_CACHED_VECTORS(uchar) SIMT_CACHED_VECTORS(short)
    SIMT_CACHED_VECTORS(ushort) SIMT_CACHED_VECTORS(int) SIMT_CACHED_VECTORS(uint)
        SIMT_CACHED_VECTORS(float) SIMT_CACHED(longlong2) SIMT_CACHED(ulonglong2)
            SIMT_CACHED(double2)
#undef SIMT_CACHED_VECTORS
#undef SIMT_CACHED

}  // namespace simt

#define SIMT_LOAD(name, kind)                                               \
  template <class T>                                                        \
    requires simt::is_cached<T>                                             \
  SIMT_CALL T name(T const* address) {                                      \
    simt::before_cached(address, sizeof(T), simt::cached::kind, SIMT_HERE); \
    return *address;                                                        \
  }
#define SIMT_STORE(name)                                                     \
  template <class T>                                                         \
    requires simt::is_cached<T>                                              \
  SIMT_CALL void name(T* address, std::type_identity_t<T> x) {               \
    simt::before_cached(address, sizeof(T), simt::cached::store, SIMT_HERE); \
    *address = x;                                                            \
  }
SIMT_LOAD(__ldg, read_only_load)
SIMT_LOAD(__ldca, load)
SIMT_LOAD(__ldcg, load)
SIMT_LOAD(__ldcs, load)
SIMT_LOAD(__ldlu, load)
SIMT_LOAD(__ldcv, load)
SIMT_STORE(__stwb)
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwt)
#undef SIMT_LOAD
#undef SIMT_STORE
