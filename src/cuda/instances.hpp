// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/gpu/compiled.hpp"

// A kernel of the table, in the source of its family.
#define TALLY_REDUCE_ON_GPU(...)                                                                  \
  template void                                                                                   \
  compiled_reduce_on_gpu<typename __VA_ARGS__::aggregate_type, typename __VA_ARGS__::input_type>( \
      gpu_context&, typename __VA_ARGS__::aggregate_type const&, nan_policy,                      \
      typename __VA_ARGS__::input_type const&, typename __VA_ARGS__::aggregate_type::result*,     \
      bool*);
