// SPDX-License-Identifier: Apache-2.0
//
// A place among elements in shared memory, which moves on under a condition: kept as an address of
// 32 bits, so that a load needs no other instruction, nor a step.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace tally {

template <class T>
class shared_cursor {
 public:
  shared_cursor() = default;

#ifdef __CUDA_ARCH__
  __device__ explicit shared_cursor(T const* begin)
      : at_(unsigned(__cvta_generic_to_shared(begin))) {}

  // The element so many places ahead.
  template <unsigned Places>
  __device__ T ahead() const {
    constexpr unsigned bytes = Places * sizeof(T);
    T x;
    if constexpr (std::is_same_v<T, float>)
      asm("ld.shared.f32 %0, [%1 + %2];" : "=f"(x) : "r"(at_), "n"(bytes));
    else if constexpr (std::is_same_v<T, double>)
      asm("ld.shared.f64 %0, [%1 + %2];" : "=d"(x) : "r"(at_), "n"(bytes));
    else if constexpr (sizeof(T) == 8)
      asm("ld.shared.u64 %0, [%1 + %2];" : "=l"(x) : "r"(at_), "n"(bytes));
    else
      asm("ld.shared.u32 %0, [%1 + %2];" : "=r"(x) : "r"(at_), "n"(bytes));
    return x;
  }
  template <unsigned Places>
  __device__ void advance_if(bool is) {
    asm("{\n .reg .pred is;\n setp.ne.u32 is, %1, 0;\n @is add.u32 %0, %0, %2;\n}"
        : "+r"(at_)
        : "r"(unsigned(is)), "n"(Places * sizeof(T)));
  }
  // How far it is from where it began.
  __device__ unsigned from(T const* begin) const {
    return (at_ - unsigned(__cvta_generic_to_shared(begin))) / sizeof(T);
  }

 private:
  std::uint32_t at_;
#else
  __device__ explicit shared_cursor(T const* begin) : at_(begin) {}

  template <unsigned Places>
  __device__ T ahead() const {
    return at_[Places];
  }
  template <unsigned Places>
  __device__ void advance_if(bool is) {
    if (is) at_ += Places;
  }
  __device__ unsigned from(T const* begin) const { return unsigned(at_ - begin); }

 private:
  T const* at_;
#endif
};

}  // namespace tally
