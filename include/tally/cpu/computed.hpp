// SPDX-License-Identifier: Apache-2.0
//
// Elements that are computed while they are read, for what reads arrays.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "tally/cpu/elements.hpp"
#include "tally/cpu/threads.hpp"

namespace tally::detail {

// Computes the elements of an input, some hundred thousand at a time: calls f(elements, index of the first of them), from the last ones to the first if `reverse`.
template <input In, class F>
void for_computed(cpu where, In const& in, bool reverse, F&& f) {
  using T = typename In::element;
  constexpr std::uint64_t at_once = std::uint64_t(1) << 18;
  auto const n = in.size();
  auto const room = std::make_unique_for_overwrite<T[]>(std::size_t(std::min(n, at_once)));
  auto const from = elements_of(in);
  int const threads = thread_count(where);
  for (std::uint64_t done = 0; done < n;) {
    auto const count = std::min(n - done, at_once), first = reverse ? n - done - count : done;
    parallel_for(threads, std::size_t((count + run_size - 1) / run_size), [&](std::size_t i) {
      typename elements<T>::buffer buffer;
      auto const begin = i * std::uint64_t(run_size),
                 size = std::min(count - begin, std::uint64_t(run_size));
      auto const x = from.at(first + begin, size, buffer);
      for (std::uint64_t k = 0; k < size; ++k) room[begin + k] = x[std::int64_t(k)];
    });
    f(std::span<T const>(room.get(), std::size_t(count)), first);
    done += count;
  }
}

}  // namespace tally::detail
