// SPDX-License-Identifier: Apache-2.0
//
// Results that every rank has, written where the place that looks at its slice writes its own.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

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

// Whether cores are that place.
template <class Where, class T>
bool is_written_here(Where const& where, std::span<T> out) {
  bool here = false;
  visit_writer(where, out, [&]<class There>(There const&) { here = std::is_same_v<There, cpu>; });
  return here;
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

// The same of a result for each row. On a gpu places that are apart take a copy each.
template <class Where, class T>
void write_results(Where const& where, std::type_identity_t<std::span<T const>> results,
                   rows<T> const& out) {
  if (out.count == 0) return;
  std::span<T> const memory(out.data, std::size_t(out.count));
  if (out.stride == 1 && !out.inner && !out.starts) return write_results(where, results, memory);
  visit_writer(where, memory, [&]<class There>(There const& there) {
    if constexpr (std::is_same_v<There, cpu>) {
      for (std::size_t r = 0; r < results.size(); ++r) out.data[out.begin(r)] = results[r];
    } else {
      entered_gpu const entered(there.context());
      std::vector<std::int64_t> starts(out.starts ? results.size() : 0);
      if (out.starts) entered->receive(std::as_writable_bytes(std::span(starts)), out.starts);
      row_layout places = out;
      if (out.starts) places.starts = starts.data();
      for (std::size_t r = 0; r < results.size(); ++r)
        entered->send(out.data + places.begin(r), std::as_bytes(results.subspan(r, 1)));
      entered->synchronise();
    }
  });
}

}  // namespace tally::detail
