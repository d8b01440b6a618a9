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

// All arrays that an input reads; one that is neither an array nor made of arrays has its own way.
template <input In>
void require_reach(gpu_context const&, char const*, char const*, In const&) {}
template <class T>
void require_reach(gpu_context const& context, char const* call, char const* argument,
                   array_input<T> const& in) {
  if (in.count != 0) require_reach(context, call, argument, static_cast<void const*>(in.data));
}
template <input In, class F>
void require_reach(gpu_context const& context, char const* call, char const* argument,
                   transform_input<In, F> const& in);
template <input A, input B>
void require_reach(gpu_context const& context, char const* call, char const* argument,
                   zip_input<A, B> const& in) {
  require_reach(context, call, argument, in.first);
  require_reach(context, call, argument, in.second);
}
template <input In, class F>
void require_reach(gpu_context const& context, char const* call, char const* argument,
                   transform_input<In, F> const& in) {
  require_reach(context, call, argument, in.in);
}
// Where rows begin and how long they are, if that is in memory.
inline void require_reach(gpu_context const& context, char const* call, row_layout const& rows) {
  if (rows.count == 0) return;
  require_reach(context, call, "starts", static_cast<void const*>(rows.starts));
  require_reach(context, call, "lengths", static_cast<void const*>(rows.lengths));
}
template <class T>
void require_reach(gpu_context const& context, char const* call, char const* argument,
                   std::span<T> out) {
  if (!out.empty()) require_reach(context, call, argument, static_cast<void const*>(out.data()));
}

}  // namespace detail
}  // namespace tally
