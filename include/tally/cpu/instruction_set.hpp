// SPDX-License-Identifier: Apache-2.0
//
// One source, compiled for several instruction sets, the best one chosen at run time.
#pragma once

#include <type_traits>

#include "tally/types.hpp"

namespace tally::detail {

enum class instruction_set : unsigned char { baseline, avx2, avx512 };

// The best that this processor has, unless the environment variable TALLY_ISA (baseline, avx2 or
// avx512) asks for less. Read once.
instruction_set best_instruction_set();

// Everything that `body` inlines is compiled for the named set; templates and operators included.
// body(width) is told the width of a vector in bytes, as a constant.
template <int Bytes>
using vector_width = std::integral_constant<int, Bytes>;

#if defined(__x86_64__)
#ifdef TALLY_NO_CONTRACTION
#define TALLY_FMA ",fma"
#else
// There are no fused operations then: the compiler might make some of a user's products and sums,
// and the bits would depend on the processor.
#define TALLY_FMA ""
#endif
template <class F, class... Args>
__attribute__((noinline, target("avx2,bmi,bmi2,lzcnt,popcnt,f16c" TALLY_FMA))) void run_avx2(
    F body, Args&... args) {
  body(vector_width<32>{}, args...);
}
#if defined(TALLY_NO_CONTRACTION) && !defined(TALLY_SANITIZED) && !defined(TALLY_WITHOUT_avx512)
#define TALLY_HAS_AVX512
#ifdef __clang__
#define TALLY_WIDE ""
#else
#define TALLY_WIDE ",prefer-vector-width=512"
#endif
template <class F, class... Args>
__attribute__((noinline, target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi,bmi2,lzcnt,popcnt,"
                                "f16c,fma" TALLY_WIDE))) void
run_avx512(F body, Args&... args) {
  body(vector_width<64>{}, args...);
}
#undef TALLY_WIDE
#endif
#undef TALLY_FMA
#endif
template <class F, class... Args>
__attribute__((noinline)) void run_baseline(F body, Args&... args) {
  body(vector_width<16>{}, args...);
}

// Runs body(width, args...), an always-inlined callable that captures nothing, compiled for the
// instruction set whose vectors have so many bytes, which the processor must have.
template <int Bytes, class F, class... Args>
void run_with_vectors_of(F body, Args&... args) {
  static_assert(std::is_empty_v<F>);  // so that this is a jump
  if constexpr (Bytes == 16) run_baseline(body, args...);
#ifdef __x86_64__
  if constexpr (Bytes == 32) run_avx2(body, args...);
#endif
#ifdef TALLY_HAS_AVX512
  if constexpr (Bytes == 64) run_avx512(body, args...);
#endif
}

// Runs body(width), which has no vectors of its own and calls what the library holds compiled for
// vectors of that width.
template <class F>
void run_compiled(F&& body) {
#if defined(TALLY_ONLY_avx512)
  body(vector_width<64>{});
#elif defined(TALLY_ONLY_avx2)
  body(vector_width<32>{});
#elif defined(__x86_64__) && !defined(TALLY_ONLY_baseline)
  auto const set = best_instruction_set();
#if !defined(TALLY_SANITIZED) && !defined(TALLY_WITHOUT_avx512)
  if (set == instruction_set::avx512) return body(vector_width<64>{});
#endif
#ifndef TALLY_WITHOUT_avx2
  if (set >= instruction_set::avx2) return body(vector_width<32>{});
#endif
  body(vector_width<16>{});
#else
  body(vector_width<16>{});
#endif
}

// Runs body(width), an always-inlined callable, compiled for the best instruction set. AVX-512
// brings fused operations, so it is for sources that are compiled with -ffp-contract=off and say so
// with TALLY_NO_CONTRACTION, as the library's are; TALLY_SANITIZED leaves it out, as compiling it
// under sanitizers takes too long. TALLY_WITHOUT_... leaves out a set, and TALLY_ONLY_... all but
// one, whatever the processor.
template <class F>
void run_vectorised(F&& body) {
  run_compiled([&]([[maybe_unused]] auto width) {
#ifdef TALLY_HAS_AVX512
    if constexpr (width == 64) return run_avx512<F&>(body);
#endif
#ifdef __x86_64__
    if constexpr (width >= 32) return run_avx2<F&>(body);
#endif
    if constexpr (width == 16) run_baseline<F&>(body);
  });
}
#undef TALLY_HAS_AVX512

}  // namespace tally::detail
