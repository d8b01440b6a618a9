// SPDX-License-Identifier: Apache-2.0
//
// Selections from an array, wherever a call runs.
#pragma once

#include <memory>

#include "table.hpp"
#include "tally/quantile.hpp"
#include "tally/top_k.hpp"

namespace tally::detail {

template <class T>
any_top_k_result kept(top_k_result<T>&& found) {
  auto const all = std::make_shared<top_k_result<T> const>(std::move(found));
  return {any_array(dtype_of<T>, all->values.data(), all->values.size()), all->indices, all};
}

template <class Where>
any_top_k_result best_of(Where&& where, any_array const& in, std::uint64_t k,
                         top_k_options const& options) {
  return visit(in.type, [&]<class T>(std::type_identity<T>) {
    return kept<T>(top_k(where, elements_of<T>(in), k, options));
  });
}

template <class Where>
any_kth_value kth_of(Where&& where, any_array const& in, std::uint64_t k,
                     kth_value_options const& options) {
  return visit(in.type, [&]<class T>(std::type_identity<T>) {
    auto const found = kth_value(where, elements_of<T>(in), k, options);
    return any_kth_value{any_number(found.value), found.index};
  });
}

// Calls f with the type of results that are asked for, T or quantile_of<T>.
template <class T, class F>
void with_result(dtype out, F const& f) {
  if (out == dtype_of<T>)
    f(std::type_identity<T>());
  else
    f(std::type_identity<quantile_of<T>>());
}

template <class Where>
std::vector<any_number> found_of(Where&& where, any_array const& in, quantile_places const& qs,
                                 quantile_options const& options) {
  std::vector<any_number> all;
  visit(in.type, [&]<class T>(std::type_identity<T>) {
    with_result<T>(quantile_type(in.type, options.method), [&]<class R>(std::type_identity<R> to) {
      for (auto const x : found_quantiles("quantile", where, elements_of<T>(in), qs, options, to))
        all.emplace_back(R(x));
    });
  });
  return all;
}

}  // namespace tally::detail
