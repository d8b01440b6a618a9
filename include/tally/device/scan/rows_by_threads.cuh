// SPDX-License-Identifier: Apache-2.0
//
// Scans of rows whose elements are apart, as columns. Where rows lie side by side, so do the
// elements that neighbouring threads read: of very many rows a thread has each. Of fewer, it has a
// chunk of each: the chunks are added up, their totals become what is before each, and from that on
// they are scanned; the array is read twice.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/device/scan/tile.cuh"

namespace tally::device {

inline constexpr unsigned thread_rows_threads = 256, shortest_chunk = 16, most_in_group = 1024;

// A row, or a part of one, as a thread has it. Positions count in the direction of the scan.
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

template <class Prefix, class Source>
__device__ auto row_of_thread(scan_call<Prefix, Source, row_layout> const& call, std::uint64_t r) {
  thread_row<typename Source::element, typename Prefix::result, 8> const row{
      call.in.data + call.rows.begin(r),
      call.out + call.out_rows.begin(r),
      call.rows.step,
      call.out_rows.step,
      call.rows.size(r),
      0,
      false,
      call.exclusive};
  return call.reverse ? row.backwards() : row;
}

template <class Prefix, class Source>
__global__ void __launch_bounds__(thread_rows_threads, 4)
    scan_rows_by_threads(__grid_constant__ scan_call<Prefix, Source, row_layout> const call) {
  await_launches_before();
  std::uint64_t const all = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t r = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; r < call.rows.count;
       r += all) {
    auto const total = call.prefix.scan_by_thread(row_of_thread(call, r), call.prefix.first_chunk(),
                                                  call.prefix.first_digits());
    if (call.total) call.total[r] = total;
  }
  let_next_launch_start();
}

// The chunks of rows, and what each comes to; later, what is before each. A row's lie side by side.
template <class Prefix>
struct row_chunks {
  using chunk = typename Prefix::chunk;
  std::uint32_t rows, number;  // of chunks in a row
  std::uint64_t length;
  chunk* sums;
  std::int32_t* digits;

  row_chunks(arena& from, std::uint32_t row_count, std::uint32_t in_a_row, std::uint64_t each)
      : rows(row_count),
        number(in_a_row),
        length(each),
        sums(from.take<chunk>(std::size_t(rows) * number)),
        digits(from.take<std::int32_t>(std::size_t(rows) * number * Prefix::chunk_digits)) {}

  // Those of one row.
  struct of_row {
    chunk* sums;
    std::int32_t* digits;
    std::uint32_t number;

    __device__ chunk& sum(std::uint32_t i) const { return sums[i]; }
    // Nobody asks for what the last one comes to.
    __device__ bool has_total(std::uint32_t i) const { return i + 1 < number; }
    // Calls visit(sum, total) with where those of [first, end) are and what they come to, or
    // `none`.
    template <class T, class Visit>
    __device__ void each(std::uint32_t first, std::uint32_t end, T const& none, Visit visit) const {
      for (std::uint32_t i = first; i < end; ++i) {
        T const total = has_total(i) ? T(sum(i)) : none;
        visit(sum(i), total);
      }
    }
    __device__ std::int32_t* digits_of(std::uint32_t i) const {
      return digits + std::size_t(i) * Prefix::chunk_digits;
    }
  };
  __device__ of_row row(std::uint32_t r) const {
    if (r >= rows) return {sums, digits, 0};
    std::size_t const first = std::size_t(r) * number;
    return {sums + first, digits + first * Prefix::chunk_digits, number};
  }
};

// What all chunks but the last ones come to. Each is read from its end, so that its begin may still
// be in the cache when it is scanned.
template <class Prefix, class Source>
__global__ void __launch_bounds__(thread_rows_threads, 4)
    add_up_chunks(__grid_constant__ scan_call<Prefix, Source, row_layout> const call,
                  __grid_constant__ row_chunks<Prefix> const chunks) {
  await_launches_before();
  std::uint32_t const at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < chunks.rows * (chunks.number - 1)) {
    std::uint32_t const r = at % chunks.rows, i = at / chunks.rows;
    auto const here = chunks.row(r);
    call.prefix.add_up_by_thread(
        row_of_thread(call, r).part(i * chunks.length, chunks.length).backwards(), here.sum(i),
        here.digits_of(i));
  }
  let_next_launch_start();
}

// `width` threads a row, a power of 2: more than a warp are the block.
template <class Prefix>
__global__ void __launch_bounds__(most_in_group)
    carry_through_chunks(__grid_constant__ Prefix const prefix,
                         __grid_constant__ row_chunks<Prefix> const chunks, unsigned width) {
  await_launches_before();
  prefix.carry_through(chunks, blockIdx.x * (blockDim.x / width) + threadIdx.x / width, width);
  let_next_launch_start();
}

template <class Prefix, class Source>
__global__ void __launch_bounds__(thread_rows_threads, 4)
    scan_chunks(__grid_constant__ scan_call<Prefix, Source, row_layout> const call,
                __grid_constant__ row_chunks<Prefix> const chunks) {
  await_launches_before();
  std::uint32_t const at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < chunks.rows * chunks.number) {
    std::uint32_t const r = at % chunks.rows, i = at / chunks.rows;
    auto const here = chunks.row(r);
    auto const total =
        call.prefix.scan_by_thread(row_of_thread(call, r).part(i * chunks.length, chunks.length),
                                   here.sum(i), here.digits_of(i));
    if (call.total && i + 1 == chunks.number) call.total[r] = total;
  }
  let_next_launch_start();
}

}  // namespace tally::device
