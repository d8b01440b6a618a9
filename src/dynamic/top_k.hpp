// SPDX-License-Identifier: Apache-2.0
//
// Between selections with types and those without.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tally/dynamic.hpp"

namespace tally::detail {

template <class T>
std::span<T const> elements_of(any_array const& in) {
  return {static_cast<T const*>(in.data), std::size_t(in.size)};
}

template <class T>
any_top_k_result kept(top_k_result<T>&& found) {
  auto const all = std::make_shared<top_k_result<T> const>(std::move(found));
  return {any_array(dtype_of<T>, all->values.data(), all->values.size()), all->indices, all};
}

inline void require_type(char const* argument, dtype given, dtype wanted) {
  if (given != wanted)
    throw error(std::string("top_k: ") + argument + " holds " + std::string(name(given)) +
                ", not " + std::string(name(wanted)));
}

}  // namespace tally::detail
