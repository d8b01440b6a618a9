// SPDX-License-Identifier: Apache-2.0
//
// A row of elements as bits, and how the blocks of a team share and read it: each block has a
// stretch of it, in order, of which it reads a tile at a time, and a warp of a tile a part, in
// order. So what a thread, a warp or a block finds is in the order of indices if what was found
// before it is counted.
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/device/input/batch.cuh"
#include "tally/device/rows/team.cuh"
#include "tally/input.hpp"

namespace tally::device {

// What a thread reads at once: vectors of 16 bytes, and which of their elements there are.
template <class Bits>
inline constexpr int usual_loads = sizeof(Bits) == 1 ? 2 : 4;
template <class Bits, int Loads = usual_loads<Bits>>
struct row_batch {
  static constexpr int each = vector_bytes / int(sizeof(Bits));
  static constexpr int loads = Loads;
  static constexpr int items = each * loads;

  Bits x[items];
  unsigned live;  // bit i: whether x[i] is an element
};

// How many elements a block reads at once.
template <class Bits>
inline constexpr std::uint64_t selecting_tile =
    row_batch<Bits>::items * std::uint64_t(selecting_threads);

// A place p of a row is the element p - lead. Places are counted from an address that vectors can
// be loaded from, so that a vector begins at each place that divides by their length.
template <class Bits>
struct array_row {
  using bits = Bits;
  using batch = row_batch<Bits>;

  Bits const* data;
  std::uint64_t count;

  // Some of it.
  __device__ array_row part(std::uint64_t first, std::uint64_t size) const {
    return {data + first, size};
  }
  __device__ unsigned lead() const {
    return unsigned(reinterpret_cast<std::uintptr_t>(data) % vector_bytes / sizeof(Bits));
  }
  __device__ Bits operator[](std::uint64_t i) const { return data[i]; }
  __device__ void load(Bits* x, std::uint64_t i) const {
    uint4 const v = *reinterpret_cast<uint4 const*>(data + i);
    __builtin_memcpy(x, &v, sizeof v);
  }
  // Has the memory about an element brought into L2.
  __device__ void prefetch(std::uint64_t i) const { prefetch_to_l2(data + i); }
};

// The longest row whose places, and those of a tile behind it, are below 2^32.
inline constexpr std::uint64_t longest_of_32_bits = 0xff000000u;

// Of an input of one's own, element by element.
template <class In>
struct computed_row {
  using bits = bits_of<typename In::element>;
  using batch = row_batch<bits>;

  In in;
  std::uint64_t first, count;

  __device__ computed_row part(std::uint64_t from, std::uint64_t size) const {
    return {in, first + from, size};
  }
  __device__ unsigned lead() const { return 0; }
  __device__ bits operator[](std::uint64_t i) const { return to_bits(in[first + i]); }
  __device__ void load(bits* x, std::uint64_t i) const {
#pragma unroll
    for (int e = 0; e < batch::each; ++e) x[e] = (*this)[i + e];
  }
  __device__ void prefetch(std::uint64_t) const {}
};

// A row of an input, which is an array's elements as bits, or an input of one's own.
template <class Bits>
__device__ array_row<Bits> row_of(array_input<Bits> const& in, std::uint64_t first,
                                  std::uint64_t count) {
  return {in.data + first, count};
}
template <class In>
__device__ computed_row<In> row_of(In const& in, std::uint64_t first, std::uint64_t count) {
  return {in, first, count};
}

// A row that passes through L2: what is loaded leaves it before all else. It is read once, and
// would take the place of what is needed again, as the code that comes after.
template <class Bits>
struct passing_row : array_row<Bits> {
  __device__ passing_row part(std::uint64_t first, std::uint64_t size) const {
    return {{this->data + first, size}};
  }
  __device__ void load(Bits* x, std::uint64_t i) const {
    uint4 const v = __ldcs(reinterpret_cast<uint4 const*>(this->data + i));
    __builtin_memcpy(x, &v, sizeof v);
  }
};
template <class Bits>
__device__ passing_row<Bits> passing(array_row<Bits> const& row) {
  return {row};
}
template <class In>
__device__ computed_row<In> passing(computed_row<In> const& row) {
  return row;
}

// A row whose first element is at place 0, wherever it is: its vectors may be loaded one element at
// a time.
template <class Bits>
struct unaligned_row : array_row<Bits> {
  using batch = row_batch<Bits>;

