// SPDX-License-Identifier: Apache-2.0
//
// The table of compiled.hpp as entries, which calls with run-time types look up.
#pragma once

#include <cstring>

#include "tally/automatic.hpp"
#include "tally/devices.hpp"
#include "tally/dynamic_rows.hpp"
#include "tally/gpu.hpp"
#include "tally/owner.hpp"
#include "tally/reduce.hpp"
#include "tally/row_inputs.hpp"

namespace tally::detail {

// One array, or two side by side.
struct any_input {
  void const* first;
  void const* second;
  std::uint64_t size;
};

// What reductions of rows read: on cores row_elements<T> of the aggregate's T, on a gpu one array's
// rows, or two's.
struct cpu_rows {
  void const* elements;
};
struct gpu_rows {
  any_rows const* first;
  any_rows const* second;
};
// And where they write their results.
struct rows_places {
  void* out;
  row_layout const* rows;
};

// An aggregate of elements of one type, T, with results of one type. Where the functions take or
// give something known, that is a running<T>.
struct aggregate_entry {
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

  // Of rows; null where it is wide, or where there is no kernel.
  std::span<number_place const> (*numbers)() = nullptr;
  std::size_t result_bytes = 0;
  void (*rows_on_cores)(aggregate_options const&, cpu, cpu_rows const&, nan_policy,
                        rows_places const&) = nullptr;
  void (*rows_on_gpu)(aggregate_options const&, gpu&, gpu_rows const&, nan_policy,
                      rows_places const&) = nullptr;
  bool any_order = false;  // elements in any order have the same result
  // Elements in a gpu's memory to a known_run<T>; null: there is no kernel.
  void (*append_on_gpu)(aggregate_options const&, gpu&, any_input const&, nan_policy,
                        void* run) = nullptr;
};

// Whether calls on a gpu are compiled: not where none can be opened.
#ifdef TALLY_WITHOUT_GPUS
inline constexpr bool gpu_calls = false;
#else
inline constexpr bool gpu_calls = true;
#endif

template <class F>
struct on_cores {
  F const& f;
  using result = decltype(f(std::declval<cpu const&>()));
  result operator()(cpu const& here) const { return f(here); }
  result operator()(automatic const& there) const { return (*this)(there.use_cpu()); }
  result operator()(gpu&) const { throw error("no GPU: " + no_gpu_because()); }
};
// What f(where) returns; `where` is a cpu where there are no others.
template <class F>
auto visit_place(any_where where, F const& f) {
  if constexpr (gpu_calls)
    return where.visit(f);
  else
    return where.visit(on_cores<F>{f});
}

// Calls f(there) for the place that `where` is, or where the arrays lie, of which the addresses are
// all that matters.
template <class F>
void run_where(any_where where, any_input const& in, F&& f) {
  auto const bytes = [&](void const* data) {
    return array_input<std::byte>{static_cast<std::byte const*>(data), in.size};
  };
  visit_place(where, [&](auto& there) {
    if constexpr (std::is_same_v<decltype(there), automatic const&>) {
      int const device =
          in.second ? gpu_of(zip(bytes(in.first), bytes(in.second))) : gpu_of(bytes(in.first));
      device < 0 ? f(there.use_cpu()) : f(there.use_gpu(device));
    } else {
      f(there);
    }
  });
}

// What a entry reads; throws for arrays of another number or type.
any_input input_for(aggregate_entry const& entry, any_array const& in);
any_input input_for(aggregate_entry const& entry, any_array const& a, any_array const& b);

// Results that were made here, side by side, to their places in a gpu's memory.
void send_rows(gpu& where, std::span<std::byte const> results, std::size_t bytes,
               rows_places const& to);

// The entries of TALLY_REDUCTIONS, those of TALLY_ROUNDED, the sums of integers as floating types
// and as they are, and the dot products of integers as they are.
std::span<aggregate_entry const> line_entries();
std::span<aggregate_entry const> rounded_entries();
std::span<aggregate_entry const> integer_sum_entries();
std::span<aggregate_entry const> wide_dot_entries();

// Elements T in memory.
template <class T>
struct arrays_of {
  static constexpr bool pairs = false;
  static constexpr dtype type = dtype_of<T>;
  static std::span<T const> in(any_input const& x) {
    return {static_cast<T const*>(x.first), std::size_t(x.size)};
  }
  static rows<T const> rows_in(gpu_rows const& x) { return rows_of<T>(*x.first); }
};
template <class T>
struct arrays_of<pair<T>> {
  static constexpr bool pairs = true;
  static constexpr dtype type = dtype_of<T>;
  static auto in(any_input const& x) {
    return zip(arrays_of<T>::in(x), arrays_of<T>::in({x.second, nullptr, x.size}));
  }
  static auto rows_in(gpu_rows const& x) {
    return zip(arrays_of<T>::rows_in(x), arrays_of<T>::rows_in({x.second, nullptr}));
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

// Where the numbers of a result are.
template <class R>
std::span<number_place const> numbers_of() {
  static auto const all = [] {
    std::vector<number_place> found;
    if constexpr (element<R>) {
      found.push_back({"value", dtype_of<R>, 0});
    } else {
      R const one{};
      one.each([&]<class X>(char const* name, X const& x) {
        auto const offset = reinterpret_cast<char const*>(&x) - reinterpret_cast<char const*>(&one);
        found.push_back({name, dtype_of<X>, std::size_t(offset)});
      });
    }
    return found;
  }();
  return all;
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
bool counts_by_moments(Op const& op) {
  if constexpr (with_types<Op> && element<T>)
    return start_compiled<mean, T>(mean{})->includes(*start_compiled<Op, T>(op));
  else
    return false;
}
template <class Op, class T>
owner<running<T>> start_counting(Op const& op) {
  if constexpr (with_types<Op> && element<T>)
    if (counts_by_moments<Op, T>(op)) return start_compiled<mean, T>(mean{});
  return start_compiled<Op, T>(op);
}
// And how a gpu adds to it.
template <class Op, class T>
void append_counting_on_gpu(aggregate_options const& options, gpu& where, any_input const& in,
                            nan_policy nan, void* run) {
  if constexpr (gpu_calls) {
    auto const op = made<Op>(options);
    auto& known = *static_cast<known_run<T>*>(run);
    auto const x = input_of(Op::name, "in", arrays_of<T>::in(in));
    if constexpr (with_types<Op> && element<T>)
      if (counts_by_moments<Op, T>(op)) return states_on<gpu>::append(where, known, mean{}, x, nan);
    states_on<gpu>::append(where, known, op, x, nan);
  }
}

// What a entry has of `Op`, an aggregate as the table names it.
template <class Op, class T>
struct entry_functions {
  using result = typename Op::template result<T>;

  static any_result results() {
    any_result out;
    put(out, result{});
    return out;
  }
  template <class Where>
  static void run(aggregate_options const& options, Where where, any_input const& in,
                  nan_policy nan, any_result& out) {
    if constexpr (gpu_calls || !std::is_same_v<Where, gpu&>)
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

  static constexpr auto append_on_gpu = [] {
    if constexpr (has_state_kernel<Op, stored_input<T>>)
      return append_counting_on_gpu<Op, T>;
    else
      return nullptr;
  }();

  static constexpr std::size_t result_bytes = sizeof(result);
  static constexpr auto numbers = numbers_of<result>;
  static rows<result> out_of(rows_places const& to) {
    return {static_cast<result*>(to.out), *to.rows};
  }
  static void on_cores(aggregate_options const& options, cpu where, cpu_rows const& in,
                       nan_policy nan, rows_places const& to) {
    reduction_of<Op, T>::of_rows(made<Op>(options), where,
                                 *static_cast<row_elements<T> const*>(in.elements), nan,
                                 out_of(to));
  }
  static void by_gpu(aggregate_options const& options, gpu& where, gpu_rows const& in,
                     nan_policy nan, rows_places const& to) {
    if constexpr (gpu_calls)
      reduce_into(where, arrays_of<T>::rows_in(in), out_of(to), made<Op>(options),
                  reduce_options{nan});
  }
};

// What a GPU says that cannot run it.
inline error no_kernel(bound_aggregate const& op) {
  auto const& as = op.options().as;
  return error("reduce: there is no kernel for the " + std::string(op.info().name) + " of " +
               std::string(name(op.elements())) + (as ? " as " + std::string(name(*as)) : ""));
}

// Where row r's result goes.
inline std::byte* place_of(rows_places const& to, std::uint64_t r, std::size_t bytes) {
  return static_cast<std::byte*>(to.out) + to.rows->begin(r) * std::int64_t(bytes);
}
// A result's numbers, or the wide integer that it is, at a place where it lies in memory.
inline void store(any_result const& result, void* place) {
  if (result.wide())
    std::memcpy(place, &*result.wide(), sizeof(wide_integer));
  else
    result.value().store(place);
}

// The results of rows of which a gpu tells the states: lower(state, result) makes one.
template <class State, class F>
void lower_rows(gpu& where, std::vector<State> const& states, std::size_t bytes,
                rows_places const& to, F const& lower) {
  std::vector<std::byte> results(states.size() * bytes);
  for (std::size_t r = 0; r < states.size(); ++r) {
    any_result one;
    lower(states[r], one);
    store(one, results.data() + r * bytes);
  }
  send_rows(where, results, bytes, to);
}

// Whether results depend on the order of elements neither by rounding nor by an index.
template <class Op, class T>
inline constexpr bool in_any_order = !(floating<T> && is_one_of<Op, fast_sum, product>) &&
                                     !is_one_of<Op, arg_minimum, arg_maximum, describe>;

template <class Op, class T, class Functions>
constexpr aggregate_entry entry_with(decltype(aggregate_entry::on_gpu) on_gpu,
                                     decltype(aggregate_entry::rows_on_gpu) rows_on_gpu,
                                     bool wide = false) {
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
          wide,
          Functions::numbers,
          Functions::result_bytes,
          Functions::on_cores,
          rows_on_gpu,
          in_any_order<Op, T>,
          Functions::append_on_gpu};
}
template <class Op, class T>
constexpr aggregate_entry entry() {
  using result = typename Op::template result<T>;
  using functions = entry_functions<Op, T>;
  if constexpr (!element<result> && !several_numbers<result>)
    return {};
  else if constexpr (kernel_is_held<Op, stored_input<T>>)
    return entry_with<Op, T, functions>(functions::template run<gpu&>, functions::by_gpu);
  else
    return entry_with<Op, T, functions>(nullptr, nullptr);
}

}  // namespace tally::detail
