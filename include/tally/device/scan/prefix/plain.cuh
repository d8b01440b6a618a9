// SPDX-License-Identifier: Apache-2.0
//
// How blocks scan an aggregate whose state is small: a state a lane, scanned over the warp and over
// the block's warps, and totals of tiles put together in groups. Which operands meet depends on the
// elements' places alone, so that an operator that rounds gives the same bits in every run. Lanes
// go by steps (steps.cuh) where an aggregate has some.
#pragma once

#include <optional>

#include "tally/aggregate/aggregate.hpp"
#include "tally/aggregate/zipped.hpp"
#include "tally/device/grid/status_word.cuh"
#include "tally/device/grid/tile_states.cuh"
#include "tally/device/identity.cuh"
#include "tally/device/input/warp_tile.cuh"
#include "tally/device/scan/prefix/steps.cuh"
#include "tally/warp/scan.cuh"

namespace tally::device {

// What the threads of a group before the calling one have, joined; `none` in the first. A group has
// `width` threads, a power of 2: those of more than a warp are the block. All threads call this.
template <class T, class Join>
__device__ T before_in_group(T const& x, T const& none, Join join, unsigned width) {
  alignas(16) __shared__ unsigned char memory[warp_size * sizeof(T)];
  auto* const totals = reinterpret_cast<T*>(memory);  // in which no constructor has run
  unsigned const in_warp = width < unsigned(warp_size) ? width : unsigned(warp_size);
  unsigned const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  T const through = warp::inclusive_scan_of(x, join, in_warp);
  T before = warp::shift_up(through);
  if ((lane & (in_warp - 1)) == 0) before = none;
  if (width == in_warp) return before;
  if (lane == warp_size - 1) totals[warp] = through;
  __syncthreads();
  T const mine = lane < width / warp_size ? totals[lane] : none;
  T const warps = warp::inclusive_scan(mine, join);
  __syncthreads();  // the memory is free again
  return warp == 0 ? before : join(warp::broadcast(warps, int(warp) - 1), before);
}

// `A` has an identity. States are joined in index order, which a reverse scan meets from behind.
template <aggregate A, class Known>
struct plain_prefix {
  using element = typename A::element;
  using result = typename A::result;
  using state = typename A::state;
  // As much of the shared memory as there is: the best of three shapes on an H200.
  static constexpr int threads = sizeof(state) <= 16 ? 384 : 96;
  static constexpr int vectors = 7, stages = 5, ahead = sizeof(state) <= 16 ? 3 : 1;
  static constexpr int wave_threads = sizeof(state) <= 16 ? 896 : 256;
  static constexpr int wave_vectors = 5, wide_wave_vectors = 9;
  static constexpr int words = words_of<state>;

  struct alignas(16) stored {  // in shared memory, which runs no constructors
    unsigned char bytes[sizeof(state)];
    __device__ void operator=(state const& s) { memcpy(bytes, &s, sizeof s); }
    __device__ operator state() const {
      state s;
      memcpy(static_cast<void*>(&s), bytes, sizeof s);
      return s;
    }
  };
  using total = stored;
  using before = stored;
  using start = stored;
  using part = state;  // of the warp's elements before the lane's
  struct carried {
    state groups;  // all groups of 32 tiles below that of the last tile; in lane 0
  };

  bool skips_nan, reverse;
  state before_all;
  A a;
  maybe<Known>* after = nullptr;

  void leave_at(maybe<Known>* to) { after = to; }
  static __device__ void clear(total&) {}
  __device__ carried begin() const { return {before_all}; }

  template <class Tile>
  __device__ part gather(Tile const& tile, total& all) const {
    state const through = through_lanes(tile, warp_size);
    if (threadIdx.x % warp_size == warp_size - 1) all = through;
    return before_lane(through);
  }

  __device__ void publish(mailbox const& at, std::uint32_t tile, bool is_last, total const* totals,
                          unsigned warps, before* parts) const {
    unsigned const lane = threadIdx.x % warp_size;
    state const mine = lane < warps ? state(totals[lane]) : a.identity();
    state const through = warp::inclusive_scan(mine, joiner{this});
    if (!is_last && lane == warp_size - 1)
      tile_states<state>(at.words, at.epoch).publish(tile, through);
    state const here = before_lane(through);
    if (lane < warps) parts[lane] = here;
  }

