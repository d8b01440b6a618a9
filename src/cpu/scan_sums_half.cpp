// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

#define X(T)                                   \
  TALLY_SCAN_BOTH(exact_running_sum<T, T>)     \
  TALLY_SCAN_BOTH(exact_running_sum<T, float>) \
  TALLY_SCAN_BOTH(exact_running_sum<T, double>)
X(float16) X(bfloat16)
#undef X

}  // namespace tally::detail
