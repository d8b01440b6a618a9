// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tally/error.hpp"

namespace support {

// What the tally::error says that call() throws.
template <class F>
std::string failure_of(F&& call) {
  try {
    call();
  } catch (tally::error const& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace support
