// SPDX-License-Identifier: Apache-2.0
//
// What calls on a GPU are given is where its kernels can read and write: an array of the host would
// end the program's use of the device with an error that names neither the call nor the argument.
#pragma once

#include "tally/gpu/context.hpp"
#include "tally/input.hpp"
#include "tally/rows.hpp"

namespace tally {

template <input In, class F>
struct transform_input;  // transform.hpp
template <input A, input B>
struct zip_input;  // zip.hpp

namespace detail {

// Throws tally::error if `data`, unless null, is out of the device's reach.
void require_reach(gpu_context const& context, char const* call, char const* argument,
                   void const* data);

// Calls f(where it begins) for all arrays that an input reads: with null for an empty one, and for
// what is neither an array nor made of arrays, and has its own way.
template <input In, class F>
void for_arrays_of(In const&, F const& f) {
  f(nullptr);
}
template <class T, class F>
void for_arrays_of(array_input<T> const& in, F const& f) {
  f(in.count == 0 ? nullptr : static_cast<void const*>(in.data));
}
template <input In, class G, class F>
void for_arrays_of(transform_input<In, G> const& in, F const& f);
template <input A, input B, class F>
void for_arrays_of(zip_input<A, B> const& in, F const& f) {
  for_arrays_of(in.first, f);
  for_arrays_of(in.second, f);
}
template <input In, class G, class F>
void for_arrays_of(transform_input<In, G> const& in, F const& f) {
  for_arrays_of(in.in, f);
}
template <input In>
void require_reach(gpu_context const& context, char const* call, char const* argument,
                   In const& in) {
  for_arrays_of(in, [&](void const* data) { require_reach(context, call, argument, data); });
}
// Where rows begin and how long they are, if that is in memory.
inline void require_reach(gpu_context const& context, char const* call, row_layout const& rows) {
  if (rows.count == 0) return;
  require_reach(context, call, rows.is_by_offsets() ? "offsets" : "starts",
                static_cast<void const*>(rows.starts));
  require_reach(context, call, "lengths", static_cast<void const*>(rows.lengths));
  require_reach(context, call, "lengths_from", static_cast<void const*>(rows.lengths_from));
}
// And all that rows are made of.
template <readable_rows R>
void require_reach_of_rows(gpu_context const& context, char const* call, R const& in) {
  in.for_memory([&](auto const& all) {
    if (all.count > 0 && all.length > 0)
      require_reach(context, call, "in", static_cast<void const*>(all.data));
    require_reach(context, call, all.layout());
  });
}
template <class T>
void require_reach(gpu_context const& context, char const* call, char const* argument,
                   std::span<T> out) {
  if (!out.empty()) require_reach(context, call, argument, static_cast<void const*>(out.data()));
}

// What a kernel reads where a call is given an array, an input or rows.
template <class In>
struct read_on_gpu {
  using type = input_type<In>;
};
template <class T>
struct read_on_gpu<rows<T const>> {
  using type = array_input<T>;
};
template <class In>
using gpu_input = typename read_on_gpu<In>::type;

}  // namespace detail
}  // namespace tally
