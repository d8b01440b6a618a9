// SPDX-License-Identifier: Apache-2.0
//
// Arrays as spans, and what every call asks of them.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>

#include "tally/error.hpp"

namespace tally::detail {

template <class R>
using value_of = std::remove_cv_t<std::ranges::range_value_t<R>>;

template <class R>
auto span_of(R&& r) {
  return std::span(std::ranges::data(r), std::ranges::size(r));
}

// `call` and `argument` are named in the error.
template <class T>
void require_aligned(char const* call, char const* argument, std::span<T> x) {
  if (reinterpret_cast<std::uintptr_t>(x.data()) % alignof(T) == 0) return;
  std::ostringstream text;
  text << call << ": " << argument << " = " << static_cast<void const*>(x.data())
       << " is not aligned to its elements of " << sizeof(T) << " bytes";
  throw error(text.str());
}

}  // namespace tally::detail
