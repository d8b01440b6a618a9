// SPDX-License-Identifier: Apache-2.0
//
// Arrays as spans.
#pragma once

#include <ranges>
#include <span>
#include <type_traits>

#include "tally/aligned.hpp"

namespace tally::detail {

template <class R>
using value_of = std::remove_cv_t<std::ranges::range_value_t<R>>;

template <class R>
auto span_of(R&& r) {
  return std::span(std::ranges::data(r), std::ranges::size(r));
}

}  // namespace tally::detail
