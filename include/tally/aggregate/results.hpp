// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "tally/types.hpp"

namespace tally {

// What several aggregates give, in their order; plain data, also in a GPU's memory. Taken apart by
// a structured binding or by get<i>(r).
template <class First, class... Rest>
struct results {
  First first;
  results<Rest...> rest;
  friend TALLY_HD constexpr bool operator==(results const& a, results const& b) {
    return a.first == b.first && a.rest == b.rest;
  }
};
template <class Last>
struct results<Last> {
  Last first;
  friend TALLY_HD constexpr bool operator==(results const& a, results const& b) {
    return a.first == b.first;
  }
};

namespace detail {

template <std::size_t i, class Results>
TALLY_HD constexpr auto& get_result(Results& r) {
  if constexpr (i == 0)
    return r.first;
  else
    return get_result<i - 1>(r.rest);
}

}  // namespace detail

template <std::size_t i, class... Rs>
TALLY_HD constexpr auto& get(results<Rs...>& r) {
  return detail::get_result<i>(r);
}
template <std::size_t i, class... Rs>
TALLY_HD constexpr auto const& get(results<Rs...> const& r) {
  return detail::get_result<i>(r);
}
template <std::size_t i, class... Rs>
TALLY_HD constexpr auto&& get(results<Rs...>&& r) {  // for auto [a, b] = reduce(...)
  return static_cast<std::tuple_element_t<i, std::tuple<Rs...>>&&>(detail::get_result<i>(r));
}

}  // namespace tally

template <class... Rs>
struct std::tuple_size<tally::results<Rs...>> : std::integral_constant<std::size_t, sizeof...(Rs)> {
};
template <std::size_t i, class... Rs>
struct std::tuple_element<i, tally::results<Rs...>> : std::tuple_element<i, std::tuple<Rs...>> {};
