// SPDX-License-Identifier: Apache-2.0
//
// Arrays as spans.
#pragma once

#include <iterator>
#include <span>
#include <type_traits>

#include "tally/aligned.hpp"

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

}  // namespace tally::detail
