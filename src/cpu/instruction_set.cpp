// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/instruction_set.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace tally::detail {
namespace {

instruction_set detect() {
#if defined(TALLY_ONLY_avx512)
  return instruction_set::avx512;
#elif defined(TALLY_ONLY_avx2)
  return instruction_set::avx2;
#elif defined(__x86_64__) && !defined(TALLY_ONLY_baseline)
  __builtin_cpu_init();
  // All that run_avx2 and run_avx512, if it is there, are compiled for.
  bool const avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
                    __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("f16c") &&
                    __builtin_cpu_supports("fma");
#if defined(TALLY_SANITIZED) || defined(TALLY_WITHOUT_avx512)
  bool const avx512 = false;
#else
  bool const avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
#endif
  if (avx2 && avx512) return instruction_set::avx512;
#ifndef TALLY_WITHOUT_avx2
  if (avx2) return instruction_set::avx2;
#endif
#endif
  return instruction_set::baseline;
}

instruction_set wanted() {
  char const* text = std::getenv("TALLY_ISA");
  std::string_view const name = text ? text : "";
  if (name == "baseline") return instruction_set::baseline;
  if (name == "avx2") return instruction_set::avx2;
  return instruction_set::avx512;
}

}  // namespace

instruction_set best_instruction_set() {
  static instruction_set const chosen = std::min(detect(), wanted());
  return chosen;
}

}  // namespace tally::detail
