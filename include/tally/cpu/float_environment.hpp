// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <cfenv>
#endif

namespace tally::detail {

// While one lives, this thread rounds to nearest, keeps subnormals and traps nothing, whatever the
// caller had set; the caller's settings come back at the end. What runs in between must be a call
// that the compiler cannot inline, or it may move arithmetic out.
class float_environment {
 public:
#if defined(__SSE2__)
  float_environment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~float_environment() { _mm_setcsr(saved_); }
#else
  float_environment() { std::fegetenv(&saved_), std::fesetenv(FE_DFL_ENV); }
  ~float_environment() { std::fesetenv(&saved_); }
#endif
  float_environment(float_environment const&) = delete;
  float_environment& operator=(float_environment const&) = delete;

 private:
#if defined(__SSE2__)
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace tally::detail
