// SPDX-License-Identifier: Apache-2.0
//
// kth_value and quantile on a GPU.
#pragma once

#include <algorithm>

#include "tally/cpu/quantiles.hpp"
#include "tally/device/quantile_shape.hpp"
#include "tally/gpu/top_k.hpp"

namespace tally::detail {

// What the library holds compiled, by the width of the elements; src/cuda/kth_value.cu and
// quantile.cu have it.
template <class Bits>
void kth_value_compiled_on_gpu(gpu_context& context, array_input<Bits> const& in,
                               gpu_rows const& rows, rank_order<Bits> const& order,
                               gpu_kth<Bits> const& how);
template <class Bits>
void quantiles_compiled_on_gpu(gpu_context& context, array_input<Bits> const& in,
                               gpu_rows const& rows, rank_order<Bits> const& order,
                               gpu_quantiles const& how);

// An array, or an input, is one row; calls f(input, rows).
template <class T, class F>
void with_gpu_rows(rows<T> const& in, F f) {
  f(array_input<T>{in.data, in.count * in.stride},
    gpu_rows{in.count, in.length, in.stride, in.starts, in.lengths});
}
template <readable R, class F>
void with_gpu_rows(R const& in, F f) {
  auto const x = input_of("kth_value", "in", in);
  f(x, gpu_rows{1, x.size(), 0, nullptr, nullptr});
}
template <class T>
array_input<bits_of<T>> bits_of_input(array_input<T> const& in) {
  return {reinterpret_cast<bits_of<T> const*>(in.data), in.count};
}

template <>
struct quantiles_on<gpu> {
  // Asynchronous.
  template <class In, class T>
  static void kth_into(gpu const& where, In const& in, std::uint64_t k, T* values,
                       std::int64_t* indices, kth_value_options const& options) {
    using bits = bits_of<T>;
    require_aligned("kth_value", "values", std::span(values, 1));
    require_aligned("kth_value", "indices", std::span(indices, 1));
    entered_gpu const there(where.context());
    require_reach(*there, "kth_value", "values", values);
    require_reach(*there, "kth_value", "indices", indices);
    auto const order = rank_order<bits>::of(std::type_identity<T>{}, options.order == smallest,
                                            options.nan == skip);
    gpu_kth<bits> const how{k, to_bits(missing<T>()), reinterpret_cast<bits*>(values), indices};
    with_gpu_rows(in, [&]<class X>(X const& x, gpu_rows const& all) {
      require_kernel<X>();
      require_reach(*there, "kth_value", "in", x);
      if constexpr (is_array_input<X>)
        kth_value_compiled_on_gpu(*there, bits_of_input(x), all, order, how);
      else
        kth_value_on_gpu(*there, x, all, order, how);
    });
  }
  template <class In, class Out>
  static void quantiles_into(gpu const& where, In const& in, quantile_places const& qs, Out* out,
                             quantile_options const& options) {
    require_aligned("quantile", "out", std::span(out, 1));
    entered_gpu const there(where.context());
    require_reach(*there, "quantile", "out", out);
    with_gpu_rows(
        in, [&](auto const& x, gpu_rows const& all) { start(*there, x, all, qs, out, options); });
  }

  // By device memory of its own, and waits.
  template <class In, class T>
  static void kth(gpu const& where, In const& in, std::uint64_t k, T* values, std::int64_t* indices,
                  kth_value_options const& options) {
    auto const n = rows_of(in);
    entered_gpu const there(where.context());
    gpu_allocation const found(*there, n * sizeof(T)), at(*there, n * sizeof(std::int64_t));
    kth_into(where, in, k, reinterpret_cast<T*>(found.data()),
             reinterpret_cast<std::int64_t*>(at.data()), options);
    there->receive(std::as_writable_bytes(std::span(values, n)), found.data());
    there->receive(std::as_writable_bytes(std::span(indices, n)), at.data());
  }
  template <class In, class Out>
  static void quantiles(gpu const& where, In const& in, quantile_places const& qs, Out* out,
                        quantile_options const& options) {
    auto const n = rows_of(in) * qs.size();
    entered_gpu const there(where.context());
    gpu_allocation const found(*there, n * sizeof(Out));
    quantiles_into(where, in, qs, reinterpret_cast<Out*>(found.data()), options);
    there->receive(std::as_writable_bytes(std::span(out, n)), found.data());
  }

 private:
  template <class In>
  static std::size_t rows_of(In const&) {
    return 1;
  }
  template <class T>
  static std::size_t rows_of(rows<T> const& in) {
    return std::size_t(in.count);
  }
  template <class X>
  static constexpr void require_kernel() {
    static_assert(has_top_k_kernel<X>,
                  "the library holds kth_value and quantile of arrays: for another input include "
                  "<tally/gpu_operators.cuh> in a source that nvcc compiles");
  }

  // As many at once as a launch takes.
  template <class X, class Out>
  static void start(gpu_context& context, X const& x, gpu_rows const& all,
                    quantile_places const& qs, Out* out, quantile_options const& options) {
    using T = typename X::element;
    require_kernel<X>();
    require_reach(context, "quantile", "in", x);
    auto const order = rank_order<bits_of<T>>::of(std::type_identity<T>{}, true, false);
    gpu_quantiles how{dtype_of<T>, options.method, options.nan == skip, 0, {}, out, 0, qs.size()};
    for (; how.first < qs.size(); how.first += how.count) {
      how.count = unsigned(std::min<std::size_t>(qs.size() - how.first, gpu_quantiles::most));
      for (unsigned i = 0; i < how.count; ++i) how.q[i] = qs[how.first + i];
      if constexpr (is_array_input<X>)
        quantiles_compiled_on_gpu(context, bits_of_input(x), all, order, how);
      else
        quantiles_on_gpu(context, x, all, order, how);
    }
  }
};

}  // namespace tally::detail
