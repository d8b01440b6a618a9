// SPDX-License-Identifier: Apache-2.0
//
// The k best of each of short rows, for small k: some lanes of a warp have a row in registers. What
// reaches a threshold is put aside, and each of it finds its place by counting what is better.
#pragma once

#include <array>

#include "tally/device/top_k/payload.cuh"
#include "tally/device/top_k/rows.cuh"
#include "tally/device/top_k/select/biased_row.cuh"
#include "tally/device/top_k/select/short_row.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

// How a kernel has rows: by so many lanes each, which have so many elements each, for a k of up to
// `Most`.
template <int Lanes, int Each, int Most>
struct short_rows_shape {
  static constexpr int lanes = Lanes, each = Each, most = Most;
  static constexpr int room = 2 * most;  // for what is put aside of a row
  // Of a row, whose largest tell where the best end: the fewer there are, the more is put aside.
  static constexpr int groups = (most == 8 ? 4 : 2) * most;
  // Of a block: few, as its registers are free when all of them have ended.
  static constexpr int warps = each < 32 ? 2 : 1, rows = warps * warp_size / lanes;
  // Of a multiprocessor, at least: without that, registers for longer lists leave fewer warps,
  // which wait for memory together.
  static constexpr int blocks = each < 32 || (most == 8 && lanes < 32) ? 1
                                : most == 16                           ? 32
                                : lanes == 8                           ? 20
                                                                       : 24;
};

struct row_lanes {
  int lanes, each;

  constexpr bool operator==(row_lanes const&) const = default;
  constexpr std::uint64_t longest() const { return std::uint64_t(lanes * each); }
};
// Which shapes there are: of `all` the first that is long enough is for many rows, and of few short
// ones a row has more lanes; of `most` the first that is no less than k is taken. Longer elements
// take more registers. Of inputs that are no arrays there are few, since callers compile them.
template <class In, std::size_t Bytes = sizeof(typename In::element)>
struct short_rows_shapes {
  static constexpr row_lanes of_few = {8, 32};
  static constexpr std::array<row_lanes, 3> all{{of_few, {16, 32}, {32, 32}}};
  static constexpr std::array<int, 2> most{8, 32};
};
template <class In>
struct short_rows_shapes<In, 8> {
  static constexpr row_lanes of_few = {16, 16};
  static constexpr std::array<row_lanes, 2> all{{of_few, {32, 16}}};
  static constexpr std::array<int, 1> most{16};
};
template <class Bits>
struct short_rows_shapes<array_input<Bits>, sizeof(Bits)> {
  static constexpr row_lanes of_few = {32, 8};
  static constexpr std::array<row_lanes, 5> all{{{8, 16}, {8, 32}, {16, 32}, {32, 32}, of_few}};
  static constexpr std::array<int, 3> most{8, 16, 32};
};
template <>
struct short_rows_shapes<array_input<std::uint8_t>, 1> {
  static constexpr row_lanes of_few = {16, 16};
  static constexpr std::array<row_lanes, 5> all{{{8, 16}, {8, 32}, {16, 32}, {32, 32}, of_few}};
  static constexpr std::array<int, 3> most{8, 16, 32};
};
template <>
struct short_rows_shapes<array_input<std::uint64_t>, 8> {
  static constexpr row_lanes of_few = {32, 8};
  static constexpr std::array<row_lanes, 4> all{{{8, 16}, {16, 16}, {32, 16}, of_few}};
  static constexpr std::array<int, 2> most{8, 16};
};

// What is put aside: where elements are held, and then what ranks them.
template <class Bits, class Shape>
struct short_row_room {
  using type = typename ranked_in_row<Bits>::type;
  static constexpr int vector = vector_bytes / int(sizeof(type));

  alignas(vector_bytes) type ranked[Shape::room + vector];  // rows begin in different banks
  std::uint16_t place[Shape::room];                         // a lane, and which of its elements

  __device__ void read(type (&some)[vector], unsigned first) const {
    if constexpr (vector == 1) {
      some[0] = ranked[first];
    } else {
      uint4 const all = *reinterpret_cast<uint4 const*>(ranked + first);
      __builtin_memcpy(some, &all, sizeof all);
    }
  }
};

// Finds the best of a row, k of them at most, by a group of lanes; all of a warp call together.
template <class Shape, class Row>
class short_selection {
 public:
  using bits = typename Row::bits;
  using room_type = short_row_room<bits, Shape>;

  __device__ short_selection(Row const& row, row_words<bits> const& words, unsigned k,
                             room_type& room)
      : k_(k), room_(room) {
    put_aside(row, words);
    __syncwarp();
    read_back(row, words);
  }

  __device__ unsigned count() const { return count_ < k_ ? count_ : k_; }

