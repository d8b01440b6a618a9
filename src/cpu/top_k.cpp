// SPDX-License-Identifier: Apache-2.0
#include "tally/top_k.hpp"

#include <string>

#include "tally/compiled.hpp"
#include "tally/cpu/rows.hpp"
#include "tally/error.hpp"
#include "tally/span.hpp"
#include "top_k/few.hpp"
#include "top_k/running.hpp"
#include "top_k/searches.hpp"
#include "top_k/whole.hpp"

namespace tally::detail::top_k {

TALLY_SEARCHES()

}  // namespace tally::detail::top_k

namespace tally {
namespace {

using namespace detail::top_k;

void check_k(std::uint64_t k, std::uint64_t n) { detail::require_top_k("top_k", k, n); }

template <class R>
void finish_order(running<R>& best, ranking<R> rank, top_k_options const& options) {
  best.flush();
  output<R> const& held = best.held();
  if (options.sorted && !options.distinct)
    sort_pairs(held.values(), held.indices(), held.size(), by_rank<R>{rank});
  if (!options.sorted && options.distinct)
    sort_pairs(held.values(), held.indices(), held.size(), by_index{});
}

template <class T>
std::uint64_t select(cpu where, std::span<T const> in, std::uint64_t k,
                     top_k_options const& options, output<represent<T>> out) {
  using R = represent<T>;
  check_k(k, in.size());
  int const threads = detail::thread_count(where);
  detail::require_aligned("top_k", "in", in);
  auto const rank = ranking<R>::of(std::type_identity<T>{}, options);
  auto const* const data = reinterpret_cast<R const*>(in.data());
  bool const few = !options.distinct && are_few(k, in.size());
  if (few && few_best(rank, data, in.size(), std::size_t(k), options.sorted, threads, out)) {
    detail::count_path(detail::path::top_k_few);
    return out.size();
  }
  if (!options.distinct) {
    whole<R> call(rank, data, in.size(), k, threads, out);
    call.run(options.sorted);
    return out.size();
  }
  std::size_t const room = std::max(running<R>::min_room, running<R>::room_for(in.size()));
  running<R> best(rank, k, true, out, std::min(room, in.size() + 1));
  best.add(data, in.size(), 0, threads);
  finish_order(best, rank, options);
  return best.held().size();
}

}  // namespace

namespace detail {

void require_top_k(char const* call, std::uint64_t k, std::uint64_t n) {
  if (k > n)
    throw error(std::string(call) + ": k = " + std::to_string(k) +
                " is larger than n = " + std::to_string(n));
}

template <class T>
top_k_result<T> top_k_compiled(cpu where, std::span<T const> in, std::uint64_t k,
                               top_k_options const& options) {
  check_k(k, in.size());
  top_k_result<T> result;
  result.values.reserve(k);
  result.indices.reserve(k);
  select(where, in, k, options, output<represent<T>>(result));
  return result;
}

void require_room_for_top_k(std::uint64_t k, std::size_t values, std::size_t indices,
                            char const* second) {
  auto const check_room = [&](char const* name, std::size_t size) {
    if (size < k)
      throw error("top_k_into: " + std::string(name) + " has room for " + std::to_string(size) +
                  ", k = " + std::to_string(k));
  };
  check_room("values", values);
  check_room(second, indices);
}

template <class T>
std::uint64_t top_k_into_compiled(cpu where, std::span<T const> in, std::uint64_t k,
                                  std::span<T> values, std::span<std::int64_t> indices,
                                  top_k_options const& options) {
  require_room_for_top_k(k, values.size(), indices.size());
  using R = represent<T>;
  return select(where, in, k, options,
                output<R>(reinterpret_cast<R*>(values.data()), indices.data()));
}

template <class T>
void top_k_of_rows_compiled(cpu where, rows<T const> const& in, k_of_rows const& k, T* values,
                            std::int64_t* indices, std::uint64_t* counts,
                            top_k_options const& options) {
  for_rows(where, in, [&](cpu with, std::uint64_t r, std::span<T const> row) {
    std::int64_t const own = k.each ? std::max<std::int64_t>(0, k.each[r]) : std::int64_t(k.most);
    auto const asked = std::min({row.size(), std::size_t(k.most), std::size_t(own)});
    std::span const best(values + r * k.most, std::size_t(k.most));
    std::span const at(indices + r * k.most, std::size_t(k.most));
    auto const found = top_k_into_compiled<T>(with, row, asked, best, at, options);
    std::ranges::fill(best.subspan(found), missing<T>());
    std::ranges::fill(at.subspan(found), -1);
    if (counts) counts[r] = found;
  });
}

}  // namespace detail

template <class T>
struct selector<T>::held {
  using R = represent<T>;

