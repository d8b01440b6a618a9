// SPDX-License-Identifier: Apache-2.0
//
// Elements that are computed while they are read, for what reads arrays.
#pragma once

#include <span>
#include <vector>

#include "tally/cpu/elements.hpp"
#include "tally/cpu/threads.hpp"

namespace tally::detail {

// Computes the elements of an input, some hundred thousand at a time: calls f(elements, index of
// the first of them), from the last ones to the first if `reverse`.
template <input In, class F>
void for_computed(cpu where, In const& in, bool reverse, F&& f) {
  using T = typename In::element;
  struct one {  // as std::vector<bool> is no array
    T value;
  };
  constexpr std::uint64_t at_once = std::uint64_t(1) << 18;
  auto const n = in.size();
  std::vector<one> room(std::size_t(n < at_once ? n : at_once));
  auto const from = elements_of(in);
  int const threads = thread_count(where);
  for (std::uint64_t done = 0; done < n;) {
    auto const left = n - done, count = left < at_once ? left : at_once;
    auto const first = reverse ? left - count : done;
    parallel_for(threads, std::size_t((count + run_size - 1) / run_size), [&](std::size_t i) {
      typename elements<T>::buffer buffer;
      std::uint64_t const begin = i * std::uint64_t(run_size);
      std::uint64_t const size = count - begin < run_size ? count - begin : run_size;
      auto const x = from.at(first + begin, size, buffer);
      for (std::uint64_t k = 0; k < size; ++k) room[begin + k].value = x[std::int64_t(k)];
    });
    f(std::span<T const>(&room.data()->value, std::size_t(count)), first);
    done += count;
  }
}

}  // namespace tally::detail
