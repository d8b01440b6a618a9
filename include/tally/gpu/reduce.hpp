// SPDX-License-Identifier: Apache-2.0
//
// Reductions on a GPU. Names no aggregate.
#pragma once

#include <type_traits>

#include "tally/cpu/reductions.hpp"
#include "tally/gpu/allocation.hpp"
#include "tally/gpu/arguments.hpp"
#include "tally/gpu/compiled.hpp"
#include "tally/gpu/device.hpp"
#include "tally/input.hpp"

namespace tally::detail {

// What the library holds compiled: the elements of `in` into *result, of which *found (or null)
// tells whether there is one. Plain templates, as in cpu/reductions.hpp; src/cuda has the
// instances.
template <class Op, class In>
void reduce_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                            void* result, bool* found);

// And a result for each row, to out's places.
template <class Op, class In>
void reduce_rows_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                                 void* out, row_layout const& places);

// Complete where kernels of `Op`, which the library does not hold, are compiled where they are
// used: of operators and aggregates of one's own with gpu_reduce.cuh, of Tally's with
// gpu_aggregates.cuh.
template <class Op, class T>
struct reductions_here;
// And where such of rows are: with gpu_reduce_rows.cuh, or with gpu_aggregates.cuh.
template <class Op, class T>
struct row_reductions_here;

template <class Op, class In>
inline constexpr bool kernel_is_held = false;
template <class Op, class In>
  requires named_aggregate<Op, typename In::element>
inline constexpr bool kernel_is_held<Op, In> =
    held_on_gpu<canonical_of<Op, typename In::element>, In> &&
    std::is_same_v<
        typename Op::template result<typename In::element>,
        typename canonical_of<Op, typename In::element>::template result<typename In::element>>;

template <class Op, class In>
inline constexpr bool has_kernel =
    kernel_is_held<Op, In> || requires { sizeof(reductions_here<Op, typename In::element>); };

template <class Op, class In>
inline constexpr bool has_row_kernel =
    kernel_is_held<Op, In> || requires { sizeof(row_reductions_here<Op, typename In::element>); };

template <class Op, class In>
struct gpu_reduction_of {
  static_assert(has_kernel<Op, In>,
                "the library holds no kernel for this aggregate or operator on this input: include "
                "<tally/gpu_reduce.cuh>, or <tally/gpu_aggregates.cuh> for all_together, in a "
                "source that nvcc compiles");
  using bound = decltype(bind_reduce<typename In::element>(std::declval<Op const&>()));
  using result = typename bound::result;
  static constexpr char const* name = name_of<bound>();

  static void require(Op const& op, In const& in) {
    if (in.size() != 0) return;
    auto const a = bind_reduce<typename In::element>(op);
    if constexpr (has_identity<bound>)
      require_elements(a, a.identity());
    else
      throw empty_array(name);
  }
  static void start(gpu_context& context, Op const& op, nan_policy nan, In const& in, result* out,
                    bool* found) {
    reduce_on_gpu(context, bind_reduce<typename In::element>(op), nan, in, out, found);
  }
};

template <class Op, class In>
  requires kernel_is_held<Op, In>
struct gpu_reduction_of<Op, In> {
  using element = typename In::element;
  using held = canonical_of<Op, element>;
  using result = typename held::template result<element>;
  static constexpr char const* name = Op::name;

  static void require(Op const& op, In const& in) {
    using on_cpu = reduction_of<Op, element>;
    if (in.size() == 0) on_cpu::finish(op, *on_cpu::start(op));
  }
  static void start(gpu_context& context, Op const& op, nan_policy nan, In const& in, result* out,
                    bool* found) {
    reduce_compiled_on_gpu<held, In>(context, canonical<element>(op), nan, in, out, found);
  }
};

// Of rows, which have results also where no element counts.
template <class Op, class In>
struct gpu_reduction_of_rows {
  static_assert(has_row_kernel<Op, In>,
                "the library holds no kernel for this aggregate or operator on such rows: include "
                "<tally/gpu_reduce_rows.cuh>, or <tally/gpu_aggregates.cuh> for Tally's "
                "aggregates, in a source that nvcc compiles");
  using bound = decltype(bind_reduce<typename In::element>(std::declval<Op const&>()));
  using result = typename bound::result;
  static void start(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                    rows<result> const& out) {
    reduce_rows_on_gpu(context, bind_reduce<typename In::element>(op), nan, in, out);
  }
};
template <class Op, class In>
  requires kernel_is_held<Op, In>
struct gpu_reduction_of_rows<Op, In> {
  using element = typename In::element;
  using held = canonical_of<Op, element>;
  using result = typename held::template result<element>;
  static void start(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                    rows<result> const& out) {
    reduce_rows_compiled_on_gpu<held, In>(context, canonical<element>(op), nan, in, out.data, out);
  }
};

template <>
struct reductions_on<gpu> {
  template <readable R, class Op>
  static auto value(gpu const& where, R const& in, Op const& op, nan_policy nan) {
    using reduction = gpu_reduction_of<Op, input_type<R>>;
    struct answer {
      typename reduction::result value;
      bool found;
    };
    static_assert(std::is_trivially_copyable_v<answer>);
    auto const x = input_of(reduction::name, "in", in);
    reduction::require(op, x);
    entered_gpu const there(where.context());
    require_reach(*there, reduction::name, "in", x);
    auto const slot = static_cast<answer*>(there->result_slot(sizeof(answer)));
    reduction::start(*there, op, nan, x, &slot->value, &slot->found);
    there->synchronise();
    if (!slot->found) throw empty_array(reduction::name);
    return slot->value;
  }
  template <readable R, class Out, class Op>
  static void into(gpu const& where, R const& in, Out& out, Op const& op, nan_policy nan) {
    using reduction = gpu_reduction_of<Op, input_type<R>>;
    auto const x = input_of(reduction::name, "in", in);
    reduction::require(op, x);
    auto const to = one_result<typename reduction::result>("reduce_into", out);
    entered_gpu const there(where.context());
    require_reach(*there, reduction::name, "in", x);
    require_reach(*there, "reduce_into", "out", to);
    reduction::start(*there, op, nan, x, to.data(), nullptr);
  }

  template <readable_rows R, class Op>
  static auto value(gpu const& where, R const& in, Op const& op, nan_policy nan) {
    using result = typename gpu_reduction_of_rows<Op, R>::result;
    entered_gpu const there(where.context());
    values_of<result> found(std::size_t(in.layout().count));
    gpu_allocation const room(*there, found.size() * sizeof(result));
    std::span<result> const out(reinterpret_cast<result*>(room.data()), found.size());
    into(where, in, out, op, nan);
    there->receive(std::as_writable_bytes(std::span(found)), room.data());
    return found;
  }
  template <readable_rows R, class Out, class Op>
  static void into(gpu const& where, R const& in, Out& out, Op const& op, nan_policy nan) {
    using reduction = gpu_reduction_of_rows<Op, R>;
    require_readable("reduce", in, false);
    auto const to = result_of_each_row<typename reduction::result>("reduce_into", in, out, false);
    entered_gpu const there(where.context());
    require_reach_of_rows(*there, "reduce", in);
    require_reach(*there, "reduce_into", "out", std::span(to.data, std::size_t(to.count)));
    require_reach(*there, "reduce_into", to.layout());
    reduction::start(*there, op, nan, in, to);
  }
};

}  // namespace tally::detail