  held(std::uint64_t k_, top_k_options options_, std::uint64_t first)
      : k(k_),
        options(options_),
        rank(ranking<R>::of(std::type_identity<T>{}, options)),
        next_index(std::int64_t(first)),
        best(rank, k, options.distinct, output<R>(found), running<R>::min_room) {}

  std::uint64_t k, count = 0;
  top_k_options options;
  ranking<R> rank;
  std::int64_t next_index;
  top_k_result<T> found;
  running<R> best;
};

template <class T>
selector<T>::selector(std::uint64_t k, top_k_options options, std::uint64_t first)
    : state_(detail::make_owner<held>(k, options, first)) {}
template <class T>
selector<T>::selector(selector&&) noexcept = default;
template <class T>
selector<T>& selector<T>::operator=(selector&&) noexcept = default;
template <class T>
selector<T>::~selector() = default;

template <class T>
void selector<T>::add_here(cpu where, std::span<T const> chunk) {
  using R = represent<T>;
  detail::require_aligned("selector", "in", chunk);
  state_->best.add(reinterpret_cast<R const*>(chunk.data()), chunk.size(), state_->next_index,
                   detail::thread_count(where));
  state_->next_index += std::int64_t(chunk.size());
  state_->count += chunk.size();
}

template <class T>
void selector<T>::add_found(top_k_result<T> found, std::uint64_t n) {
  for (auto& at : found.indices) at += state_->next_index;
  state_->best.merge(found.values, found.indices);
  state_->next_index += std::int64_t(n);
  state_->count += n;
}

template <class T>
selector<T>::selector(top_k_state<T> const& known)
    : state_(detail::make_owner<held>(known.k, known.options, known.next)) {
  state_->best.merge(known.best.values, known.best.indices);
  state_->count = known.count;
}
template <class T>
top_k_state<T> selector<T>::state() {
  state_->best.flush();
  auto best = state_->found;
  using R = represent<T>;
  if (state_->options.distinct)
    sort_pairs(reinterpret_cast<R*>(best.values.data()), best.indices.data(), best.indices.size(),
               by_index{});
  return {state_->k, state_->options, std::uint64_t(state_->next_index), state_->count,
          std::move(best)};
}

template <class T>
void selector<T>::append(selector&& right) {
  held& from = *right.state_;
  if (from.k != state_->k)
    throw error("selector: one of k = " + std::to_string(from.k) +
                " cannot be appended to one of k = " + std::to_string(state_->k));
  if (from.options != state_->options) throw error("selector: the two have different options");
  from.best.flush();
  state_->best.merge(from.found.values, from.found.indices);
  state_->next_index = std::max(state_->next_index, from.next_index);
  state_->count += from.count;
}

template <class T>
std::uint64_t selector<T>::count() const {
  return state_->count;
}

template <class T>
std::uint64_t selector<T>::k() const {
  return state_->k;
}
template <class T>
top_k_options const& selector<T>::options() const {
  return state_->options;
}

template <class T>
top_k_result<T> selector<T>::result() && {
  check_k(state_->k, state_->count);
  finish_order(state_->best, state_->rank, state_->options);
  return std::move(state_->found);
}

#define X(O, T)                                                                                    \
  template top_k_result<T> detail::top_k_compiled<T>(cpu, std::span<T const>, std::uint64_t,       \
                                                     top_k_options const&);                        \
  template std::uint64_t detail::top_k_into_compiled<T>(cpu, std::span<T const>, std::uint64_t,    \
                                                        std::span<T>, std::span<std::int64_t>,     \
                                                        top_k_options const&);                     \
  template void detail::top_k_of_rows_compiled<T>(cpu, rows<T const> const&, k_of_rows const&, T*, \
                                                  std::int64_t*, std::uint64_t*,                   \
                                                  top_k_options const&);                           \
  template class selector<T>;
TALLY_EACH_element(X, top_k)
#undef X

}  // namespace tally
