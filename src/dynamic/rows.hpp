// SPDX-License-Identifier: Apache-2.0
//
// The table of compiled.hpp as rows, which calls with run-time types look up.
#pragma once

#include "tally/automatic.hpp"
#include "tally/dynamic.hpp"
#include "tally/gpu.hpp"
#include "tally/owner.hpp"
#include "tally/reduce.hpp"
#include "tally/zip.hpp"

namespace tally::detail {

// One array, or two side by side.
struct any_input {
  void const* first;
  void const* second;
  std::uint64_t size;
};

// An aggregate of elements of one type, T, with results of one type. Where the functions take or
// give something known, that is a running<T>.
struct aggregate_row {
  char const* name = nullptr;  // null: its result is not of numbers
  char const* summary = nullptr;
  dtype elements = {};
  bool of_pairs = false, takes_ddof = false;
  any_result (*results)() = nullptr;

  void (*at_once)(aggregate_options const&, cpu, any_input const&, nan_policy,
                  any_result&) = nullptr;
  void (*on_gpu)(aggregate_options const&, gpu&, any_input const&, nan_policy,
                 any_result&) = nullptr;  // null: there is no kernel
  void* (*start)(aggregate_options const&) = nullptr;
  void (*finish)(aggregate_options const&, void const* known, any_result&) = nullptr;
  bool wide = false;  // its result is a wide_integer, too
};

// Calls f(there) for the place that `where` is, or where the arrays lie, of which the addresses are
// all that matters.
template <class F>
void run_where(any_where where, any_input const& in, F&& f) {
  auto const bytes = [&](void const* data) {
    return array_input<std::byte>{static_cast<std::byte const*>(data), in.size};
  };
  where.visit([&](auto& there) {
    if constexpr (std::is_same_v<decltype(there), automatic const&>) {
      int const device =
          in.second ? gpu_of(zip(bytes(in.first), bytes(in.second))) : gpu_of(bytes(in.first));
      device < 0 ? f(there.use_cpu()) : f(there.use_gpu(device));
    } else {
      f(there);
    }
  });
}

// What a row reads; throws for arrays of another number or type.
any_input input_for(aggregate_row const& row, any_array const& in);
any_input input_for(aggregate_row const& row, any_array const& a, any_array const& b);

// The rows of TALLY_REDUCTIONS, those of TALLY_ROUNDED, the sums of integers as floating types and
// as they are, and the dot products of integers as they are.
std::span<aggregate_row const> line_rows();
std::span<aggregate_row const> rounded_rows();
std::span<aggregate_row const> integer_sum_rows();
std::span<aggregate_row const> wide_dot_rows();

// Elements T in memory.
template <class T>
struct arrays_of {
  static constexpr bool pairs = false;
  static constexpr dtype type = dtype_of<T>;
  static std::span<T const> in(any_input const& x) {
    return {static_cast<T const*>(x.first), std::size_t(x.size)};
  }
};
template <class T>
struct arrays_of<pair<T>> {
  static constexpr bool pairs = true;
  static constexpr dtype type = dtype_of<T>;
  static auto in(any_input const& x) {
    return zip(arrays_of<T>::in(x), arrays_of<T>::in({x.second, nullptr, x.size}));
  }
};

struct any_taker {
  void operator()(char const*, auto) const {}
};
template <class R>
concept several_numbers = requires(R const& r) { r.each(any_taker{}); };

template <class R>
void put(any_result& out, R const& result) {
  if constexpr (element<R>)
    out.add("value", any_number(result));
  else
    result.each([&](char const* name, auto x) { out.add(name, any_number(x)); });
}

// The exact sum that an aggregate of integers T has.
template <integer T>
void put_wide(any_result& out, wide_integer const& x) {
  out.add("value", any_number(widest<T>(x.limb[0])));
  out.set_wide(x);
}

template <class Op>
concept with_ddof = requires(Op op) { op.ddof; };
// Whether results of other types can be asked for.
template <class Op>
concept with_types = requires(Op const op) { op.template as<void>(); };

template <class Op>
Op made([[maybe_unused]] aggregate_options const& options) {
  if constexpr (with_ddof<Op>)
    return Op{options.ddof};
  else
    return Op{};
}

// Where first moments know what the aggregate does and results can have several types, first
// moments are what is known: they tell how many elements were NaN, and of integers the exact sum.
template <class Op, class T>
owner<running<T>> start_counting(Op const& op) {
  auto own = start_compiled<Op, T>(op);
  if constexpr (with_types<Op> && element<T>) {
    auto moments = start_compiled<mean, T>(mean{});
    if (moments->includes(*own)) return moments;
  }
  return own;
}

// What a row has of `Op`, an aggregate as the table names it.
template <class Op, class T>
struct row_functions {
  using result = typename Op::template result<T>;

  static any_result results() {
    any_result out;
    put(out, result{});
    return out;
  }
  template <class Where>
  static void run(aggregate_options const& options, Where where, any_input const& in,
                  nan_policy nan, any_result& out) {
    put(out, reduce(where, arrays_of<T>::in(in), made<Op>(options), reduce_options{nan}));
  }
  static constexpr auto at_once = run<cpu>;
  static void* start(aggregate_options const& options) {
    return start_counting<Op, T>(made<Op>(options)).release();
  }
  static void finish(aggregate_options const& options, void const* known, any_result& out) {
    result found;
    finish_compiled<Op, T>(made<Op>(options), *static_cast<running<T> const*>(known), &found);
    put(out, found);
  }
};

template <class Op, class T, class Functions>
constexpr aggregate_row row_with(decltype(aggregate_row::on_gpu) on_gpu, bool wide = false) {
  return {Op::name,
          Op::summary,
          arrays_of<T>::type,
          arrays_of<T>::pairs,
          with_ddof<Op>,
          Functions::results,
          Functions::at_once,
          on_gpu,
          Functions::start,
          Functions::finish,
          wide};
}
template <class Op, class T>
constexpr aggregate_row row() {
  using result = typename Op::template result<T>;
  using functions = row_functions<Op, T>;
  if constexpr (!element<result> && !several_numbers<result>)
    return {};
  else if constexpr (kernel_is_held<Op, stored_input<T>>)
    return row_with<Op, T, functions>(functions::template run<gpu&>);
  else
    return row_with<Op, T, functions>(nullptr);
}

}  // namespace tally::detail
