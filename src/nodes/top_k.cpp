// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/top_k.hpp"

#include "shared_search.hpp"
#include "tally/compiled.hpp"

namespace tally::detail {

template <class T>
std::uint64_t share_of_best(communicator& ranks, slice_here<T> const& mine, std::uint64_t n,
                            std::uint64_t k, top_k_options const& options) {
  using namespace top_k;
  if (k == 0) return 0;
  auto const worst = search_slices(ranks, mine, n, options).at({k})[0];
  // Of those that tie with the worst, ranks before this one give theirs first.
  auto const equal = numbers_of_ranks(ranks, [&] { return std::vector{worst.mine.inside}; });
  std::uint64_t ties = worst.ties;
  for (int r = 0; r < ranks.rank(); ++r) ties -= std::min(ties, equal[std::size_t(r)][0]);
  return worst.mine.above + std::min(ties, worst.mine.inside);
}

#define X(O, T)                                                                            \
  template std::uint64_t share_of_best(communicator&, slice_here<T> const&, std::uint64_t, \
                                       std::uint64_t, top_k_options const&);
TALLY_EACH_element(X, share)
#undef X

}  // namespace tally::detail