  // Calls put(place, element, index) for each of them.
  template <class Put>
  __device__ void emit(bool sorted, Put put) {
    find_places([](auto const& a, auto const& b) { return rank::first(a, b); });
    bool chosen[own];
#pragma unroll
    for (int i = 0; i < own; ++i) chosen[i] = slot(i) < count_ && place_[i] < k_;
    if (!sorted) {
      __syncwarp();
#pragma unroll
      for (int i = 0; i < own; ++i)
        if (slot(i) < count_ && !chosen[i]) room_.ranked[slot(i)] = behind_all();
      find_places([](auto const& a, auto const& b) { return rank::index(a) < rank::index(b); });
    }
#pragma unroll
    for (int i = 0; i < own; ++i)
      if (chosen[i]) put(place_[i], element_[i], rank::index(ranked_[i]));
  }

 private:
  using rank = ranked_in_row<bits>;
  using type = typename rank::type;
  using held = short_row<bits, Shape::lanes, Shape::each>;
  // Of what is put aside a lane has so many in its care.
  static constexpr int own = (Shape::room + Shape::lanes - 1) / Shape::lanes;

  // So little room is looked at without a branch: what is not used is behind all others.
  static constexpr bool looks_at_all = Shape::room <= 16;

  unsigned k_;
  room_type& room_;
  unsigned count_, most_;  // that are put aside: of the row, and of any row of the warp
  type ranked_[own];
  bits element_[own];
  unsigned place_[own];

  __device__ static unsigned lane() { return threadIdx.x % Shape::lanes; }
  __device__ static unsigned slot(int i) { return unsigned(i * Shape::lanes) + lane(); }
  __device__ static type behind_all() { return rank::of(0, rank::indexed ? 0xffff : ~0u); }

  __device__ void put_aside(Row const& row, row_words<bits> const& words) {
    held const in(row, words);
    auto threshold = in.template threshold<Shape::most, Shape::groups>();
    if (threshold < words.least()) threshold = words.least();
    unsigned mask = in.reaching(threshold);
    auto found = in.count(mask);
    if (__any_sync(~0u, found.all > Shape::room)) {
      mask = in.at_most(Shape::room, k_, threshold, mask, found.all);
      found = in.count(mask);
    }
    count_ = found.all;
    most_ = looks_at_all ? unsigned(Shape::room) : warp::all_reduce(count_, larger{});
    for (unsigned at = found.before; mask; ++at) {
      int const last = 31 - __clz(int(mask));
      mask ^= 1u << last;
      room_.place[at] = std::uint16_t(lane() * Shape::each + unsigned(last));
    }
  }
  // Elements are read again: it takes an index to find one among registers.
  __device__ void read_back(Row const& row, row_words<bits> const& words) {
    unsigned index[own];
#pragma unroll
    for (int i = 0; i < own; ++i) {
      unsigned const place = slot(i) < count_ ? room_.place[slot(i)] : 0;
      index[i] = held::index_of(place / Shape::each, int(place % Shape::each));
      element_[i] = slot(i) < count_ ? row[index[i]] : bits(0);
    }
#pragma unroll
    for (int i = 0; i < own; ++i) {
      ranked_[i] = slot(i) < count_ ? words.ranked(element_[i], index[i]) : behind_all();
      if (slot(i) < count_) element_[i] = chosen_of(row, index[i], element_[i]);
      if (slot(i) < Shape::room) room_.ranked[slot(i)] = ranked_[i];
    }
  }
  // How many of those that are put aside are before each of the lane's.
  template <class Before>
  __device__ void find_places(Before before) {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < own; ++i) place_[i] = 0;
#pragma unroll(looks_at_all ? Shape::room : 2)
    for (unsigned j = 0; j < (looks_at_all ? Shape::room : most_); j += room_type::vector) {
      type others[room_type::vector];
      room_.read(others, j);
#pragma unroll
      for (int i = 0; i < own; ++i)
        if (looks_at_all || unsigned(i * Shape::lanes) < most_)
#pragma unroll
          for (type const& other : others) place_[i] += before(other, ranked_[i]);
    }
  }
};

// Constants come from memory, too, 64 bytes at a time, and a short call waits for each of them: so
// what is needed first is together.
template <class In>
struct short_rows_call {
  using bits = bits_of<typename In::element>;

  In in;
  std::uint64_t count;
  std::int64_t stride;
  unsigned length, most;
  bool are_alike;  // rows are as long, one stride after another, and k is the same for all
  row_words<bits> words;
  detail::gpu_selection<bits> how;
  row_layout rows;
  payload_words payload;

  explicit short_rows_call(top_k_request<In> const& of,
                           detail::gpu_payload const* what_belongs = nullptr)
      : in(of.in),
        count(of.rows.count),
        stride(of.rows.stride),
        length(unsigned(of.rows.length)),
        most(unsigned(of.how.most)),
        are_alike(!of.rows.starts && !of.rows.lengths && !of.rows.inner && !of.how.ks),
        words(of.order),
        how(of.how),
        rows(of.rows),
        payload(what_belongs ? payload_words(*what_belongs) : payload_words()) {}

  // The row r, or an empty one where there is no such row.
  __device__ auto row(std::uint64_t r) const {
    std::int64_t begin = std::int64_t(r) * stride;
    unsigned size = r < count ? length : 0;
    if (!are_alike && size > 0) begin = rows.begin(r), size = unsigned(rows.size(r));
    return row_of(in, std::uint64_t(begin), size);
  }
  __device__ unsigned k_of(std::uint64_t r, unsigned size) const {
    unsigned const k = are_alike || size == 0 ? most : unsigned(how.k_of(r));
    return k < size ? k : size;
  }
};

