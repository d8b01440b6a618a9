// SPDX-License-Identifier: Apache-2.0
#include "tally/top_k.hpp"

#include <string>

#include "tally/dtype.hpp"
#include "tally/error.hpp"
#include "tally/span.hpp"
#include "top_k/running.hpp"
#include "top_k/whole.hpp"

namespace tally {
namespace {

using namespace detail::top_k;

void check_k(std::uint64_t k, std::uint64_t n) {
  if (k > n)
    throw error("top_k: k = " + std::to_string(k) + " is larger than n = " + std::to_string(n));
}

template <class R>
void finish_order(running<R>& best, ranking<R> rank, top_k_options const& options) {
  best.flush();
  output<R> const& held = best.held();
  if (options.sorted && !options.distinct)
    sort_pairs(held.values(), held.indices(), held.size(), by_rank<R>{rank});
  if (!options.sorted && options.distinct)
    sort_pairs(held.values(), held.indices(), held.size(), by_index{});
}

template <element T>
std::uint64_t run(cpu where, std::span<T const> in, std::uint64_t k, top_k_options const& options,
                  output<represent<T>> out) {
  using R = represent<T>;
  check_k(k, in.size());
  int const threads = detail::thread_count(where);
  detail::require_aligned("top_k", "in", in);
  auto const rank = ranking<R>::of(std::type_identity<T>{}, options);
  auto const* const data = reinterpret_cast<R const*>(in.data());
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

template <element T>
top_k_result<T> top_k(cpu where, std::span<T const> in, std::uint64_t k, top_k_options options) {
  check_k(k, in.size());
  top_k_result<T> result;
  result.values.reserve(k);
  result.indices.reserve(k);
  run(where, in, k, options, output<represent<T>>(result));
  return result;
}

template <element T>
std::uint64_t top_k_into(cpu where, std::type_identity_t<std::span<T const>> in, std::uint64_t k,
                         std::span<T> values, std::span<std::int64_t> indices,
                         top_k_options options) {
  auto const check_room = [&](char const* name, std::size_t size) {
    if (size < k)
      throw error("top_k_into: " + std::string(name) + " has room for " + std::to_string(size) +
                  ", k = " + std::to_string(k));
  };
  check_room("values", values.size());
  check_room("indices", indices.size());
  using R = represent<T>;
  return run(where, in, k, options, output<R>(reinterpret_cast<R*>(values.data()), indices.data()));
}

template <element T>
struct top_k_stream<T>::state {
  using R = represent<T>;

  state(std::uint64_t k_, top_k_options options_, std::uint64_t first)
      : k(k_),
        options(options_),
        rank(ranking<R>::of(std::type_identity<T>{}, options)),
        next_index(std::int64_t(first)),
        best(rank, k, options.distinct, output<R>(held), running<R>::min_room) {}

  std::uint64_t k, count = 0;
  top_k_options options;
  ranking<R> rank;
  std::int64_t next_index;
  top_k_result<T> held;
  running<R> best;
};

template <element T>
top_k_stream<T>::top_k_stream(std::uint64_t k, top_k_options options, std::uint64_t first)
    : state_(std::make_unique<state>(k, options, first)) {}
template <element T>
top_k_stream<T>::top_k_stream(top_k_stream&&) noexcept = default;
template <element T>
top_k_stream<T>& top_k_stream<T>::operator=(top_k_stream&&) noexcept = default;
template <element T>
top_k_stream<T>::~top_k_stream() = default;

template <element T>
void top_k_stream<T>::add(cpu where, std::span<T const> chunk) {
  using R = represent<T>;
  detail::require_aligned("top_k_stream", "in", chunk);
  state_->best.add(reinterpret_cast<R const*>(chunk.data()), chunk.size(), state_->next_index,
                   detail::thread_count(where));
  state_->next_index += std::int64_t(chunk.size());
  state_->count += chunk.size();
}

template <element T>
void top_k_stream<T>::merge(top_k_stream&& right) {
  state& from = *right.state_;
  if (from.k != state_->k)
    throw error("top_k_stream: a stream of k = " + std::to_string(from.k) +
                " cannot be merged into one of k = " + std::to_string(state_->k));
  if (from.options != state_->options)
    throw error("top_k_stream: the streams to merge have different options");
  from.best.flush();
  state_->best.merge(from.held.values, from.held.indices);
  state_->next_index = std::max(state_->next_index, from.next_index);
  state_->count += from.count;
}

template <element T>
std::uint64_t top_k_stream<T>::count() const {
  return state_->count;
}

template <element T>
top_k_result<T> top_k_stream<T>::result() && {
  check_k(state_->k, state_->count);
  finish_order(state_->best, state_->rank, state_->options);
  return std::move(state_->held);
}

#define TALLY_TOP_K(T)                                                                       \
  template top_k_result<T> top_k(cpu, std::span<T const>, std::uint64_t, top_k_options);     \
  template std::uint64_t top_k_into<T>(cpu, std::span<T const>, std::uint64_t, std::span<T>, \
                                       std::span<std::int64_t>, top_k_options);              \
  template class top_k_stream<T>;
TALLY_TOP_K(bool)
TALLY_TOP_K(std::int8_t)
TALLY_TOP_K(std::int16_t)
TALLY_TOP_K(std::int32_t)
TALLY_TOP_K(std::int64_t)
TALLY_TOP_K(std::uint8_t)
TALLY_TOP_K(std::uint16_t)
TALLY_TOP_K(std::uint32_t)
TALLY_TOP_K(std::uint64_t)
TALLY_TOP_K(float16)
TALLY_TOP_K(bfloat16)
TALLY_TOP_K(float)
TALLY_TOP_K(double)
#undef TALLY_TOP_K

}  // namespace tally
