// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/types.hpp"

#define TALLY_NARROW_INTEGERS(X) \
  X(bool)                        \
  X(std::int8_t) X(std::int16_t) X(std::int32_t) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t)
#define TALLY_INTEGERS(X) TALLY_NARROW_INTEGERS(X) X(std::int64_t) X(std::uint64_t)
#define TALLY_FLOATS(X) X(float16) X(bfloat16) X(float) X(double)
