// SPDX-License-Identifier: Apache-2.0
//
// all_together(), by cores: each aggregate is computed as it is alone, but those that know the same
// of the elements (a sum, a mean and a variance, say) only once.
#pragma once

#include "tally/aggregate/all_together.hpp"
#include "tally/cpu/reductions.hpp"
#include "tally/cpu/running_together.hpp"

namespace tally::detail {

template <class... Ops, class T>
struct reduction_of<joint<Ops...>, T> {
  using result = results<typename reduction_of<Ops, T>::result...>;
  static constexpr char const* name =
      reduction_of<std::tuple_element_t<0, std::tuple<Ops...>>, T>::name;

  static result at_once(joint<Ops...> const& op, cpu where, elements<T> const& in, std::uint64_t n,
                        nan_policy nan) {
    auto const known = start(op);
    known->add(thread_count(where), in, n, 0, nan);
    return finish(op, *known);
  }
  static owner<running<T>> start(joint<Ops...> const& op) {
    std::vector<owner<running<T>>> runs;
    std::apply([&](auto const&... each) { (runs.push_back(start_one(each)), ...); }, op.ops);
    return make_owner<running_together<T>>(std::move(runs));
  }
  static result finish(joint<Ops...> const& op, running<T> const& known) {
    auto const& all = static_cast<running_together<T> const&>(known);
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      std::tuple const found{reduction_of<Ops, T>::finish(std::get<i>(op.ops), all.at(i))...};
      return std::apply([](auto const&... each) { return make_results(each...); }, found);
    }(std::index_sequence_for<Ops...>{});
  }

 private:
  template <class Op>
  static auto start_one(Op const& op) {
    return reduction_of<Op, T>::start(op);
  }
  template <class First, class... Rest>
  static results<First, Rest...> make_results(First const& first, Rest const&... rest) {
    if constexpr (sizeof...(Rest) == 0)
      return {first};
    else
      return {first, make_results(rest...)};
  }
};

}  // namespace tally::detail
