// SPDX-License-Identifier: Apache-2.0
//
// top_k on a GPU.
#pragma once

#include <string>
#include <vector>

#include "tally/cpu/selections.hpp"
#include "tally/device/top_k/request.hpp"
#include "tally/gpu/allocation.hpp"
#include "tally/gpu/arguments.hpp"
#include "tally/gpu/device.hpp"
#include "tally/input.hpp"

namespace tally::detail {

// What the library holds compiled, by the width of the elements: src/cuda/families/selections.cu.
// `payload` may be null; where it is not, its entries are put out in place of indices.
template <class Bits>
void top_k_compiled_on_gpu(gpu_context& context,
                           device::top_k_request<array_input<Bits>> const& call,
                           gpu_payload const* payload);

// Complete where kernels of inputs that are not arrays are compiled where they are used.
template <class In>
struct selections_here;
template <class In>
inline constexpr bool is_array_input = false;
template <class T>
inline constexpr bool is_array_input<array_input<T>> = true;
template <class In>
inline constexpr bool has_top_k_kernel =
    is_array_input<In> || requires { sizeof(selections_here<In>); };

// An array's elements as bits, another input as it is.
template <class T>
array_input<bits_of<T>> bits_of_input(array_input<T> const& in) {
  return {reinterpret_cast<bits_of<T> const*>(in.data), in.count};
}
template <input In>
In bits_of_input(In const& in) {
  return in;
}
template <class In>
using bits_input = decltype(bits_of_input(std::declval<In const&>()));

// What a selection reads: an array or an input is one row.
template <class In>
struct rows_on_gpu {
  In in;
  row_layout rows;
};
template <readable R>
auto rows_for_gpu(char const* call, R const& in) {
  auto const x = input_of(call, "in", in);
  return rows_on_gpu<std::remove_const_t<decltype(x)>>{x, {.count = 1, .length = x.size()}};
}
template <class T>
auto rows_for_gpu(char const* call, rows<T const> const& in) {
  require_rows(call, in);
  return rows_on_gpu<array_input<T>>{{in.data, in.count * in.length}, in};
}

template <>
struct selections_on<gpu> {
  template <readable R>
  static top_k_result<element_of<R>> best(gpu const& where, R const& in, std::uint64_t k,
                                          top_k_options const& options) {
    auto const x = rows_for_gpu("top_k", in);
    require_top_k("top_k", k, x.rows.length);
    auto found = to_host(where, x, {nullptr, k}, options);
    auto const count = std::size_t(found.counts[0]);
    found.values.resize(count), found.indices.resize(count);
    return {std::move(found.values), std::move(found.indices)};
  }
  template <class T>
  static top_k_rows_result<T> best_of_rows(gpu const& where, rows<T const> const& in,
                                           k_of_rows const& k, top_k_options const& options) {
    return to_host(where, rows_for_gpu("top_k", in), k, options);
  }

  // Asynchronous.
  template <readable R, class T, class Index>
  static void into(gpu const& where, R const& in, std::uint64_t k, std::span<T> values,
                   std::span<Index> indices, std::uint64_t* count, top_k_options const& options) {
    auto const x = rows_for_gpu("top_k_into", in);
    require_top_k("top_k_into", k, x.rows.length);
    require_room_for_top_k(k, values.size(), indices.size());
    start(where, x, {nullptr, k}, values, indices, count, options);
  }
  template <readable R, class Entries, class T, class P>
  static void into(gpu const& where, keys_with_payload<R, Entries> const& in, std::uint64_t k,
                   std::span<T> values, std::span<P> chosen, std::uint64_t* count,
                   top_k_options const& options) {
    auto const x = rows_for_gpu("top_k_into", in.keys);
    require_top_k("top_k_into", k, x.rows.length);
    require_room_for_top_k(k, values.size(), chosen.size(), "chosen");
    start_with_payload(where, x, {nullptr, k}, values, in.payload, chosen, count, options);
  }
  template <class T, class Index>
  static void rows_into(gpu const& where, rows<T const> const& in, k_of_rows const& k,
                        std::span<T> values, std::span<Index> indices, std::uint64_t* counts,
                        top_k_options const& options) {
    start(where, rows_for_gpu("top_k_into", in), k, values, indices, counts, options);
  }
  template <class T, class Entries, class P>
  static void rows_into(gpu const& where, keys_with_payload<rows<T const>, Entries> const& in,
                        k_of_rows const& k, std::span<T> values, std::span<P> chosen,
                        std::uint64_t* counts, top_k_options const& options) {
    start_with_payload(where, rows_for_gpu("top_k_into", in.keys), k, values, in.payload, chosen,
                       counts, options);
  }

