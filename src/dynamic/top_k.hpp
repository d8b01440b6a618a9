// SPDX-License-Identifier: Apache-2.0
//
// Between selections with types and those without.
#pragma once

#include <memory>
#include <utility>

#include "tally/dynamic.hpp"

namespace tally::detail {

template <class T>
any_top_k_result kept(top_k_result<T>&& found) {
  auto const all = std::make_shared<top_k_result<T> const>(std::move(found));
  return {any_array(dtype_of<T>, all->values.data(), all->values.size()), all->indices, all};
}

}  // namespace tally::detail
