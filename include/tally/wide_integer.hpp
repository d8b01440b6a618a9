// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tally {

// An integer of 256 bits in two's complement: room for the exact sum of any 2^63 integers, of their
// squares, or of products of pairs.
struct wide_integer {
  std::uint64_t limb[4] = {};  // least significant first

  bool is_negative() const { return limb[3] >> 63; }
  // How many bits it takes, the sign's among them.
  int bits() const;
  // In decimal digits.
  std::string text() const;
  bool operator==(wide_integer const&) const = default;
};

}  // namespace tally
