// SPDX-License-Identifier: Apache-2.0
#include "kept.hpp"

#include <string>

#include "tally/error.hpp"

namespace tally::cli {

void kept::append(std::span<std::byte const> bytes) {
  try {
    array_.append(bytes);
  } catch (error const& e) {
    throw error(std::string(e.what()) + "; --memory keeps more in memory");
  }
}

}  // namespace tally::cli
