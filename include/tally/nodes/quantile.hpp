// SPDX-License-Identifier: Apache-2.0
//
// kth_value and quantile of an array that ranks share out: by a search that all make together, each
// in its own slice.
#pragma once

#include "tally/nodes/results.hpp"
#include "tally/nodes/row_slices.hpp"
#include "tally/quantile.hpp"

namespace tally::detail {

// Searches in the n elements that all have together; src/nodes/quantile.cpp has the instances.
template <class T>
kth_value_result<T> kth_of_ranks(communicator& ranks, slice_here<T> const& mine, std::uint64_t n,
                                 std::uint64_t k, kth_value_options const& options);
template <class T, class Out>
void quantiles_of_ranks(communicator& ranks, slice_here<T> const& mine, std::uint64_t n,
                        quantile_places const& qs, Out* out, quantile_options const& options);

// Searches in each row, of which every rank has a slice; src/nodes/row_slices.cpp has the
// instances.
template <class T>
void kth_of_rows_of_ranks(communicator& ranks, rows_of_ranks<T> const& all, std::uint64_t k,
                          T* values, std::int64_t* indices, kth_value_options const& options);
template <class T, class Out>
void quantiles_of_rows_of_ranks(communicator& ranks, rows_of_ranks<T> const& all,
                                quantile_places const& qs, Out* out,
                                quantile_options const& options);

template <class W>
struct quantiles_on<distributed<W>> {
  template <class In, class T>
  static void kth(distributed<W> const& all, In const& in, char const* call, std::uint64_t k,
                  T* values, std::int64_t* indices, kth_value_options const& options) {
    find_kth(all, in, call, k, values, indices, options, [] {});
  }
  template <class In, class Out>
  static void quantiles(distributed<W> const& all, In const& in, char const* call,
                        quantile_places const& qs, Out* out, quantile_options const& options) {
    find_quantiles(all, in, call, qs, out, options, [] {});
  }

  // These return when all is there.
  template <class In, class T>
  static void kth_into(distributed<W> const& all, In const& in, char const* call, std::uint64_t k,
                       T* values, std::int64_t* indices, kth_value_options const& options) {
    auto const count = rows_in(in);
    std::span const to(values, count);
    std::span const at(indices, count);
    std::vector<one<T>> found(count);
    std::vector<std::int64_t> places(count);
    find_kth(all, in, call, k, first_of_ones(found), places.data(), options, [&] {
      require_output(all, in, call, "values", to);
      require_output(all, in, call, "indices", at);
    });
    write_results(all.where, std::span<T const>(first_of_ones(found), count), to);
    write_results(all.where, std::span<std::int64_t const>(places), at);
  }
  template <class In, class Out>
  static void quantiles_into(distributed<W> const& all, In const& in, char const* call,
                             quantile_places const& qs, Out* out, quantile_options const& options) {
    std::span const to(out, rows_in(in) * qs.size());
    std::vector<one<Out>> found(to.size());
    find_quantiles(all, in, call, qs, first_of_ones(found), options,
                   [&] { require_output(all, in, call, "out", to); });
    write_results(all.where, std::span<Out const>(first_of_ones(found), to.size()), to);
  }

 private:
  using where = std::remove_cvref_t<W>;

  template <class In>
  static std::size_t rows_in(In const& in) {
    if constexpr (is_rows<In>)
      return std::size_t(in.count);
    else
      return 1;
  }
  template <class In, class T>
  static void require_output(distributed<W> const& all, In const& in, char const* call,
                             char const* argument, std::span<T> out) {
    require_aligned(call, argument, out);
    require_writable(all.where, call, argument, out);
    argument_in_memory const to{argument, in_memory(out.data(), out.size())};
    bool const here = std::is_same_v<where, cpu>;
    if constexpr (is_rows<In>)
      require_unread(call, {"in", in_memory(in)}, {to}, here);
    else if constexpr (!input<In>)
      require_unread(call, {"in", in_memory(in.data(), in.size())}, {to}, here);
  }

  template <class In, class T, class F>
  static void find_kth(distributed<W> const& all, In const& in, char const* call, std::uint64_t k,
                       T* values, std::int64_t* indices, kth_value_options const& options,
                       F const& require) {
    if constexpr (is_rows<In>) {
      auto const rows = bring_rows(all.ranks, all.where, call, in, require);
      kth_of_rows_of_ranks(all.ranks, rows, k, values, indices, options);
    } else {
      auto const [mine, n] = bring_slices(all.ranks, all.where, call, in, require);
      require_kth(call, k, n);
      auto const found = kth_of_ranks(all.ranks, mine, n, k, options);
      *values = found.value, *indices = found.index;
    }
  }
  template <class In, class Out, class F>
  static void find_quantiles(distributed<W> const& all, In const& in, char const* call,
                             quantile_places const& qs, Out* out, quantile_options const& options,
                             F const& require) {
    if constexpr (is_rows<In>) {
      auto const rows = bring_rows(all.ranks, all.where, call, in, require);
      quantiles_of_rows_of_ranks(all.ranks, rows, qs, out, options);
    } else {
      auto const [mine, n] = bring_slices(all.ranks, all.where, call, in, require);
      require_elements(call, n);
      quantiles_of_ranks(all.ranks, mine, n, qs, out, options);
    }
  }
};

}  // namespace tally::detail
