// SPDX-License-Identifier: Apache-2.0
//
// top_k on a GPU.
#pragma once

#include <string>
#include <vector>

#include "tally/cpu/selections.hpp"
#include "tally/device/top_k_shape.hpp"
#include "tally/exact/rank_order.hpp"
#include "tally/gpu/allocation.hpp"
#include "tally/gpu/arguments.hpp"
#include "tally/gpu/device.hpp"
#include "tally/input.hpp"

namespace tally::detail {

// What the library holds compiled, by the width of the elements; src/cuda/top_k.cu has it.
template <class Bits>
void top_k_compiled_on_gpu(gpu_context& context, array_input<Bits> const& in, gpu_rows const& rows,
                           rank_order<Bits> const& order, gpu_selection<Bits> const& how);

// The same, with what belongs to the best in place of their indices.
template <class Bits>
void top_k_with_payload_compiled_on_gpu(gpu_context& context, array_input<Bits> const& in,
                                        gpu_rows const& rows, rank_order<Bits> const& order,
                                        gpu_selection<Bits> const& how, gpu_payload const& payload);

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

template <>
struct selections_on<gpu> {
  template <readable R>
  static top_k_result<element_of<R>> best(gpu const& where, R const& in, std::uint64_t k,
                                          top_k_options const& options) {
    auto const x = input_of("top_k", "in", in);
    require_top_k("top_k", k, x.size());
    auto found =
        to_host<element_of<R>>(where, x, {1, x.size(), 0, nullptr, nullptr}, k, nullptr, options);
    auto const count = std::size_t(found.counts[0]);
    found.values.resize(count), found.indices.resize(count);
    return {std::move(found.values), std::move(found.indices)};
  }
  // Asynchronous.
  template <readable R, class Index>
  static void into(gpu const& where, R const& in, std::uint64_t k, std::span<element_of<R>> values,
                   std::span<Index> indices, std::uint64_t* count, top_k_options const& options) {
    auto const x = input_of("top_k_into", "in", in);
    require_top_k("top_k_into", k, x.size());
    require_room_for_top_k(k, values.size(), indices.size());
    entered_gpu const there(where.context());
    start(*there, x, {1, x.size(), 0, nullptr, nullptr}, k, nullptr, values, indices, count,
          options);
  }
  template <readable R, class Entries, class P>
  static void into(gpu const& where, keys_with_payload<R, Entries> const& in, std::uint64_t k,
                   std::span<element_of<R>> values, std::span<P> chosen, std::uint64_t* count,
                   top_k_options const& options) {
    auto const x = input_of("top_k_into", "in", in.keys);
    require_top_k("top_k_into", k, x.size());
    require_room_for_top_k(k, values.size(), chosen.size(), "chosen");
    entered_gpu const there(where.context());
    start_with_payload(*there, x, {1, x.size(), 0, nullptr, nullptr},
                       selection(k, nullptr, values, count, options), options,
                       payload_of(in.payload, chosen));
  }

  template <class T>
  static top_k_rows_result<T> best_of_rows(gpu const& where, rows<T> const& in, k_of_rows const& k,
                                           top_k_options const& options) {
    require_rows("top_k", in);
    return to_host<T>(where, elements_of(in), of(in), k.most, k.each, options);
  }
  template <class T, class Index>
  static void rows_into(gpu const& where, rows<T> const& in, k_of_rows const& k,
                        std::span<T> values, std::span<Index> indices, std::uint64_t* counts,
                        top_k_options const& options) {
    require_rows("top_k_into", in);
    entered_gpu const there(where.context());
    start(*there, elements_of(in), of(in), k.most, k.each, values, indices, counts, options);
  }
  template <class T, class Entries, class P>
  static void rows_into(gpu const& where, keys_with_payload<rows<T>, Entries> const& in,
                        k_of_rows const& k, std::span<T> values, std::span<P> chosen,
                        std::uint64_t* counts, top_k_options const& options) {
    require_rows("top_k_into", in.keys);
    entered_gpu const there(where.context());
    start_with_payload(*there, elements_of(in.keys), of(in.keys),
                       selection(k.most, k.each, values, counts, options), options,
                       payload_of(in.payload, chosen));
  }

 private:
  template <class T>
  static gpu_rows of(rows<T> const& in) {
    return {in.count, in.length, in.stride, in.starts, in.lengths};
  }
  template <class T>
  static array_input<T> elements_of(rows<T> const& in) {
    return {in.data, in.count * in.stride};
  }

