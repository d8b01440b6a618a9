// SPDX-License-Identifier: Apache-2.0
#include "one_type.hpp"
#include "selected.hpp"
#include "tally/distributed.hpp"
#include "tally/dynamic_distributed.hpp"

namespace tally {
using namespace detail;

any_selector selector_of_all(communicator& ranks, any_selector& mine) {
  auto const type = mine.elements();
  require_one_type(ranks, "top_k", type);
  auto const told = all_gather_result(ranks, [&] { return mine.serialise(); });
  auto all = any_selector::deserialise(type, told[0]);
  for (std::size_t r = 1; r < told.size(); ++r)
    all.append(any_selector::deserialise(type, told[r]));
  return all;
}

any_top_k_result top_k(communicator& ranks, any_where where, any_array const& slice,
                       std::uint64_t k, top_k_options options) {
  require_one_type(ranks, "top_k", slice.type);
  return visit_place(
      where, [&](auto& there) { return best_of(distributed{ranks, there}, slice, k, options); });
}
any_kth_value kth_value(communicator& ranks, any_where where, any_array const& slice,
                        std::uint64_t k, kth_value_options options) {
  require_one_type(ranks, "kth_value", slice.type);
  return visit_place(
      where, [&](auto& there) { return kth_of(distributed{ranks, there}, slice, k, options); });
}
std::vector<any_number> quantile(communicator& ranks, any_where where, any_array const& slice,
                                 detail::quantile_places qs, quantile_options options) {
  require_one_type(ranks, "quantile", slice.type);
  return visit_place(
      where, [&](auto& there) { return found_of(distributed{ranks, there}, slice, qs, options); });
}

}  // namespace tally
