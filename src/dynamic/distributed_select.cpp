// SPDX-License-Identifier: Apache-2.0
#include "selected.hpp"
#include "tally/distributed.hpp"
#include "tally/dynamic_distributed.hpp"

namespace tally {
namespace {

using namespace detail;

// Throws on all unless all have elements of that type.
void require_one_type(communicator& ranks, char const* call, dtype type) {
  auto const told =
      numbers_of_ranks(ranks, [&] { return std::vector<std::uint64_t>{std::uint64_t(type)}; });
  for (std::size_t r = 1; r < told.size(); ++r)
    if (told[r] != told[0])
      throw error(std::string(call) + ": in is of " + std::string(name(dtype(told[r][0]))) +
                  " on rank " + std::to_string(r) + ", and of " +
                  std::string(name(dtype(told[0][0]))) + " on rank 0");
}

}  // namespace

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
