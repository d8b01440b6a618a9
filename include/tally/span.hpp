// SPDX-License-Identifier: Apache-2.0
//
// Arrays as spans, and what every call asks of them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>

#include "tally/error.hpp"

namespace tally::detail {

// Has data() and size(); where its elements lie, on a GPU perhaps, is not looked at.
template <class R>
concept contiguous = requires(R& r) {
  std::size(r);
  requires std::is_pointer_v<decltype(std::data(r))>;
};
template <contiguous R>
using value_of = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<R&>()))>>;

template <class R>
auto span_of(R&& r) {
  return std::span(std::data(r), std::size(r));
}

// Throws unless the array is aligned to its elements. `call` and `argument` are named in the error.
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