 private:
  template <class In, class T>
  static device::top_k_request<bits_input<In>> request(gpu_context& context,
                                                       rows_on_gpu<In> const& in,
                                                       k_of_rows const& k, std::span<T> values,
                                                       std::uint64_t* counts,
                                                       top_k_options const& options) {
    static_assert(has_top_k_kernel<In>,
                  "the library holds top_k of arrays: for another input include "
                  "<tally/gpu_top_k.cuh> in a source that nvcc compiles");
    require_reach(context, "top_k", "in", in.in);
    require_reach(context, "top_k", in.rows);
    if (in.rows.count > 0) require_reach(context, "top_k", "k", static_cast<void const*>(k.each));
    require_reach(context, "top_k", "values", values);
    require_reach(context, "top_k", "count", counts);
    require_aligned("top_k", "values", values);
    auto const order = rank_order<bits_of<T>>::of(std::type_identity<T>{},
                                                  options.order == smallest, options.nan == skip);
    return {
        bits_of_input(in.in),
        in.rows,
        order,
        {k.most, k.each, options.sorted, to_bits(missing<T>()),
         reinterpret_cast<bits_of<T>*>(values.data()), nullptr, nullptr, counts, options.distinct}};
  }
  template <class In>
  static void run(gpu_context& context, device::top_k_request<In> const& call,
                  gpu_payload const* payload) {
    if constexpr (is_array_input<In>)
      top_k_compiled_on_gpu(context, call, payload);
    else
      top_k_on_gpu(context, call, payload);
  }

  template <class In, class T, class Index>
  static void start(gpu const& where, rows_on_gpu<In> const& in, k_of_rows const& k,
                    std::span<T> values, std::span<Index> indices, std::uint64_t* counts,
                    top_k_options const& options) {
    entered_gpu const there(where.context());
    auto call = request(*there, in, k, values, counts, options);
    require_reach(*there, "top_k", "indices", indices);
    require_aligned("top_k", "indices", indices);
    require_indices<Index>(in.rows.length);
    if constexpr (sizeof(Index) == 4)
      call.how.short_indices = indices.data();
    else
      call.how.indices = indices.data();
    run(*there, call, nullptr);
  }
  template <class In, class T, class Entries, class P>
  static void start_with_payload(gpu const& where, rows_on_gpu<In> const& in, k_of_rows const& k,
                                 std::span<T> values, Entries const& entries, std::span<P> chosen,
                                 std::uint64_t* counts, top_k_options const& options) {
    entered_gpu const there(where.context());
    auto const call = request(*there, in, k, values, counts, options);
    require_reach(*there, "top_k", "payload", std::span(entries.data(), entries.size()));
    require_reach(*there, "top_k", "chosen", chosen);
    require_aligned("top_k", "chosen", chosen);
    gpu_payload const payload{entries.data(), chosen.data(), sizeof(P)};
    run(*there, call, &payload);
  }

  // By device memory of its own, and waits.
  template <class In>
  static auto to_host(gpu const& where, rows_on_gpu<In> const& in, k_of_rows const& k,
                      top_k_options const& options) {
    using T = typename In::element;
    entered_gpu const there(where.context());
    auto const places = std::size_t(in.rows.count * k.most), rows = std::size_t(in.rows.count);
    gpu_allocation const values(*there, places * sizeof(T)), indices(*there, places * 8),
        counts(*there, rows * 8);
    start(where, in, k, std::span<T>(reinterpret_cast<T*>(values.data()), places),
          std::span<std::int64_t>(reinterpret_cast<std::int64_t*>(indices.data()), places),
          reinterpret_cast<std::uint64_t*>(counts.data()), options);
    top_k_rows_result<T> found;
    found.values.resize(places), found.indices.resize(places), found.counts.resize(rows);
    there->receive(std::as_writable_bytes(std::span(found.values)), values.data());
    there->receive(std::as_writable_bytes(std::span(found.indices)), indices.data());
    there->receive(std::as_writable_bytes(std::span(found.counts)), counts.data());
    return found;
  }
};

}  // namespace tally::detail
