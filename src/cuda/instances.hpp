// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/gpu/compiled.hpp"

// A kernel of the table, in the source of its family.
#define TALLY_REDUCE_ON_GPU(...)                                                       \
  template void compiled_reduce_on_gpu<__VA_ARGS__>(                                   \
      gpu_call&, __VA_ARGS__ const&, nan_policy, typename __VA_ARGS__::element const*, \
      std::uint64_t, typename __VA_ARGS__::result*, bool*);
