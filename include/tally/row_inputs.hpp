// SPDX-License-Identifier: Apache-2.0
//
// Rows that are computed from others while these are read: transform() and zip(), as of arrays
// (transform.hpp, zip.hpp).
//
//   tally::reduce(here, tally::zip(tally::rows{a, 100, 8}, tally::rows{b, 100, 8}), tally::dot{})
#pragma once

#include <string>
#include <type_traits>

#include "tally/known_elements.hpp"
#include "tally/rows.hpp"
#include "tally/transform.hpp"
#include "tally/zip.hpp"

namespace tally {

// f of the elements of each row.
template <class In, class F>
struct transformed_rows {
  using row_type = transform_input<decltype(std::declval<In const&>().row(0)), F>;
  using element = typename row_type::element;
  In in;
  F f;

  TALLY_FN row_layout const& layout() const { return in.layout(); }
  TALLY_FN std::uint64_t size(std::uint64_t r) const { return in.size(r); }
  TALLY_FN row_type row(std::uint64_t r) const { return {in.row(r), f}; }
  TALLY_FN row_type across(std::uint64_t r, std::uint64_t i) const { return {in.across(r, i), f}; }
  template <class G>
  void for_memory(G const& g) const {
    in.for_memory(g);
  }
  // With elements of Tally's (known_elements.hpp).
  auto known() const {
    if constexpr (detail::is_known<element>)
      return *this;
    else
      return transformed_rows<transformed_rows, detail::as_counted>{*this, {}};
  }
};

// The rows of two side by side, each as long as the first one's.
template <class A, class B>
struct zipped_rows {
  using row_type = zip_input<decltype(std::declval<A const&>().row(0)),
                             decltype(std::declval<B const&>().row(0))>;
  using element = typename row_type::element;
  A first;
  B second;

  TALLY_FN row_layout const& layout() const { return first.layout(); }
  TALLY_FN std::uint64_t size(std::uint64_t r) const { return first.size(r); }
  TALLY_FN row_type row(std::uint64_t r) const { return {first.row(r), second.row(r)}; }
  TALLY_FN row_type across(std::uint64_t r, std::uint64_t i) const {
    return {first.across(r, i), second.across(r, i)};
  }
  template <class G>
  void for_memory(G const& g) const {
    first.for_memory(g), second.for_memory(g);
  }
  auto known() const {
    auto const a = detail::known_rows(first);
    auto const b = detail::known_rows(second);
    return zipped_rows<std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>>{a, b};
  }
};

namespace detail {

template <class In, class F>
inline constexpr bool computes_rows<transformed_rows<In, F>> = true;
template <class A, class B>
inline constexpr bool computes_rows<zipped_rows<A, B>> = true;

}  // namespace detail

// f of each element.
template <detail::readable_rows R, class F>
auto transform(R const& x, F const& f) {
  static_assert(std::is_trivially_copyable_v<F>, "transform: f must be trivially copyable");
  return transformed_rows<decltype(detail::rows_input(x)), F>{detail::rows_input(x), f};
}

// The pairs of a's and b's rows. There are as many of both, and each has as many elements as the
// other: that is looked at where lengths are not in memory.
template <detail::readable_rows A, detail::readable_rows B>
auto zip(A const& a, B const& b) {
  row_layout const &x = a.layout(), &y = b.layout();
  if (x.count != y.count || x.length != y.length)
    throw error("zip: a has " + std::to_string(x.count) + " rows of " + std::to_string(x.length) +
                " elements, b has " + std::to_string(y.count) + " of " + std::to_string(y.length));
  return zipped_rows<decltype(detail::rows_input(a)), decltype(detail::rows_input(b))>{
      detail::rows_input(a), detail::rows_input(b)};
}

}  // namespace tally