  __device__ unsigned lead() const { return 0; }
  __device__ void load(Bits* x, std::uint64_t i) const {
#pragma unroll
    for (int e = 0; e < batch::each; ++e) x[e] = this->data[i + e];
  }
};

// A block's stretch of a row. Places are counted in 32 bits where that is enough.
template <class Row, class Place, int Loads = usual_loads<typename Row::bits>>
class stretch {
 public:
  using bits = typename Row::bits;
  using batch = row_batch<bits, Loads>;
  static constexpr int each = batch::each, loads = batch::loads, items = batch::items;

  __device__ stretch(Row const& row, team const& all) : stretch(row, all.rank(), all.blocks()) {}
  // The stretch number `rank` of so many.
  __device__ stretch(Row const& row, unsigned rank, unsigned stretches)
      : row_(row), lead_(row.lead()) {
    Place const end = Place(lead_ + row.count), vectors = (end + each - 1) / each;
    Place const share =
        (stretches == 1 ? vectors : Place(vectors + stretches - 1) / stretches) * each;
    begin_ = share * rank < end ? share * rank : end;
    end_ = end - begin_ < share ? end : begin_ + share;
  }

  // How many elements it has.
  __device__ Place size() const {
    auto const first = begin_ < lead_ ? lead_ : begin_;
    return first < end_ ? end_ - first : 0;
  }

  // Its places, and which of them the thread loads first of a tile.
  __device__ Place begin() const { return begin_; }
  __device__ Place end() const { return end_; }
  static constexpr Place tile = Place(items) * selecting_threads;
  static constexpr Place step = 32 * each;  // between a thread's vectors
  __device__ static Place first_of_thread() {
    return threadIdx.x / 32 * (32 * items) + threadIdx.x % 32 * each;
  }

  // The vectors at the places first, first + step, ... of those that it has.
  __device__ batch load(Place first) const {
    batch x;
    if (first >= lead_ && first + (loads - 1) * step + each <= end_) {
#pragma unroll
      for (int j = 0; j < loads; ++j) row_.load(x.x + j * each, first + j * step - lead_);
      x.live = items == 32 ? ~0u : (1u << items) - 1;
    } else {
      x.live = 0;
#pragma unroll
      for (int j = 0; j < loads; ++j) load_part(x, j, first + j * step);
    }
    return x;
  }
  __device__ Place index_of(Place place) const { return place - lead_; }
  // The index of an element of what was loaded so.
  __device__ Place index(Place first, int i) const {
    return first + i / each * step + i % each - lead_;
  }

  // Calls f(batch, index) for every tile, by all threads of the block, until it returns true; the
  // batch's element i has the index index(i).
  template <class F>
  __device__ void for_tiles_until(F f) const {
#pragma unroll 1
    for (Place at = begin_; at < end_; at += tile) {
      Place const first = at + first_of_thread();
      batch const x = load(first);
      if (f(x, [&](int i) { return index(first, i); })) return;
    }
  }
  template <class F>
  __device__ void for_tiles(F f) const {
    for_tiles_until([&](auto const& x, auto index) {
      f(x, index);
      return false;
    });
  }

 private:
  // A vector of which some elements may be outside.
  __device__ void load_part(batch& x, int j, Place p) const {
    bool const some = p < end_ && p + each > lead_;
#pragma unroll
    for (int e = 0; e < each; ++e) {
      bool const there = some && p + e >= lead_ && p + e < end_;
      x.x[j * each + e] = there ? row_[p + e - lead_] : bits(0);
      x.live |= unsigned(there) << (j * each + e);
    }
  }

  Row const row_;
  Place lead_, begin_, end_;
};

}  // namespace tally::device