  // A group is folded by lanes, a tile each. Several are asked for at once.
  __device__ void carry(carried& c, mailbox const& at, std::uint32_t from, std::uint32_t to,
                        start& all) const {
    std::uint32_t const last = to / warp_size;
    state sum = c.groups;
    for (std::uint32_t first = from / warp_size; first <= last; first += at_once) {
      state group[at_once];
      collect(at, first * warp_size, to, group);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (first + i > last) break;
        sum = join(sum, group[i]);
        if (first + i < last) c.groups = sum;
      }
    }
    if (threadIdx.x % warp_size == 0) all = sum;
  }

  // Rows, and parts of rows, that lanes have by themselves.
  static constexpr bool is_certain = true;
  template <class Tile>
  __device__ bool row_results(Tile const& tile, result* all) const {
    auto c = begin();
    return part_results(tile, c, all);
  }
  template <class Tile>
  __device__ bool part_results(Tile const& tile, carried& c, result* all) const {
    state const through = through_lanes(tile, tile.width);
    state const before = warp::shift_up(through);
    put_out(tile, join(c.groups, tile.lane == 0 ? a.identity() : before), all);
    c.groups = join(c.groups, warp::broadcast(through, warp_size - 1));
    return true;
  }

  // Rows, and chunks of rows, that threads have by themselves.
  using chunk = stored;
  static constexpr int chunk_digits = 0;
  static constexpr bool rereads = false;
  __device__ state first_chunk() const { return before_all; }
  __device__ std::int32_t const* first_digits() const { return nullptr; }
  template <class Row>
  __device__ void add_up_by_thread(Row const& row, chunk& all, std::int32_t*) const {
    state sum = a.identity();
    each_few(row, [&](std::uint64_t, auto const& few) {
#pragma unroll
      for (unsigned k = 0; k < Row::at_once; ++k) sum = join(few[k], sum);  // from the end
    });
    all = sum;
  }
  template <class Row>
  __device__ result scan_by_thread(Row const& row, state const& before, std::int32_t const*) const {
    state sum = before;
    each_few(row, [&](std::uint64_t first, auto const& few) {
      result out[Row::at_once];
#pragma unroll
      for (unsigned k = 0; k < Row::at_once; ++k) {
        state const through = join(sum, few[k]);
        out[k] = lower_or_none(a, row.exclusive ? sum : through);
        sum = through;
      }
      row.write(first, out);
    });
    return lower_or_none(a, sum);
  }
  template <class Chunks>
  __device__ void carry_through(Chunks const& chunks, std::uint32_t r, unsigned width) const {
    auto const row = chunks.row(r);
    unsigned const each = (row.number + width - 1) / width, first = threadIdx.x % width * each;
    unsigned const end = min(first + each, row.number);
    state mine = a.identity();
    row.each(first, end, a.identity(),
             [&](chunk&, state const& total) { mine = join(mine, total); });
    state sum = join(before_all, before_in_group(mine, a.identity(), joiner{this}, width));
    row.each(first, end, a.identity(), [&](chunk& at, state const& total) {
      at = sum;
      sum = join(sum, total);
    });
  }

