// SPDX-License-Identifier: Apache-2.0
//
// One source, compiled for several instruction sets, the best one chosen at run time.
#pragma once

#include <utility>

#include "tally/types.hpp"

namespace tally::detail {

enum class instruction_set : unsigned char { baseline, avx2, avx512 };

// The best that this processor has, unless the environment variable TALLY_ISA (baseline, avx2 or
// avx512) asks for less. Read once.
instruction_set best_instruction_set();

#if defined(__x86_64__)
// Everything that `body` inlines is compiled for the named set; templates and operators included.
// "fma" is left out on purpose, so that no product and sum are fused behind the source's back.
template <class F>
__attribute__((noinline, target("avx2,bmi,bmi2,lzcnt,popcnt,f16c"))) void run_avx2(F& body) {
  body();
}
template <class F>
__attribute__((noinline, target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi,bmi2,lzcnt,popcnt,"
                                "f16c,prefer-vector-width=512"))) void
run_avx512(F& body) {
  body();
}
#endif
template <class F>
__attribute__((noinline)) void run_baseline(F& body) {
  body();
}

// Runs body(), an always-inlined callable, compiled for the best instruction set.
template <class F>
void run_vectorised(F&& body) {
#if defined(__x86_64__)
  switch (best_instruction_set()) {
    case instruction_set::avx512: return run_avx512(body);
    case instruction_set::avx2: return run_avx2(body);
    default: break;
  }
#endif
  run_baseline(body);
}

}  // namespace tally::detail
