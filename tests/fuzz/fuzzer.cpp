// SPDX-License-Identifier: Apache-2.0
//
// A fuzzer of TARGET, one of targets.hpp's functions.
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  tally::fuzz::TARGET({reinterpret_cast<std::byte const*>(data), size});
  return 0;
}
