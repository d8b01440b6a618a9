// SPDX-License-Identifier: Apache-2.0
//
// A row, or a part of one, as the thread has it that scans it by itself. Positions count in the
// direction of the scan.
#pragma once

#include <cstdint>

#include "tally/types.hpp"

namespace tally::device {

// `AtOnce` elements are read together.
template <class In, class Out, unsigned AtOnce>
struct thread_row {
  In const* from;  // and where results go: of the first position, and how far the next ones are
  Out* to;
  std::int64_t from_step, to_step;
  std::uint64_t size, first;  // `first`: the first position's index in the array's row
  bool reverse, exclusive;
  static constexpr unsigned at_once = AtOnce;

  __device__ std::uint64_t index(std::uint64_t position) const {
    return reverse ? first - position : first + position;
  }
  __device__ In element(std::uint64_t position) const {
    return from[std::int64_t(position) * from_step];
  }
  __device__ void put(std::uint64_t position, Out const& x) const {
    to[std::int64_t(position) * to_step] = x;
  }
  // Calls visit(position, x) with some elements after others, and In{} behind the last ones, while
  // the next ones are on their way; until it returns false.
  template <class Visit>
  __device__ void each_few(Visit visit) const {
    In next[at_once];
    read(0, next);
    for (std::uint64_t position = 0; position < size; position += at_once) {
      In x[at_once];
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) x[k] = next[k];
      read(position + at_once, next);
      if (!visit(position, x)) return;
    }
  }
  // The results of those that were read at a position.
  __device__ void write(std::uint64_t position, Out const (&x)[at_once]) const {
    auto* at = to + std::int64_t(position) * to_step;
    unsigned const count = there(position);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k, at += to_step)
      if (k < count) *at = x[k];
  }
  __device__ unsigned there(std::uint64_t position) const {
    if (position >= size) return 0;
    std::uint64_t const left = size - position;
    return left < at_once ? unsigned(left) : at_once;
  }

  // At most `count` elements from a position on.
  __device__ thread_row part(std::uint64_t position, std::uint64_t count) const {
    auto out = *this;
    if (position > size) position = size;
    out.from += std::int64_t(position) * from_step;
    out.to += std::int64_t(position) * to_step;
    out.size = size - position < count ? size - position : count;
    out.first = index(position);
    return out;
  }
  // The same elements from the other end.
  __device__ thread_row backwards() const {
    auto out = *this;
    if (size == 0) return out;
    out.from += std::int64_t(size - 1) * from_step;
    out.to += std::int64_t(size - 1) * to_step;
    out.from_step = -from_step, out.to_step = -to_step;
    out.first = index(size - 1);
    out.reverse = !reverse;
    return out;
  }

 private:
  __device__ void read(std::uint64_t position, In (&x)[at_once]) const {
    auto const* at = from + std::int64_t(position) * from_step;
    unsigned const count = there(position);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k, at += from_step) x[k] = k < count ? *at : In{};
  }
};

}  // namespace tally::device