  template <class Entries, class P>
  static gpu_payload payload_of(Entries const& payload, std::span<P> chosen) {
    require_aligned("top_k", "chosen", chosen);
    return {payload.data(), chosen.data(), sizeof(P)};
  }

  // All but where the indices go.
  template <class T>
  static gpu_selection<bits_of<T>> selection(std::uint64_t most, std::int64_t const* ks,
                                             std::span<T> values, std::uint64_t* counts,
                                             top_k_options const& options) {
    require_aligned("top_k", "values", values);
    return {most,
            ks,
            options.sorted,
            to_bits(missing<T>()),
            reinterpret_cast<bits_of<T>*>(values.data()),
            nullptr,
            nullptr,
            counts,
            options.distinct};
  }
  template <class T>
  static auto order_of(top_k_options const& options) {
    return rank_order<bits_of<T>>::of(std::type_identity<T>{}, options.order == smallest,
                                      options.nan == skip);
  }
  template <class T>
  static array_input<bits_of<T>> bits_of_elements(array_input<T> const& in) {
    return {reinterpret_cast<bits_of<T> const*>(in.data), in.count};
  }
  template <class In>
  static constexpr void require_kernel() {
    static_assert(has_top_k_kernel<In>,
                  "the library holds top_k of arrays: for another input include "
                  "<tally/gpu_operators.cuh> in a source that nvcc compiles");
  }

  template <class In, class Index>
  static void start(gpu_context& context, In const& in, gpu_rows const& of_rows, std::uint64_t most,
                    std::int64_t const* ks, std::span<typename In::element> values,
                    std::span<Index> indices, std::uint64_t* counts, top_k_options const& options) {
    require_kernel<In>();
    require_reach(context, "top_k", "in", in);
    require_reach(context, "top_k", "values", values);
    require_reach(context, "top_k", "indices", indices);
    require_reach(context, "top_k", "count", counts);
    require_aligned("top_k", "indices", indices);
    require_indices<Index>(of_rows.length);
    auto how = selection(most, ks, values, counts, options);
    if constexpr (sizeof(Index) == 4)
      how.short_indices = indices.data();
    else
      how.indices = indices.data();
    auto const order = order_of<typename In::element>(options);
    if constexpr (is_array_input<In>)
      top_k_compiled_on_gpu(context, bits_of_elements(in), of_rows, order, how);
    else
      top_k_on_gpu(context, in, of_rows, order, how);
  }
  template <class In, class How>
  static void start_with_payload(gpu_context& context, In const& in, gpu_rows const& of_rows,
                                 How const& how, top_k_options const& options,
                                 gpu_payload const& payload) {
    require_kernel<In>();
    require_reach(context, "top_k", "in", in);
    require_reach(context, "top_k", "values", how.values);
    require_reach(context, "top_k", "payload", payload.entries);
    require_reach(context, "top_k", "chosen", payload.chosen);
    auto const order = order_of<typename In::element>(options);
    if constexpr (is_array_input<In>)
      top_k_with_payload_compiled_on_gpu(context, bits_of_elements(in), of_rows, order, how,
                                         payload);
    else
      top_k_with_payload_on_gpu(context, in, of_rows, order, how, payload);
  }

  // By device memory of its own, and waits.
  template <class T, class In>
  static top_k_rows_result<T> to_host(gpu const& where, In const& in, gpu_rows const& of_rows,
                                      std::uint64_t most, std::int64_t const* ks,
                                      top_k_options const& options) {
    entered_gpu const there(where.context());
    auto const places = std::size_t(of_rows.count * most);
    gpu_allocation const values(*there, places * sizeof(T)), indices(*there, places * 8),
        counts(*there, std::size_t(of_rows.count) * 8);
    start(*there, in, of_rows, most, ks, std::span<T>(reinterpret_cast<T*>(values.data()), places),
          std::span<std::int64_t>(reinterpret_cast<std::int64_t*>(indices.data()), places),
          reinterpret_cast<std::uint64_t*>(counts.data()), options);
    top_k_rows_result<T> found;
    found.values.resize(places), found.indices.resize(places);
    found.counts.resize(std::size_t(of_rows.count));
    there->receive(std::as_writable_bytes(std::span(found.values)), values.data());
    there->receive(std::as_writable_bytes(std::span(found.indices)), indices.data());
    there->receive(std::as_writable_bytes(std::span(found.counts)), counts.data());
    return found;
  }
};

}  // namespace tally::detail
