// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/top_k.hpp"

#include "../cpu/top_k/sort_pairs.hpp"
#include "../cpu/top_k/sort_stably.hpp"
#include "shared_search.hpp"
#include "tally/compiled.hpp"

namespace tally::detail {
namespace {

using namespace top_k;

// By ascending index, or best first.
template <class T>
top_k_result<T> elements_of(shared_best<represent<T>> const& best, ranking<represent<T>> rank,
                            int threads, bool sorted) {
  using R = represent<T>;
  auto t = best.t;
  if (t.key < rank.lowest) t.ties = 0;  // these are skipped
  auto const all = shares(count_each(rank, best.from, t.key, threads), t);
  top_k_result<T> found;
  output<R> out(found);
  out.resize(std::size_t(total_size(all)));
  emit(rank, best.from, all, t.key, out.values(), out.indices(), threads);
  if (!sorted) return found;
  if (out.size() < 1024)
    sort_pairs(out.values(), out.indices(), out.size(), by_rank<R>{rank});
  else
    stable_sort<R>(rank, out.size(), threads).run(out.values(), out.indices());
  return found;
}

}  // namespace

template <class T>
bytes_of_ranks tell_best(communicator& ranks, slice_here<T> const& mine, std::uint64_t n,
                         std::uint64_t k, top_k_options const& options) {
  using R = represent<T>;
  shared_best<R> best{{ranking<R>::best, 0}, {}, {}};
  if (k > 0) best = search_slices(ranks, mine, n, options).best(k);
  return all_gather_result(ranks, [&] {
    auto const rank = ranking<R>::of(std::type_identity<T>{}, options);
    return bytes_of_found(elements_of<T>(best, rank, thread_count(mine.cores), options.sorted),
                          mine.elements.size());
  });
}

#define X(O, T)                                                                         \
  template bytes_of_ranks tell_best(communicator&, slice_here<T> const&, std::uint64_t, \
                                    std::uint64_t, top_k_options const&);
TALLY_EACH_element(X, best)
#undef X

}  // namespace tally::detail
