// SPDX-License-Identifier: Apache-2.0
//
// Element types as run-time values, for files, command lines and other languages.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "tally/types.hpp"

namespace tally {

// The order is part of the format of saved states: append only.
// clang-format off
enum class dtype : std::uint8_t {
  boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
  float16, bfloat16, float32, float64
};
// clang-format on

template <class... Ts>
struct type_list {};

// In the order of `dtype`.
using element_types =
    type_list<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
              std::uint16_t, std::uint32_t, std::uint64_t, float16, bfloat16, float, double>;

inline constexpr std::array<std::string_view, 13> dtype_names = {
    "bool",   "int8",   "int16",   "int32",    "int64",   "uint8",  "uint16",
    "uint32", "uint64", "float16", "bfloat16", "float32", "float64"};

constexpr std::string_view name(dtype t) { return dtype_names[std::size_t(t)]; }

constexpr std::optional<dtype> dtype_named(std::string_view text) {
  for (std::size_t i = 0; i < dtype_names.size(); ++i)
    if (dtype_names[i] == text) return dtype(i);
  return std::nullopt;
}

namespace detail {
template <class T, class... Ts>
constexpr dtype position(type_list<Ts...>) {
  int at = 0;
  (void)((std::is_same_v<T, Ts> ? false : (++at, true)) && ...);
  return dtype(at);
}
template <class F, class... Ts>
decltype(auto) visit(dtype t, F&& f, type_list<Ts...>) {
  using result = decltype(f(std::type_identity<bool>{}));
  using call = result (*)(F&);
  static constexpr call table[] = {[](F& g) -> result { return g(std::type_identity<Ts>{}); }...};
  return table[std::size_t(t)](f);
}
}  // namespace detail

template <element T>
inline constexpr dtype dtype_of = detail::position<T>(element_types{});

// Calls f(std::type_identity<T>{}) with the type that `t` names; every T gives the same result
// type.
template <class F>
decltype(auto) visit(dtype t, F&& f) {
  return detail::visit(t, f, element_types{});
}

constexpr bool is_floating(dtype t) { return t >= dtype::float16; }

constexpr std::size_t size_of(dtype t) {
  constexpr std::array<std::uint8_t, 13> sizes = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return sizes[std::size_t(t)];
}

}  // namespace tally
