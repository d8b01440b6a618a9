# SPDX-License-Identifier: Apache-2.0
#
# Leaves out the instruction sets between the baseline and the best one that this machine has: what
# is built takes less time, runs everywhere, and on lesser machines at the baseline's speed.
include(CheckCXXSourceRuns)

set(avx2 avx2 bmi bmi2 lzcnt popcnt f16c fma)
set(avx512 avx512f avx512bw avx512dq avx512vl avx512cd)
foreach(set avx2 avx512)
  list(TRANSFORM ${set} REPLACE "(.+)" "__builtin_cpu_supports(\"\\1\")" OUTPUT_VARIABLE supported)
  list(JOIN supported " && " supported)
  check_cxx_source_runs("int main() { __builtin_cpu_init(); return !(${supported}); }" TALLY_RUNS_${set})
endforeach()

if(TALLY_RUNS_avx2 AND TALLY_RUNS_avx512)
  add_compile_definitions(TALLY_WITHOUT_avx2)
elseif(TALLY_RUNS_avx2)
  add_compile_definitions(TALLY_WITHOUT_avx512)
else()
  add_compile_definitions(TALLY_ONLY_baseline)
endif()
