// SPDX-License-Identifier: Apache-2.0
//
// Results that every rank has, written where the place that looks at its slice writes its own.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "tally/gpu/arguments.hpp"
#include "tally/gpu/context.hpp"
#include "tally/where.hpp"

namespace tally::detail {

// Calls f(the place that can write there), cores or a gpu.
template <class Where, class T, class F>
void visit_writer(Where const& where, std::span<T> out, F const& f) {
  if constexpr (std::is_same_v<Where, automatic>) {
    int const device = out.empty() ? -1 : gpu_holding(out.data());
    device < 0 ? f(where.use_cpu()) : f(where.use_gpu(device));
  } else {
    f(where);
  }
}

// Throws unless that place can write to `out`.
template <class Where, class T>
void require_writable(Where const& where, char const* call, char const* argument,
                      std::span<T> out) {
  visit_writer(where, out, [&]<class There>(There const& there) {
    if constexpr (!std::is_same_v<There, cpu>)
      require_reach(*entered_gpu(there.context()), call, argument, out);
  });
}

// Returns when the results are there.
template <class Where, class T>
void write_results(Where const& where, std::type_identity_t<std::span<T const>> results,
                   std::span<T> out) {
  visit_writer(where, out, [&]<class There>(There const& there) {
    if constexpr (std::is_same_v<There, cpu>) {
      std::ranges::copy(results, out.begin());
    } else {
      entered_gpu const entered(there.context());
      entered->send(out.data(), std::as_bytes(results));
      entered->synchronise();
    }
  });
}

}  // namespace tally::detail
