// SPDX-License-Identifier: Apache-2.0
//
// Rungs 9: ragged rows.
//
// Change:   n / 64 segments side by side, of very different length: the s-th is about 1 / s of the
//           first, as the words of a text are frequent. An array says where each begins. First a
//           warp a segment, as rung 3; then all warps have equally many numbers, look up by a
//           binary search in which segment theirs begin, and add what they have of a segment that
//           reaches beyond to its sum by an atomic, to which a launch before gave 0.
// Predict:  one warp has to read the first segment, a 10th to a 20th of all numbers, when others
//           have long ended: a hundred times as long as with equal shares, and more. What these
//           cost, a binary search and at most two atomics a warp, does not show.
// Bytes:    n numbers, n / 64 places read and as many sums written.
//
// The machine counts more sectors of it than there are: it takes lanes' k-th reads for one load,
// and at the end of a segment some lanes have read once less than the others.
#include <algorithm>
#include <string>
#include <vector>

#include "ladder/rows/rows.cuh"
#include "tally/cuda/device_array.cuh"

namespace ladder::rows {

static std::size_t segments_of(std::size_t n) { return (n + 63) / 64; }
static std::size_t begin_of(std::size_t n, std::size_t segment) {
  return std::size_t(double(n) * (std::log1p(segment) / std::log1p(segments_of(n))));
}

// Where each segment begins, and the last ends.
struct segments {
  std::size_t const* begins;
  std::size_t count, n;

  // The last one that begins at i or before, for i < n.
  __device__ std::size_t around(std::size_t i) const {
    std::size_t low = 0, high = count;
    while (high - low > 1) {
      std::size_t const middle = (low + high) / 2;
      (begins[middle] <= i ? low : high) = middle;
    }
    return low;
  }
};

// What a warp's first lane tells of the numbers that its warp has read: nothing, or how many.
struct quietly {
  __device__ void operator()(std::size_t) const {}
};
struct with_notes {
  unsigned long long* of_warp;
  __device__ void operator()(std::size_t count) const { of_warp[thread_of_grid() / 32] += count; }
};

template <class T, class Note>
__global__ void warp_a_segment(T const* in, segments all, total_of<T>* out, Note note) {
  unsigned const lane = threadIdx.x % 32;
  std::size_t const warp = thread_of_grid() / 32, warps = threads_of_grid() / 32;
  for (std::size_t s = warp; s < all.count; s += warps) {
    std::size_t const begin = all.begins[s], end = all.begins[s + 1];
    auto const total = warp_total(every_nth(in, begin + lane, end, 32));
    if (lane == 0) {
      note(end - begin);
      out[s] = total;
    }
  }
}

template <class Total>
__global__ void zeros(Total* out, std::size_t count) {
  for (std::size_t i = thread_of_grid(); i < count; i += threads_of_grid()) out[i] = 0;
}

__device__ inline void add_to(float* sum, float x) { atomicAdd(sum, x); }
__device__ inline void add_to(long long* sum, long long x) {
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(x));
}

template <class T, class Note>
__global__ void equal_shares(T const* in, segments all, total_of<T>* out, Note note) {
  unsigned const lane = threadIdx.x % 32;
  std::size_t const warp = thread_of_grid() / 32, warps = threads_of_grid() / 32;
  std::size_t const share = (all.n + warps - 1) / warps, first = warp * share;
  std::size_t const last = first + share < all.n ? first + share : all.n;
  for (std::size_t begin = first, s = begin < last ? all.around(begin) : 0; begin < last; ++s) {
    bool const goes_on = all.begins[s + 1] > last, began_before = all.begins[s] < first;
    std::size_t const end = goes_on ? last : all.begins[s + 1];
    auto const total = warp_total(every_nth(in, begin + lane, end, 32));
    if (lane == 0) {
      note(end - begin);
      if (goes_on || began_before)
        add_to(out + s, total);
      else
        out[s] = total;
    }
    begin = end;
  }
}

static segments segments_in(problem const& p) {
  return {static_cast<std::size_t const*>(p.scratch), segments_of(p.n), p.n};
}

template <class T, class Note>
void by_warps(problem const& p, T const* in, total_of<T>* out, Note note) {
  tally::launch(warp_a_segment<T, Note>, p.grid, whole_warps(p.block), 0, p.stream)(
      in, segments_in(p), out, note);
}
template <class T, class Note>
void by_shares(problem const& p, T const* in, total_of<T>* out, Note note) {
  tally::launch(zeros<total_of<T>>, p.grid, p.block, 0, p.stream)(out, segments_of(p.n));
  tally::launch(equal_shares<T, Note>, p.grid, whole_warps(p.block), 0, p.stream)(
      in, segments_in(p), out, note);
}

// How many numbers a warp reads, as each noted.
template <class Run>
std::vector<std::string> draw_work(problem const& p, Run run) {
  std::size_t const warps = std::size_t{p.grid} * whole_warps(p.block) / 32;
  tally::device_array<unsigned long long> const of_warp(warps);
  of_warp.fill_bytes(0);
  with_arrays(p, [&](auto const* in, auto* out) { run(p, in, out, with_notes{of_warp.data()}); });
  auto const read = of_warp.to_host();
  return {"numbers a warp reads: " + std::to_string(p.n / warps) + " in the mean, " +
          std::to_string(std::ranges::max(read)) + " the busiest of " + std::to_string(warps)};
}

template <class Run>
rung ragged(rung r, Run run) {
  r.file = "ladder/rows/09_ragged.cu";
  r.grid = 1024;
  r.block = 256;
  r = sums(
      r, segments_of,
      [](std::size_t n, std::size_t s) -> summands {
        return {begin_of(n, s), begin_of(n, s + 1) - begin_of(n, s)};
      },
      [=](problem const& p, auto const* in, auto* out) { run(p, in, out, quietly{}); });
  auto const bytes_of_begins = [](problem const& p) {
    return (segments_of(p.n) + 1) * sizeof(std::size_t);
  };
  r.scratch_bytes = bytes_of_begins;
  r.must_move = [=, sums = r.must_move](problem const& p) { return sums(p) + bytes_of_begins(p); };
  r.prepare = [=](problem const& p) {
    std::vector<std::size_t> begins{0};
    for (std::size_t s = 0; s < segments_of(p.n); ++s) begins.push_back(begin_of(p.n, s + 1));
    tally::check(cudaMemcpy(p.scratch, begins.data(), bytes_of_begins(p), cudaMemcpyHostToDevice));
  };
  r.draw = [=](problem const& p) { return draw_work(p, run); };
  return r;
}

static registered const here{std::vector{
    ragged({.id = "rows/09_ragged_1_warps",
            .title = "Ragged rows: a warp a segment",
            .bound = "the warp that has the longest segment"},
           [](auto const&... all) { by_warps(all...); }),
    ragged(
        {.id = "rows/09_ragged_2_shares", .title = "Ragged rows: equal shares", .bound = "reading"},
        [](auto const&... all) { by_shares(all...); }),
}};

}  // namespace ladder::rows
