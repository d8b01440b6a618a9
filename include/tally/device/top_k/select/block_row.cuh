// SPDX-License-Identifier: Apache-2.0
//
// A row that a block holds, as keys in its threads' registers: where its best end is found digit by
// digit, as in cut.cuh, but the row is read once.
#pragma once

#include <type_traits>

#include "tally/device/top_k/select/cut.cuh"
#include "tally/device/top_k/select/ranked.cuh"

namespace tally::device {

// What the threads of a block share.
struct block_row_board {
  digit_counts<std::uint32_t> digits;
  unsigned of_warp[2][selecting_threads / 32];
};

template <class Row, int Loads>
class block_row {
 public:
  using bits = typename Row::bits;
  using reading = stretch<Row, std::uint32_t, Loads>;
  static constexpr int items = reading::items;

  // 0 < row.count, and a block's tile has all of the row's places.
  __device__ block_row(Row const& row, rank_order<bits> const& order)
      : skips_(order.skips), from_lead_(reading::first_of_thread() - row.lead()) {
    auto const x = reading(row, 0, 1).load(reading::first_of_thread());
    live_ = x.live;
#pragma unroll
    for (int i = 0; i < items; ++i) key_[i] = order(x.x[i]);
    if (std::uint32_t(~live_) << (32 - items) != 0)
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (!(live_ >> i & 1)) key_[i] = 0;
    constexpr unsigned of_warp = 32 * items;
    unsigned const warps = (row.lead() + unsigned(row.count) + of_warp - 1) / of_warp;
    is_empty_ = threadIdx.x / 32 >= warps;
  }

  // A cut behind the k best, or up to `slack` more, 0 < k <= row.count; cut::equal is how many
  // equal it, or more if its key is 0. Those that the order skips are not among them.
  __device__ cut<bits, std::uint32_t> find_cut(block_row_board& shared, unsigned k,
                                               unsigned slack) const {
    cut<bits, std::uint32_t> found{0, k, 0, 0};
    word known = 0;  // which of the key's bits are those of `low`
#pragma unroll 1
    for (int top = 8 * int(sizeof(bits)); top > 0; top -= digit_bits) {
      int const shift = top > digit_bits ? top - digit_bits : 0;
      unsigned const mask = (1u << (top - shift)) - 1;
      if (known == 0)
        count_digits<true>(shared.digits.here, 0, 0, first_shift, (1u << first_bits) - 1);
      else
        count_digits<false>(shared.digits.here, found.low, known, shift, mask);
      find_digit(shared.digits, shared.digits.here, found.ties);
      found.ties -= shared.digits.before, found.equal = shared.digits.inside;
      found.low = bits(found.low | bits(bits(shared.digits.digit) << shift));
      known |= word(mask) << shift;
      // All of this digit and of those above it are wanted, or are few enough.
      if (found.equal - found.ties <= slack && found.low != 0)
        return {bits(found.low - 1), 0, 0, 0};
    }
    if (skips_ && found.low == 0) found.ties = 0;
    return found;
  }

  // Puts those behind a cut into a list, in the order of their indices. Returns how many there are.
  __device__ unsigned take(block_row_board& shared, cut<bits, std::uint32_t> const& at,
                           typename ranked<bits>::type* list) const {
    unsigned chosen = 0, places[vectors];
#pragma unroll
    for (int i = 0; i < items; ++i) chosen |= unsigned(key_[i] > at.low) << i;
    if (at.ties > 0) {
      unsigned equal = 0;
#pragma unroll
      for (int i = 0; i < items; ++i) equal |= unsigned(key_[i] == at.low) << i;
      equal &= live_;
      if (at.equal > at.ties) {
        find_places(shared.of_warp[0], equal, places);
#pragma unroll
        for (int i = 0; i < items; ++i) {
          unsigned& place = places[i / reading::each];
          if (equal >> i & 1 && place++ >= at.ties) equal &= ~(1u << i);
        }
      }
      chosen |= equal;
    }
    unsigned const count = find_places(shared.of_warp[1], chosen, places);
#pragma unroll
    for (int j = 0; j < vectors; ++j) {
      auto* to = list + places[j];
#pragma unroll
      for (int e = 0; e < reading::each; ++e) {
        int const i = j * reading::each + e;
        if (chosen >> i & 1)
          *to++ = ranked<bits>::of(bits(key_[i]), from_lead_ + j * reading::step + e);
      }
    }
    return count;
  }

 private:
  using word = std::conditional_t<sizeof(bits) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int vectors = reading::loads;
  static constexpr int first_bits = 8 * sizeof(bits) < digit_bits ? 8 * sizeof(bits) : digit_bits;
  static constexpr int first_shift = 8 * int(sizeof(bits)) - first_bits;

  // Of all keys, or of those that are those of `low` in the bits that are known, how many have each
  // digit. Places without an element have the key 0, and count for the last digit: none is behind
  // it.
  template <bool All>
  __device__ void count_digits(std::uint32_t* counts, word low, word known, int shift,
                               unsigned mask) const {
    constexpr int each = digits / selecting_threads;
#pragma unroll
    for (int d = 0; d < each; ++d) counts[threadIdx.x + d * selecting_threads] = 0;
    __syncthreads();
    if (!is_empty_)
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (All || ((key_[i] ^ low) & known) == 0)
          atomicAdd(&counts[unsigned(key_[i] >> shift) & mask], 1u);
    __syncthreads();
  }

  // How many of those whose bits are set are before each of the thread's vectors. Returns how many
  // there are in the block. `of_warp` was not used since the block has met twice.
  __device__ unsigned find_places(unsigned* of_warp, unsigned set, unsigned* places) const {
    constexpr unsigned whole = (1u << reading::each) - 1;
    unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned total = 0;
    // Two vectors' counts in half a word each.
#pragma unroll
    for (int j = 0; j < vectors; j += 2) {
      unsigned const low = __popc(set >> (j * reading::each) & whole);
      unsigned const high =
          j + 1 < vectors ? __popc(set >> ((j + 1) % vectors * reading::each) & whole) : 0;
      unsigned const through = warp::inclusive_scan(low | high << 16, plus{});
      unsigned const all = warp::broadcast(through, 31);
      places[j] = total + (through & 0xffff) - low;
      total += all & 0xffff;
      if (j + 1 < vectors) places[j + 1] = total + (through >> 16) - high;
      total += all >> 16;
    }
    if (lane == 0) of_warp[warp] = total;
    __syncthreads();
    unsigned const theirs = lane < selecting_threads / 32 ? of_warp[lane] : 0;
    unsigned const before = warp::all_reduce(lane < warp ? theirs : 0, plus{});
#pragma unroll
    for (int j = 0; j < vectors; ++j) places[j] += before;
    return warp::all_reduce(theirs, plus{});
  }

  word key_[items];
  unsigned live_;
  bool skips_, is_empty_;
  unsigned from_lead_;  // of the thread's first place
};

}  // namespace tally::device