template <class Shape, class In>
__global__ void __launch_bounds__(warp_size* Shape::warps, Shape::blocks)
    top_k_short_rows(__grid_constant__ short_rows_call<In> const call) {
  __shared__ short_row_room<typename short_rows_call<In>::bits, Shape> room[Shape::rows];
  unsigned const group = threadIdx.x / Shape::lanes, lane = threadIdx.x % Shape::lanes;
#pragma unroll 1
  for (std::uint64_t first = std::uint64_t(blockIdx.x) * Shape::rows; first < call.count;
       first += std::uint64_t(gridDim.x) * Shape::rows) {
    std::uint64_t const r = first + group;
    auto const row = call.row(r);
    short_selection<Shape, std::remove_const_t<decltype(row)>> best(
        row, call.words, call.k_of(r, unsigned(row.count)), room[group]);
    best.emit(call.how.sorted, [&](unsigned place, auto element, std::uint32_t index) {
      call.how.put(r * call.how.most + place, element, index);
      if (call.payload.chosen) room[group].place[place] = std::uint16_t(index);
    });
    if (r < call.count) finish_row(call.how, r, best.count(), lane, Shape::lanes);
    __syncwarp();
    if (call.payload.chosen && r < call.count) {
#pragma unroll 1
      for (unsigned i = lane; i < call.most; i += Shape::lanes)
        call.payload.put(std::uint64_t(r) * call.most + i,
                         i < best.count() ? call.rows.begin(r) + room[group].place[i] : -1);
    }
    __syncwarp();
  }
}

// ---- Different values, each at its first index: lanes find one after the other.

inline constexpr int short_values_warps = 4;  // of a block

// Which lanes there are: the first that have room for a row. A lane has a value of the k, and looks
// at all its elements for each.
template <class Bits>
inline constexpr std::array<row_lanes, 2> short_values_lanes =
    sizeof(Bits) == 8   ? std::array<row_lanes, 2>{{{32, 8}, {32, 16}}}
    : sizeof(Bits) == 1 ? std::array<row_lanes, 2>{{{16, 16}, {32, 32}}}
                        : std::array<row_lanes, 2>{{{32, 8}, {32, 32}}};
inline constexpr std::uint64_t most_looks = 256;
constexpr bool has_lanes_for(row_lanes const& by, std::uint64_t length, std::uint64_t k) {
  return length <= by.longest() && k <= std::uint64_t(by.lanes) &&
         k * std::uint64_t(by.each) <= most_looks;
}

// Finds the best different values of a row, k of them at most: the lane number i of those that have
// it gets the i-th one's index. Returns how many there are; all lanes of a warp call together.
template <int Lanes, int Each, class Bits, class Row>
__device__ unsigned find_values(Row const& row, row_words<Bits> const& words, unsigned k,
                                unsigned& index) {
  using rank = typename row_words<Bits>::rank;
  using word = typename row_words<Bits>::word;
  short_row<Bits, Lanes, Each> const in(row, words);
  unsigned const lane = threadIdx.x % Lanes;
  unsigned found = 0;
  word bound = 0;  // of what has not been found: all
  bool more = k > 0;
  while (__any_sync(~0u, more)) {
    word const next = bound + warp::all_reduce<Lanes>(in.next_below(bound), larger{});
    more = more && next >= words.least() && (found == 0 || next < bound);
    unsigned at;
    if constexpr (rank::indexed)
      at = rank::index(next);
    else
      at = warp::all_reduce<Lanes>(in.first_at(next), smaller{});
    more = more && at < row.count;  // behind the row's end there are more of the worst
    if (more && lane == found) index = at;
    found += more;
    bound = rank::indexed ? word(next & ~word(0xffff)) : next;
    more = more && found < k && bound != 0;
  }
  return found;
}

template <int Lanes, int Each, class In>
__global__ void __launch_bounds__(warp_size* short_values_warps)
    distinct_of_short_rows(__grid_constant__ short_rows_call<In> const call) {
  constexpr unsigned rows = short_values_warps * warp_size / Lanes;
  unsigned const group = threadIdx.x / Lanes, lane = threadIdx.x % Lanes;
#pragma unroll 1
  for (std::uint64_t first = std::uint64_t(blockIdx.x) * rows; first < call.count;
       first += std::uint64_t(gridDim.x) * rows) {
    std::uint64_t const r = first + group;
    auto const row = call.row(r);
    unsigned index = ~0u;
    unsigned const count =
        find_values<Lanes, Each>(row, call.words, call.k_of(r, unsigned(row.count)), index);
    unsigned place = lane;
    if (!call.how.sorted) {
      place = 0;
#pragma unroll 1
      for (int i = 0; i < Lanes; ++i) place += warp::broadcast<Lanes>(index, i) < index;
    }
    if (lane < count) call.how.put(r * call.how.most + place, row[index], std::int64_t(index));
    if (r < call.count) finish_row(call.how, r, count, lane, Lanes);
  }
}

}  // namespace tally::device
