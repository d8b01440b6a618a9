// SPDX-License-Identifier: Apache-2.0
#include "tally/span.hpp"

#include <cstdio>

namespace tally::detail {

void fail_unaligned(char const* call, char const* argument, void const* data, std::size_t bytes) {
  char address[24];
  std::snprintf(address, sizeof address, "%p", const_cast<void*>(data));
  throw error(std::string(call) + ": " + argument + " = " + address +
              " is not aligned to its elements of " + std::to_string(bytes) + " bytes");
}

void fail_not_contiguous(char const* call, char const* argument, std::uint64_t size) {
  throw error(std::string(call) + ": " + argument + " is not contiguous: its " +
              std::to_string(size) +
              " elements do not lie one after the other in memory, in its own order; give a "
              "contiguous array, and copy to it or from it");
}

}  // namespace tally::detail
