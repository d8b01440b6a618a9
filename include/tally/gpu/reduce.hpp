// SPDX-License-Identifier: Apache-2.0
//
// Reductions on a GPU. Names no aggregate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/aggregate/aggregate.hpp"
#include "tally/gpu.hpp"
#include "tally/input.hpp"
#include "tally/where.hpp"

namespace tally {
namespace detail {

// Whether the library holds the kernel of A on inputs In (compiled.hpp). Others are compiled where
// they are used.
template <class A, class In>
inline constexpr bool compiled_on_gpu = false;

template <aggregate A, input In>
void compiled_reduce_on_gpu(gpu_context& context, A const& a, nan_policy nan, In const& in,
                            typename A::result* out, bool* found);

// That, or compiled here: gpu_operators.cuh was included.
template <aggregate A, input In>
inline constexpr bool runs_on_gpu =
    compiled_on_gpu<A, In> ||
    requires(gpu_context& context, A const& a, In const& in, typename A::result* out, bool* found) {
      reduce_on_gpu(context, a, propagate, in, out, found);
    };

template <aggregate A, input In>
void start_reduce(gpu_context& context, A const& a, nan_policy nan, In const& in,
                  typename A::result* out, bool* found) {
  static_assert(std::is_trivially_copyable_v<typename A::result>);
  static_assert(runs_on_gpu<A, In>,
                "the library holds no kernel for this aggregate or operator on this input: include "
                "<tally/gpu_operators.cuh>, or <tally/gpu_aggregates.cuh> for all_together, in a "
                "source that nvcc compiles");
  if constexpr (compiled_on_gpu<A, In>)
    compiled_reduce_on_gpu<A, In>(context, a, nan, in, out, found);
  else if constexpr (runs_on_gpu<A, In>)
    reduce_on_gpu(context, a, nan, in, out, found);
}

template <aggregate A>
error empty_array() {
  return error(std::string(name_of<A>()) + ": the array is empty");
}

template <aggregate A, input In>
void require_reducible(A const& a, In const& in) {
  if (in.size() != 0) return;
  if constexpr (has_identity<A>)
    require_elements(a, a.identity());
  else
    throw empty_array<A>();
}

template <aggregate A, input In>
typename A::result reduce_to_value(gpu& where, A const& a, In const& in, nan_policy nan) {
  struct answer {
    typename A::result value;
    bool found;
  };
  require_reducible(a, in);
  entered_gpu const there(where.context());
  auto const slot = static_cast<answer*>(there->result_slot(sizeof(answer)));
  start_reduce(*there, a, nan, in, &slot->value, &slot->found);
  there->synchronise();
  if (!slot->found) throw empty_array<A>();
  return slot->value;
}

template <aggregate A, input In>
void reduce_to_device(gpu& where, A const& a, In const& in, std::span<typename A::result> out,
                      nan_policy nan) {
  require_reducible(a, in);
  require_aligned("reduce_into", "out", out);
  if (out.size() != 1)
    throw error("reduce_into: out has " + std::to_string(out.size()) + " elements, not one");
  entered_gpu const there(where.context());
  start_reduce(*there, a, nan, in, out.data(), nullptr);
}

template <aggregate A, readable R>
auto input_for(A const&, R const& in) {
  return input_of(name_of<A>(), "in", in);
}

template <class Result, class Out>
std::span<Result> span_of_results(Out& out) {
  if constexpr (std::is_pointer_v<std::remove_cvref_t<Out>>) {
    static_assert(std::is_same_v<std::remove_cvref_t<Out>, Result*>,
                  "reduce_into: out points to another type than that of the result");
    return {out, 1};
  } else {
    static_assert(std::is_same_v<decltype(std::data(out)), Result*>,
                  "reduce_into: out holds another type than that of the result");
    return {std::data(out), std::size(out)};
  }
}

}  // namespace detail

// The elements of `in`, an array or an input (transform.hpp, zip.hpp) that the device can read, put
// together by `op`: what reduce() gives on a cpu, bit for bit. Waits for the stream.
template <detail::readable R, class Op>
auto reduce(gpu& where, R const& in, Op const& op, reduce_options options = {}) {
  auto const a = detail::bind_reduce<detail::element_of<R>>(op);
  return detail::reduce_to_value(where, a, detail::input_for(a, in), options.nan);
}

// The same into memory that the device can write: `out` is a pointer to a result, or a span of one.
// Waits for nothing. Where all elements are NaNs to be skipped, and the aggregate has no answer to
// that, the result is what lower() makes of the identity.
template <detail::readable R, class Out, class Op>
void reduce_into(gpu& where, R const& in, Out&& out, Op const& op, reduce_options options = {}) {
  auto const a = detail::bind_reduce<detail::element_of<R>>(op);
  using result = typename decltype(a)::result;
  detail::reduce_to_device(where, a, detail::input_for(a, in), detail::span_of_results<result>(out),
                           options.nan);
}

}  // namespace tally
