// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tally/aggregate/zipped.hpp"
#include "tally/input.hpp"

namespace tally {

// Two inputs of the same size side by side.
template <input A, input B>
struct zip_input {
  using element = zipped<typename A::element, typename B::element>;
  A first;
  B second;

  TALLY_FN element operator[](std::uint64_t i) const { return {first[i], second[i]}; }
  TALLY_FN std::uint64_t size() const { return first.size(); }
};

// zip(a, b): the pairs of a[i] and b[i], of arrays or inputs, which must outlive it.
//
//   tally::reduce(here, tally::zip(a, b), tally::dot{})
template <detail::readable A, detail::readable B>
auto zip(A const& a, B const& b) {
  auto const first = detail::input_of("zip", "a", a);
  auto const second = detail::input_of("zip", "b", b);
  if (first.size() != second.size())
    throw error("zip: a has " + std::to_string(first.size()) + " elements, b has " +
                std::to_string(second.size()));
  return zip_input<detail::input_type<A>, detail::input_type<B>>{first, second};
}

}  // namespace tally
