// SPDX-License-Identifier: Apache-2.0
//
// kth_value and quantile on a GPU.
#pragma once

#include <algorithm>

#include "tally/cpu/quantiles.hpp"
#include "tally/device/top_k/request.hpp"
#include "tally/gpu/top_k.hpp"

namespace tally::detail {

// What the library holds compiled, by the width of the elements: src/cuda/families/selections.cu.
template <class Bits>
using gpu_kth_request = device::row_request<array_input<Bits>, gpu_kth<Bits>>;
template <class Bits>
void kth_value_compiled_on_gpu(gpu_context& context, gpu_kth_request<Bits> const& call);
template <class Bits>
using gpu_quantile_request = device::row_request<array_input<Bits>, gpu_quantiles>;
template <class Bits>
void quantiles_compiled_on_gpu(gpu_context& context, gpu_quantile_request<Bits> const& call);

template <>
struct quantiles_on<gpu> {
  // Asynchronous.
  template <class In, class T>
  static void kth_into(gpu const& where, In const& in, char const* call, std::uint64_t k, T* values,
                       std::int64_t* indices, kth_value_options const& options) {
    using bits = bits_of<T>;
    require_aligned(call, "values", std::span(values, 1));
    require_aligned(call, "indices", std::span(indices, 1));
    entered_gpu const there(where.context());
    require_reach(*there, call, "values", values);
    require_reach(*there, call, "indices", indices);
    auto const x = rows_for_gpu(call, in);
    require_kernel_and_reach(*there, call, x);
    require_unread_on_gpu(call, in, x,
                          {{"values", in_memory(values, x.rows.count)},
                           {"indices", in_memory(indices, x.rows.count)}});
    device::row_request<bits_input<decltype(x.in)>, gpu_kth<bits>> const asked{
        bits_of_input(x.in),
        x.rows,
        rank_order<bits>::of(std::type_identity<T>{}, options.order == smallest,
                             options.nan == skip),
        {k, to_bits(missing<T>()), reinterpret_cast<bits*>(values), indices}};
    if constexpr (is_array_input<decltype(x.in)>)
      kth_value_compiled_on_gpu(*there, asked);
    else
      kth_value_on_gpu(*there, asked);
  }
  // As many at once as a launch takes.
  template <class In, class Out>
  static void quantiles_into(gpu const& where, In const& in, char const* call,
                             quantile_places const& qs, Out* out, quantile_options const& options) {
    require_aligned(call, "out", std::span(out, 1));
    entered_gpu const there(where.context());
    require_reach(*there, call, "out", out);
    auto const x = rows_for_gpu(call, in);
    require_kernel_and_reach(*there, call, x);
    require_unread_on_gpu(call, in, x, {{"out", in_memory(out, x.rows.count * qs.size())}});
    using X = decltype(x.in);
    using T = typename X::element;
    device::row_request<bits_input<X>, gpu_quantiles> asked{
        bits_of_input(x.in),
        x.rows,
        rank_order<bits_of<T>>::of(std::type_identity<T>{}, true, false),
        {dtype_of<T>, options.method, options.nan == skip, 0, {}, out, 0, qs.size(), integer<Out>}};
    auto& how = asked.how;
    for (; how.first < qs.size(); how.first += how.count) {
      how.count = unsigned(std::min<std::size_t>(qs.size() - how.first, gpu_quantiles::most));
      for (unsigned i = 0; i < how.count; ++i) how.q[i] = qs[how.first + i];
      if constexpr (is_array_input<X>)
        quantiles_compiled_on_gpu(*there, asked);
      else
        quantiles_on_gpu(*there, asked);
    }
  }

  // By device memory of its own, and waits.
  template <class In, class T>
  static void kth(gpu const& where, In const& in, char const* call, std::uint64_t k, T* values,
                  std::int64_t* indices, kth_value_options const& options) {
    auto const n = std::size_t(rows_for_gpu(call, in).rows.count);
    entered_gpu const there(where.context());
    gpu_allocation const found(*there, n * sizeof(T)), at(*there, n * sizeof(std::int64_t));
    kth_into(where, in, call, k, reinterpret_cast<T*>(found.data()),
             reinterpret_cast<std::int64_t*>(at.data()), options);
    there->receive(std::as_writable_bytes(std::span(values, n)), found.data());
    there->receive(std::as_writable_bytes(std::span(indices, n)), at.data());
  }
  template <class In, class Out>
  static void quantiles(gpu const& where, In const& in, char const* call, quantile_places const& qs,
                        Out* out, quantile_options const& options) {
    auto const n = std::size_t(rows_for_gpu(call, in).rows.count) * qs.size();
    entered_gpu const there(where.context());
    gpu_allocation const found(*there, n * sizeof(Out));
    quantiles_into(where, in, call, qs, reinterpret_cast<Out*>(found.data()), options);
    there->receive(std::as_writable_bytes(std::span(out, n)), found.data());
  }
};

}  // namespace tally::detail
