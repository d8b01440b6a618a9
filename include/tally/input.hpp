// SPDX-License-Identifier: Apache-2.0
//
// What a call reads: elements by their index, in memory (array_input) or computed while they are
// read (transform.hpp, zip.hpp). An input is small and trivially copyable and does not own its
// elements, so that a copy of it can go to a device's kernel. One that makes its i-th element of an
// array's i-th may say where that is, by address(i), for it to be fetched ahead.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "tally/span.hpp"
#include "tally/types.hpp"

namespace tally {

template <class In>
concept input = std::is_trivially_copyable_v<In> && requires(In const in, std::uint64_t i) {
  { in[i] } -> std::same_as<typename In::element>;
  { in.size() } -> std::same_as<std::uint64_t>;
};

template <class T>
struct array_input {
  using element = T;
  T const* data;
  std::uint64_t count;

  TALLY_FN T operator[](std::uint64_t i) const { return data[i]; }
  TALLY_FN std::uint64_t size() const { return count; }
  TALLY_FN T const* address(std::uint64_t i) const { return data + i; }
};

namespace detail {

template <class R>
concept readable = input<R> || contiguous<R>;
// By the cores, which do not see an array in a GPU's memory: it has no begin(), or its data() is no
// pointer.
template <class R>
concept readable_here = input<R> || (contiguous<R> && requires(R& r) {
                          std::begin(r);
                          requires std::is_pointer_v<decltype(std::data(r))>;
                        });

// An input as it is, an array as one. `call` and `argument` are named in errors.
template <readable R>
auto input_of(char const* call, char const* argument, R const& r) {
  if constexpr (input<R>) {
    return r;
  } else {
    auto const all = span_of(call, argument, r);
    require_aligned(call, argument, all);
    return array_input<value_of<R>>{all.data(), all.size()};
  }
}
template <readable R>
using input_type = decltype(input_of("", "", std::declval<R const&>()));
template <readable R>
using element_of = typename input_type<R>::element;

// An array whose elements cores do not see, as in readable_here.
template <class T>
struct array_elsewhere {
  T const* first;
  std::size_t count;

  T const* data() const { return first; }
  std::size_t size() const { return count; }
};

// An array as what is copied with a call, and still tells whether cores see its elements.
template <readable R>
auto view_of(char const* call, char const* argument, R const& r) {
  if constexpr (input<R>) {
    return r;
  } else {
    std::span<value_of<R> const> const all = span_of(call, argument, r);
    if constexpr (readable_here<R>)
      return all;
    else
      return array_elsewhere<value_of<R>>{all.data(), all.size()};
  }
}

// What a pointer points to, or an array holds.
template <class Out>
auto* first_of(Out& out) {
  if constexpr (std::is_pointer_v<Out>)
    return out;
  else
    return data_of(out);
}
template <class Out>
using type_at = std::remove_pointer_t<decltype(first_of(std::declval<Out&>()))>;

// `out` of reduce_into: a pointer to a result, or an array of one; its type may only count as the
// result's (types.hpp).
template <class Result, class Out>
std::span<Result> one_result(char const* call, Out& out) {
  auto const all = [&] {
    if constexpr (std::is_pointer_v<Out>)
      return std::span(out, 1);
    else
      return span_of(call, "out", out);
  }();
  using to = typename decltype(all)::element_type;
  static_assert(is_one_of<Result, to, counts_as<to>>,
                "reduce_into: out is not a pointer to the result's type, or an array of it");
  require_aligned(call, "out", all);
  if (all.size() != 1)
    throw error(std::string(call) + ": out has " + std::to_string(all.size()) +
                " elements, not one");
  return {reinterpret_cast<Result*>(all.data()), 1};
}

}  // namespace detail

template <class T>
inline constexpr bool is_contiguous<detail::array_elsewhere<T>> = true;

}  // namespace tally
