// SPDX-License-Identifier: Apache-2.0
#include "ndarray.hpp"
#include "tally/elementwise.hpp"
#include "tally/gpu/top_k.hpp"

namespace tally {
namespace {

using namespace detail;

std::span<std::int64_t> indices_at(void* data, std::uint64_t count) {
  return {static_cast<std::int64_t*>(data), std::size_t(count)};
}

// Calls f(where, loops over rows) where `in` lies.
template <class F>
void select(char const* call, any_where where, any_ndarray const& in, axes_list const& axes,
            F const& f) {
  auto const loops = split(call, in, axes);
  std::uint64_t const n = count_of(loops.kept) * count_of(loops.along);
  run_where(where, {in.data, nullptr, n}, [&](auto&& there) { f(there, loops); });
}

std::vector<std::int64_t> without(std::vector<std::int64_t> strides, std::size_t axis) {
  strides.erase(strides.begin() + std::ptrdiff_t(axis));
  return strides;
}

// What a top-k of an array is to fill: `best` and where they were.
struct best_places {
  std::size_t axis;
  std::uint64_t k;
  any_ndarray_output const &values, &indices;

  void require(any_ndarray const& in) const {
    auto shape = in.shape;
    shape[axis] = k;
    require_type("top_k", "values", values.type, in.type);
    require_type("top_k", "indices", indices.type, dtype::int64);
    require_output("top_k", "values", values, shape);
    require_output("top_k", "indices", indices, shape);
    require_unread("top_k", argument_of("in", in),
                   {argument_of("values", values), argument_of("indices", indices)}, true);
  }
  dimensions loops(row_loops const& of, any_ndarray_output const& out) const {
    dimension const places{k, {0, out.strides[axis]}};
    return loops_to(of, without(out.strides, axis), &places);
  }
};

// Whether an operand's elements lie where those of `in` do, or, along `axis` alone, side by side.
[[maybe_unused]] bool lies_as(any_ndarray const& in, any_ndarray const& other) {
  for (std::size_t d = 0; d < in.shape.size(); ++d)
    if (in.shape[d] > 1 && in.strides[d] != other.strides[d]) return false;
  return true;
}
[[maybe_unused]] bool is_one_line(any_ndarray const& x, std::size_t axis) {
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (x.shape[d] > 1 && x.strides[d] != std::int64_t(d == axis)) return false;
  return true;
}

template <class T>
bool biased_on_gpu(gpu& where, any_ndarray const& in, any_ndarray const& bias,
                   row_layout const& rows, bool of_each_row, std::uint64_t k, void* values,
                   void* indices, top_k_options const& options) {
  using bits = bits_of<T>;
  entered_gpu const there(where.context());
  require_reach(*there, "top_k", "in", in.data);
  require_reach(*there, "top_k", "bias", bias.data);
  require_reach(*there, "top_k", "values", values);
  require_reach(*there, "top_k", "indices", indices);
  return biased_top_k_compiled_on_gpu(
      *there, device::biased_request<bits>{
                  {static_cast<bits const*>(in.data), static_cast<bits const*>(bias.data),
                   of_each_row, std::is_same_v<T, float16>},
                  rows,
                  rank_order<bits>::of(std::type_identity<T>{}, options.order == smallest,
                                       options.nan == skip),
                  {k, nullptr, options.sorted, to_bits(missing<T>()), static_cast<bits*>(values),
                   static_cast<std::int64_t*>(indices), nullptr, nullptr, options.distinct}});
}

// In one launch, if there is a kernel that does it.
template <class Where>
bool biased_at_once(Where& there, any_ndarray const& in, any_ndarray const& bias,
                    row_loops const& loops, best_places const& to, top_k_options const& options) {
  if constexpr (std::is_same_v<Where, gpu>) {
    auto const layout = layout_of(loops.kept, loops.along, 0);
    bool const of_each_row = lies_as(in, bias);
    if (!layout || in.valid || bias.type != in.type || in.data == nullptr) return false;
    if (!of_each_row && !is_one_line(bias, to.axis)) return false;
    result_room const found(there, to.values, to.loops(loops, to.values)),
        at(there, to.indices, to.loops(loops, to.indices));
    auto const start = [&]<class T>(std::type_identity<T>) {
      return biased_on_gpu<T>(there, in, bias, *layout, of_each_row, to.k, found.data(), at.data(),
                              options);
    };
    bool const started = in.type == dtype::float32    ? start(std::type_identity<float>{})
                         : in.type == dtype::bfloat16 ? start(std::type_identity<bfloat16>{})
                         : in.type == dtype::float16  ? start(std::type_identity<float16>{})
                                                      : false;
    if (started) found.deliver(), at.deliver();
    return started;
  }
  return false;
}

}  // namespace

void top_k_into(any_where where, any_ndarray const& in, any_ndarray const& bias, std::size_t axis,
                std::uint64_t k, any_ndarray_output const& values,
                any_ndarray_output const& indices, top_k_options options) {
  select("top_k", where, in, {axis}, [&](auto& there, row_loops const& loops) {
    best_places const to{axis, k, values, indices};
    to.require(in);
    require_aligned("top_k", "in", in);
    require_aligned("top_k", "bias", bias);
    if (bias.shape != in.shape)
      throw error("top_k: bias has the shape " + text_of(bias.shape) + ", and in " +
                  text_of(in.shape));
    require_unread("top_k", argument_of("bias", bias),
                   {argument_of("values", values), argument_of("indices", indices)}, true);
    if (biased_at_once(there, in, bias, loops, to, options)) return;
    auto const room =
        room_for(there, count_of(loops.kept) * count_of(loops.along) * size_of(in.type));
    any_ndarray_output const sums(in.type, memory_of(room), in.shape);
    copy_into(any_where(there), bias, sums);
    add_into(any_where(there), in, sums);
    any_ndarray chosen(in.type, memory_of(room), in.shape);
    chosen.valid = in.valid;
    // Elements are taken by indices that lie side by side.
    auto shape = in.shape;
    shape[axis] = k;
    any_ndarray_output beside(dtype::int64, indices.data, shape);
    auto const places = count_of(loops.kept) * k;
    bool const is_beside = beside.strides == indices.strides;
    auto const more = room_for(there, is_beside ? 0 : places * sizeof(std::int64_t));
    if (!is_beside) beside.data = memory_of(more);
    top_k_into(any_where(there), chosen, axis, k, values, beside, options);
    take_along(any_where(there), in, axis, static_cast<std::int64_t const*>(beside.data), values);
    if (!is_beside)
      copy_into(any_where(there), any_ndarray(dtype::int64, beside.data, shape), indices);
  });
}

void top_k_into(any_where where, any_ndarray const& in, std::size_t axis, std::uint64_t k,
                any_ndarray_output const& values, any_ndarray_output const& indices,
                top_k_options options) {
  select("top_k", where, in, {axis}, [&](auto& there, row_loops const& loops) {
    best_places const to{axis, k, values, indices};
    to.require(in);
    result_room const found(there, values, to.loops(loops, values)),
        at(there, indices, to.loops(loops, indices));
    for_rows_of(there, in, loops, [&](any_rows const& rows, std::uint64_t first) {
      std::uint64_t const places = rows.layout.count * k;
      top_k_into(any_where(there), rows, k, {in.type, found.from(first * k), places},
                 indices_at(at.from(first * k), places), nullptr, options);
    });
    found.deliver(), at.deliver();
  });
}

void kth_value_into(any_where where, any_ndarray const& in, axes_list const& axes, std::uint64_t k,
                    any_ndarray_output const& values, any_ndarray_output const& indices,
                    kth_value_options options) {
  select("kth_value", where, in, axes, [&](auto& there, row_loops const& loops) {
    require_type("kth_value", "values", values.type, in.type);
    require_type("kth_value", "indices", indices.type, dtype::int64);
    require_output("kth_value", "values", values, kept_shape(in, axes));
    require_output("kth_value", "indices", indices, kept_shape(in, axes));
    require_unread("kth_value", argument_of("in", in),
                   {argument_of("values", values), argument_of("indices", indices)}, true);
    result_room const found(there, values, loops_to(loops, values.strides, nullptr)),
        at(there, indices, loops_to(loops, indices.strides, nullptr));
    for_rows_of(there, in, loops, [&](any_rows const& rows, std::uint64_t first) {
      auto const count = rows.layout.count;
      kth_value_into(any_where(there), rows, k, {in.type, found.from(first), count},
                     indices_at(at.from(first), count), options);
    });
    found.deliver(), at.deliver();
  });
}

void quantile_into(any_where where, any_ndarray const& in, axes_list const& axes,
                   detail::quantile_places qs, any_ndarray_output const& out,
                   quantile_options options) {
  select("quantile", where, in, axes, [&](auto& there, row_loops const& loops) {
    auto shape = kept_shape(in, axes);
    shape.insert(shape.begin(), qs.size());
    require_quantiles_type("quantile", in.type, out.type, options.method);
    require_output("quantile", "out", out, shape);
    require_unread("quantile", argument_of("in", in), {argument_of("out", out)}, true);
    dimension const each{qs.size(), {0, out.strides[0]}};
    result_room const found(there, out, loops_to(loops, without(out.strides, 0), &each));
    for_rows_of(there, in, loops, [&](any_rows const& rows, std::uint64_t first) {
      std::uint64_t const places = rows.layout.count * qs.size();
      quantile_into(any_where(there), rows, qs, {out.type, found.from(first * qs.size()), places},
                    options);
    });
    found.deliver();
  });
}

}  // namespace tally
