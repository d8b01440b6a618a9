// SPDX-License-Identifier: Apache-2.0
//
// Reductions by cores. What the library holds compiled (compiled.hpp) is called, so that users pay
// neither the compile time nor, with flags of their own, for wrong bits.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "tally/compiled.hpp"
#include "tally/cpu/elements.hpp"
#include "tally/cpu/running.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/input.hpp"
#include "tally/known_elements.hpp"
#include "tally/rows.hpp"

namespace tally::detail {

// These are plain templates, to which compilers of several makes and ages give the same names;
// src/cpu has an instance for each line of the table.

// The result of `op` over elements [0, n) of `in` goes to *result.
template <class Op, class T>
void reduce_compiled(Op const& op, cpu where, elements<T> const& in, std::uint64_t n,
                     nan_policy nan, void* result);

// What `op` knows of nothing yet, and what it makes of what it knows.
template <class Op, class T>
owner<running<T>> start_compiled(Op const& op);
template <class Op, class T>
void finish_compiled(Op const& op, running<T> const& known, void* result,
                     if_empty then = if_empty::throws);

// What `op` needs of what is known of a run, as bytes, and a run that knows that of so many
// elements from `first` on.
template <class Op, class T>
void pack_compiled(Op const& op, running<T> const& known, byte_writer& out);
template <class Op, class T>
owner<running<T>> unpack_compiled(Op const& op, std::uint64_t first, std::uint64_t count,
                                  byte_reader& in);

// A result for each row to out's places, of the type that `op` itself gives.
template <class Op, class T>
void reduce_rows_compiled(Op const& op, cpu where, row_elements<T> const& in, nan_policy nan,
                          void* out, row_layout const& places);

// How `Op`, an operator or an aggregate of the user's own, is compiled where it is used:
// cpu_operators.hpp defines it.
template <class Op, class T>
struct compiled_here;

template <class Op, class T>
inline constexpr bool is_held = false;
template <class Op, class T>
  requires named_aggregate<Op, T>
inline constexpr bool is_held<Op, T> = held_on_cpu<canonical_of<Op, T>, T>;

// The aggregate that has the states of `op`: results of several types are made of one's.
template <class Op>
constexpr auto without_type(Op const& op) {
  if constexpr (requires { op.template as<void>(); })
    return op.template as<void>();
  else
    return op;
}
template <class Op>
using state_op = decltype(without_type(std::declval<Op const&>()));

template <class Op, class T>
struct included_here {
  static_assert(
      requires { sizeof(compiled_here<Op, T>); },
      "include <tally/cpu_operators.hpp> for an operator or an aggregate of one's own, "
      "<tally/all_together.hpp> for several aggregates");
  using type = compiled_here<Op, T>;
};
template <class Op, class T>
struct reduction_of : included_here<Op, T>::type {};

template <class Op, class T>
  requires is_held<Op, T>
struct reduction_of<Op, T> {
  using held = canonical_of<Op, T>;
  using result = typename Op::template result<T>;
  static constexpr char const* name = Op::name;

  static result at_once(Op const& op, cpu where, elements<T> const& in, std::uint64_t n,
                        nan_policy nan) {
    return given(
        [&](void* out) { reduce_compiled<held, T>(canonical<T>(op), where, in, n, nan, out); });
  }
  static owner<running<T>> start(Op const& op) { return start_compiled<held, T>(canonical<T>(op)); }
  static result finish(Op const& op, running<T> const& known, if_empty then = if_empty::throws) {
    return given([&](void* out) { finish_compiled<held, T>(canonical<T>(op), known, out, then); });
  }
  static void pack(Op const& op, running<T> const& known, byte_writer& out) {
    pack_compiled<told, T>(told_of(op), known, out);
  }
  static owner<running<T>> unpack(Op const& op, std::uint64_t first, std::uint64_t count,
                                  byte_reader& in) {
    return unpack_compiled<told, T>(told_of(op), first, count, in);
  }
  static void of_rows(Op const& op, cpu where, row_elements<T> const& in, nan_policy nan,
                      rows<result> const& out) {
    if constexpr (std::is_same_v<result, own_result>) {
      reduce_rows_compiled<held, T>(canonical<T>(op), where, in, nan, out.data, out);
    } else {
      std::vector<own_result> own(std::size_t(in.count));
      reduce_rows_compiled<held, T>(canonical<T>(op), where, in, nan, own.data(),
                                    row_layout{.count = in.count, .length = 1, .stride = 1});
      for (std::uint64_t r = 0; r < in.count; ++r) out.data[out.begin(r)] = result(own[r]);
    }
  }

 private:
  using own_result = typename held::template result<T>;
  using told = state_op<Op>;
  static told told_of(Op const& op) { return without_type(op); }
  template <class F>
  static result given(F&& write) {
    own_result out;
    write(&out);
    return static_cast<result>(out);
  }
};

// Reductions by what `Where` is.
template <class Where>
struct reductions_on;

template <>
struct reductions_on<cpu> {
  template <readable R, class Op>
  static auto value(cpu where, R const& in, Op const& op, nan_policy nan) {
    static_assert(readable_here<R>,
                  "reduce: cores do not see the elements of this array, of a GPU's memory perhaps; "
                  "a span of them would say that they do");
    static_assert(!is_device_lambda<Op>,
                  "reduce: cores cannot call a __device__ lambda, but a __host__ __device__ one");
    using reduction = reduction_of<Op, element_of<R>>;
    auto const x = input_of(reduction::name, "in", in);
    return reduction::at_once(op, where, elements_of(x), x.size(), nan);
  }
  template <readable R, class Out, class Op>
  static void into(cpu where, R const& in, Out& out, Op const& op, nan_policy nan) {
    using result = typename reduction_of<Op, element_of<R>>::result;
    auto const to = one_result<result>("reduce_into", out);
    to[0] = value(where, in, op, nan);
  }

  template <readable_rows R, class Op>
  static auto value(cpu where, R const& in, Op const& op, nan_policy nan) {
    using result = typename reduction_of<Op, element_of_rows<R>>::result;
    values_of<result> found(std::size_t(in.layout().count));
    std::span<result> const out(reinterpret_cast<result*>(found.data()), found.size());
    into(where, in, out, op, nan);
    return found;
  }
  template <readable_rows R, class Out, class Op>
  static void into(cpu where, R const& in, Out& out, Op const& op, nan_policy nan) {
    using reduction = reduction_of<Op, element_of_rows<R>>;
    static_assert(!is_device_lambda<Op>,
                  "reduce: cores cannot call a __device__ lambda, but a __host__ __device__ one");
    require_readable("reduce", in, true);
    auto const to = result_of_each_row<typename reduction::result>("reduce_into", in, out, true);
    reduction::of_rows(op, where, elements_of_rows(in), nan, to);
  }
};

}  // namespace tally::detail
