// SPDX-License-Identifier: Apache-2.0
//
// top_k on a GPU.
#pragma once

#include <string>
#include <vector>

#include "tally/cpu/selections.hpp"
#include "tally/device/top_k/biased.hpp"
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

// The same of short rows that are chosen by sums, of 2 and 4 bytes; returns false, and starts
// nothing, for others.
template <class Bits>
bool biased_top_k_compiled_on_gpu(gpu_context& context, device::biased_request<Bits> const& call);

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
  return rows_on_gpu<input_type<R>>{x, {.count = 1, .length = x.size()}};
}
template <class T>
auto rows_for_gpu(char const* call, rows<T const> const& in) {
  require_rows(call, "in", in);
  return rows_on_gpu<array_input<T>>{{in.data, in.count * in.length}, in};
}
template <class In>
void require_kernel_and_reach(gpu_context& context, char const* call, rows_on_gpu<In> const& x) {
  static_assert(has_top_k_kernel<In>,
                "the library holds selections, kth_value and quantile of arrays: for another input "
                "include <tally/gpu_top_k.cuh> in a source that nvcc compiles");
  require_reach(context, call, "in", x.in);
  require_reach(context, call, x.rows);
}

// As cores see to it where they read memory.
template <class R, class In>
void require_unread_on_gpu(char const* call, R const& given, rows_on_gpu<In> const& x,
                           std::initializer_list<argument_in_memory> out) {
  if constexpr (is_rows<R>)
    require_unread(call, {"in", in_memory(given)}, out, false);
  else if constexpr (is_array_input<In>)
    require_unread(call, {"in", in_memory(x.in.data, x.in.count)}, out, false);
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
  static top_k_rows_result<T> best(gpu const& where, rows<T const> const& in, k_of_rows const& k,
                                   top_k_options const& options) {
    return to_host(where, rows_for_gpu("top_k", in), k, options);
  }

  // Asynchronous.
  template <class In, class K, class T, class Second>
  static void into(gpu const& where, In const& in, K const& k, std::span<T> values,
                   std::span<Second> second, std::uint64_t* counts, top_k_options const& options) {
    auto const x = rows_for_gpu("top_k_into", keys_in(in));
    if constexpr (std::is_same_v<K, k_of_rows>) {
      require_places_to_select(keys_in(in), k.most, values, selected<In>::beside, second, counts,
                               false);
      start(where, "top_k_into", x, in, k, values, second, counts, options);
    } else {
      require_top_k("top_k_into", k, x.rows.length);
      require_room_for_top_k(k, values.size(), second.size(), selected<In>::beside);
      start(where, "top_k_into", x, in, {nullptr, k}, values, second, counts, options);
    }
  }

 private:
  // `in` has the payload, if there is one.
  template <class X, class In, class T, class Second>
  static void start(gpu const& where, char const* call, rows_on_gpu<X> const& x, In const& in,
                    k_of_rows const& k, std::span<T> values, std::span<Second> second,
                    std::uint64_t* counts, top_k_options const& options) {
    entered_gpu const there(where.context());
    require_kernel_and_reach(*there, call, x);
    auto const require = [&](char const* argument, auto array) {
      require_reach(*there, call, argument, array);
      require_aligned(call, argument, array);
    };
    require("k", std::span(k.each, std::size_t(k.each ? x.rows.count : 0)));
    require("values", values);
    require(is_rows<keys_of<In>> ? "counts" : "count",
            std::span(counts, std::size_t(counts ? x.rows.count : 0)));
    if constexpr (has_payload<In>)
      require("payload", std::span(in.payload.data(), in.payload.size()));
    require(selected<In>::beside, second);
    using bits = bits_of<T>;
    device::top_k_request<bits_input<X>> asked{
        bits_of_input(x.in),
        x.rows,
        rank_order<bits>::of(std::type_identity<T>{}, options.order == smallest,
                             options.nan == skip),
        {k.most, k.each, options.sorted, to_bits(missing<T>()),
         reinterpret_cast<bits*>(values.data()), nullptr, nullptr, counts, options.distinct}};
    if constexpr (has_payload<In>) {
      gpu_payload const payload{in.payload.data(), second.data(), sizeof(Second)};
      return run(*there, asked, &payload);
    } else {
      require_indices<Second>(x.rows.length);
      if constexpr (sizeof(Second) == 4)
        asked.how.short_indices = second.data();
      else
        asked.how.indices = second.data();
      run(*there, asked, nullptr);
    }
  }
  template <class In>
  static void run(gpu_context& context, device::top_k_request<In> const& asked,
                  gpu_payload const* payload) {
    if constexpr (is_array_input<In>)
      top_k_compiled_on_gpu(context, asked, payload);
    else
      top_k_on_gpu(context, asked, payload);
  }

  // By device memory of its own, and waits.
  template <class X>
  static auto to_host(gpu const& where, rows_on_gpu<X> const& x, k_of_rows const& k,
                      top_k_options const& options) {
    using T = typename X::element;
    entered_gpu const there(where.context());
    auto const places = std::size_t(x.rows.count * k.most), rows = std::size_t(x.rows.count);
    gpu_allocation const values(*there, places * sizeof(T)), indices(*there, places * 8),
        counts(*there, rows * 8);
    start(where, "top_k", x, x.in, k, std::span<T>(reinterpret_cast<T*>(values.data()), places),
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

template <>
struct selectors_on<gpu> {
  template <class T, readable R>
  static void add(gpu const& where, selector<T>& all, R const& chunk) {
    std::uint64_t const n = input_of("selector", "in", chunk).size();
    if (n == 0) return;
    auto options = all.options();
    options.sorted = false;
    all.add_found(selections_on<gpu>::best(where, chunk, all.k() < n ? all.k() : n, options), n);
  }
};

}  // namespace tally::detail
