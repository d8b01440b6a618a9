// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "tally/error.hpp"

namespace tally::detail {

// What every call asks of its arrays. `call` and `argument` are named in the error.
template <class T>
void require_aligned(char const* call, char const* argument, std::span<T> x) {
  void const* const data = x.data();
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0) return;
  char address[24];
  std::snprintf(address, sizeof address, "%p", data);
  throw error(std::string(call) + ": " + argument + " = " + address +
              " is not aligned to its elements of " + std::to_string(sizeof(T)) + " bytes");
}

}  // namespace tally::detail