  // All tiles before one of a wave. Each lane has some neighbours, and those that are not there yet
  // are read again together: shuffles of a warp that has diverged are slow.
  __device__ void start_in_wave(mailbox const& at, std::uint32_t tile, start& all) const {
    constexpr int at_once = words <= 2 ? 5 : 1;
    tile_states<state> const totals(at.words, at.epoch);
    std::uint32_t const each = (tile + warp_size - 1) / warp_size;
    std::uint32_t const first = threadIdx.x % warp_size * each, end = min(first + each, tile);
    state sum = a.identity();
#pragma unroll 1
    for (std::uint32_t next = first; next < first + each; next += at_once) {
      typename tile_states<state>::seen now[at_once];
      state x[at_once];
      bool there[at_once] = {}, every;
      do {
#pragma unroll
        for (int i = 0; i < at_once; ++i)
          if (!there[i] && next + i < end) now[i] = totals.read(next + i);
        every = true;
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          there[i] = there[i] || next + i >= end || totals.take(now[i], x[i]);
          every = every && there[i];
        }
      } while (!__all_sync(~0u, every));
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (next + i < end) sum = join(sum, x[i]);
    }
    sum = warp::reduce(sum, joiner{this});
    if (threadIdx.x % warp_size == 0) all = join(before_all, sum);
  }

  template <class Tile>
  __device__ void results(Tile const& tile, total const*, unsigned, start const& s,
                          before const& parts, part const& here, result* all) const {
    put_out(tile, join(join(s, parts), here), all);
  }

 private:
  // Calls visit(position, states) with some of the row's elements after others, and what adds
  // nothing behind the last ones.
  template <class Row, class Visit>
  __device__ void each_few(Row const& row, Visit visit) const {
    row.each_few([&](std::uint64_t position, element const(&x)[Row::at_once]) {
      state few[Row::at_once];
      unsigned const count = row.there(position);
#pragma unroll
      for (unsigned k = 0; k < Row::at_once; ++k) {
        bool is_there = k < count;
        if constexpr (has_nan<element>) is_there = is_there && !(skips_nan && is_nan(x[k]));
        few[k] = is_there ? a.lift(x[k], row.index(position + k)) : a.identity();
      }
      visit(position, few);
      return true;
    });
  }
  // Puts out the results of a lane's elements, and the total if it is here.
  template <class Tile>
  __device__ void put_out(Tile const& tile, state const& before, result* all) const {
    state through = before;
    if constexpr (has_steps<A>) {
      auto const filled = tile.filled_up(steps::nothing());
      each_batch<A>(filled, skips_nan, [&](int k, auto const& x) {
        batch_of<result, decltype(x)> out;
        through = scan_by_steps<A>(through, x, tile.exclusive, reverse, out);
        if constexpr (by_vectors<Tile, element, result>)
          filled.template replace_vector<result>(k, out);
        else
          filled.template replace<result>(out);
      });
    } else {
      items_of<element, Tile::items> x;
      items_of<result, Tile::items> out;
      tile.read(x);
      through = scan_states(tile, x, before, out);
      tile.template replace<result>(out);
    }
    if (!tile.is_last || !tile.has_last()) return;
    if (all) all[tile.row] = lower_or_none(a, through);
    if (after) put_state(a, through, *after);
  }

  using steps = steps_of<A>;
  template <class T, class Batch>
  using batch_of = items_of<T, std::remove_cvref_t<Batch>::size>;
  // What the elements of a row's lanes, of which there are `width`, come to up to each lane.
  template <class Tile>
  __device__ state through_lanes(Tile const& tile, unsigned width) const {
    if constexpr (has_steps<A>) {
      return through_lanes_by_steps(tile.filled_up(steps::nothing()), width);
    } else {
      items_of<element, Tile::items> x;
      tile.read(x);
      state sum = a.identity();
      for_elements(tile, x, [&](int k) { sum = join(sum, lifted(tile, x, k)); }, [](int) {});
      return warp::inclusive_scan_of(sum, joiner{this}, width);
    }
  }
  template <class Tile>
  __device__ state through_lanes_by_steps(Tile const& tile, unsigned width) const {
    auto sum = steps::none();
    each_batch<A>(tile, skips_nan,
                  [&](int, auto const& x) { sum = steps::combine(sum, steps::fold(x)); });
    if constexpr (requires { steps::is_certain(sum); })
      if (!__all_sync(~0u, steps::is_certain(sum))) {
        state s = a.identity();
        each_batch<A>(tile, skips_nan,
                      [&](int, auto const& x) { s = steps::state_behind(s, x, reverse); });
        if (steps::is_certain(sum)) s = steps::state_of(sum);
        return warp::inclusive_scan_of(s, joiner{this}, width);
      }
    return steps::state_of(
        warp::inclusive_scan_of(sum, [](auto l, auto r) { return steps::combine(l, r); }, width));
  }
  template <class Tile, class Items, class Results>
  __device__ state scan_states(Tile const& tile, Items const& x, state const& before,
                               Results& out) const {
    state sum = before, earlier = before;
    for_elements(
        tile, x,
        [&](int k) {
          earlier = sum;
          sum = join(sum, lifted(tile, x, k));
          out.set(k, lower_or_none(a, tile.exclusive ? earlier : sum));
        },
        [&](int k) { out.set(k, lower_or_none(a, sum)); });
    return sum;
  }
  __device__ state join(state const& earlier, state const& later) const {
    if constexpr (requires { steps::is_certain(steps::none()); }) {
      auto const sum = steps::combine(steps::start(earlier), steps::start(later));
      return steps::is_certain(sum) ? steps::state_of(sum)
                                    : steps::state_behind(earlier, later, reverse);
    } else {
      return reverse ? a.combine(later, earlier) : a.combine(earlier, later);
    }
  }
  struct joiner {
    plain_prefix const* prefix;
    __device__ state operator()(state const& l, state const& r) const { return prefix->join(l, r); }
  };
  __device__ state before_lane(state const& through) const {
    state const before = warp::shift_up(through);
    return threadIdx.x % warp_size == 0 ? a.identity() : before;
  }
  // The k-th element of the lane, which is there.
  template <class Tile, class Items>
  __device__ state lifted(Tile const& tile, Items const& x, int k) const {
    return a.lift(x[k], tile.first + tile.place(tile.position(k)));
  }
  // Calls each(k) for the lane's elements that count, in their order, and none(k) for the others.
  template <class Tile, class Items, class Each, class None>
  __device__ void for_elements(Tile const& tile, Items const& x, Each each, None none) const {
    if (tile.is_whole() && !(has_nan<element> && skips_nan)) {
#pragma unroll
      for (int k = 0; k < Tile::items; ++k) each(k);
      return;
    }
    auto const counts = [&](int k) {
      if constexpr (has_nan<element>)
        if (skips_nan && is_nan(x[k])) return false;
      return tile.has(k);
    };
#pragma unroll
    for (int k = 0; k < Tile::items; ++k)
      if (counts(k))
        each(k);
      else
        none(k);
  }

  // The folds of the first groups from a tile on that begins one, in lane 0, as far as there are
  // tiles.
  static constexpr int at_once = words <= 2 ? 6 : 1;
  __device__ void collect(mailbox const& at, std::uint32_t from, std::uint32_t to,
                          state (&group)[at_once]) const {
    tile_states<state> const totals(at.words, at.epoch);
    std::uint32_t const first = from + threadIdx.x % warp_size;
    if (from >= to) {
      for (state& g : group) g = a.identity();
      return;
    }
    bool there[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {  // any tile will do for those that are not there
      std::uint32_t const tile = first + i * warp_size;
      there[i] = totals.look(tile < to ? tile : from, group[i]) || tile >= to;
      if (tile >= to) group[i] = a.identity();
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      while (!__all_sync(~0u, there[i]))
        if (!there[i]) there[i] = totals.look(first + i * warp_size, group[i]);
      group[i] = warp::reduce(group[i], joiner{this});
    }
  }
};

// `Known` is the state as the host has it.
template <class Known, aggregate A>
auto make_plain_prefix(A const& a, bool skips_nan, bool reverse,
                       std::optional<typename A::state> const& before) {
  auto const whole = ordered_on_device(a);
  using whole_type = std::remove_const_t<decltype(whole)>;
  return plain_prefix<whole_type, Known>{
      skips_nan, reverse, before ? start_state(whole, *before) : whole.identity(), whole};
}
template <aggregate A>
auto make_plain_prefix(A const& a, bool skips_nan, bool reverse,
                       std::optional<typename A::state> const& before) {
  return make_plain_prefix<typename A::state>(a, skips_nan, reverse, before);
}

}  // namespace tally::device
