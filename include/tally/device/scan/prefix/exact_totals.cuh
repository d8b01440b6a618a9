// SPDX-License-Identifier: Apache-2.0
//
// The exact totals of tiles, as an exact prefix publishes and collects them: mostly two doubles, of
// which the second is short, in one status word, or of elements that are doubles in two; else all
// digits, which are there when the status word is.
#pragma once

#include <bit>

#include "tally/device/grid/status_word.cuh"
#include "tally/device/sum/warp_number.cuh"

namespace tally::device {

template <floating In, class Number>
class exact_totals {
 public:
  static constexpr int short_words = std::is_same_v<In, double> ? 2 : 1;
  static constexpr int vectors = (Number::digits + 2) / 3;  // of three digits, of 16 bytes
  static constexpr int words = short_words + vectors;       // of a tile

  __device__ explicit exact_totals(mailbox const& at) : at_(at) {}

  // By a warp: the total of a tile, which is `sum`, or unless that is exact, what digits() returns.
  // If some elements were not finite, nothing else matters.
  template <class Digits>
  __device__ void publish(std::uint32_t tile, long_interval const& sum, unsigned seen,
                          Digits digits) const {
    int const lane = int(threadIdx.x % warp_size);
    bool const is_short =
        sum.is_exact() && (short_words > 1 || double(float(sum.least)) == sum.least);
    if (seen == 0 && !is_short) store_digits(*this, tile, digits());
    std::uint32_t const note = seen != 0         ? special | seen
                               : !is_short       ? special | all_digits
                               : short_words > 1 ? 0
                                                 : to_bits(float(sum.least));
    auto const word = to_bits(lane == 0 ? sum.head : sum.least);
    if (lane < short_words)
      device::publish(short_word(tile, lane), word, tag_of(at_.epoch, lane == 0 ? note : 0));
  }

  // What some tiles come to. A warp needs shared memory for it.
  struct collected {
    long_interval sum;
    unsigned seen;
    bool is_long;  // the sum is not exact, but these digits are
    warp_number<Number> digits;
  };
  __device__ collected collect(std::uint32_t from, std::uint32_t to,
                               std::int64_t (&memory)[Number::digits]) const {
    collected out{};
    for (; from < to; from += at_once * warp_size) {
      lanes const mine = read_tiles(from, to);
      auto sum = mine.sum;
#pragma unroll
      for (int flip = 1; flip < warp_size; flip *= 2) sum = sum + warp::exchange(sum, flip);
      sum = sum.normalised();
      out.seen |= __reduce_or_sync(~0u, mine.seen);
      auto const both = (out.sum + sum).normalised();
      if (!__any_sync(~0u, mine.is_long != 0) && !out.is_long && both.is_exact())
        out.sum = both;
      else if (out.seen == 0) {
        if (!out.is_long) out.digits.add(out.sum);
        out.is_long = true;
        out.digits = with_digits(*this, out.digits, from, to, mine, sum, memory);
      }
    }
    return out;
  }

 private:
  static constexpr std::uint32_t special = 0x7fc00000, all_digits = 8;
  static constexpr int at_once = short_words > 1 ? 3 : 5;                   // tiles a lane
  static constexpr int lanes_of_digits = std::bit_ceil(unsigned(vectors));  // that read a tile's
  mailbox at_;

  __device__ status_word* short_word(std::uint32_t tile, int i) const {
    return at_.words + std::uint64_t(tile) * short_words + i;
  }
  // Other launches may take this memory for status words: so the third int of a vector is the first
  // one, which makes the epoch 0 of it, and there is no such launch.
  __device__ int4* digits_of(std::uint32_t tile) const {
    return reinterpret_cast<int4*>(at_.words) + std::uint64_t(at_.tiles) * short_words +
           std::uint64_t(tile) * vectors;
  }
  // What a tile's words say.
  struct told {
    long_interval sum;
    unsigned seen;
    bool is_long;
  };
  struct read_words {
    content first, second;

    __device__ bool are_of(std::uint32_t epoch) const {
      return first.epoch() == epoch && (short_words == 1 || second.tag() == tag_of(epoch));
    }
    __device__ told say() const {
      std::uint32_t const note = first.note();
      bool const is_special = (note & special) == special;
      double const rest = short_words > 1 ? from_bits<double>(second.word) : from_bits<float>(note);
      double const head = is_special ? 0 : from_bits<double>(first.word);
      double const least = is_special ? 0 : rest;
      return {{head, least, least}, is_special ? note & 7 : 0, is_special && (note & all_digits)};
    }
  };
  __device__ read_words read(std::uint32_t tile) const {
    return {device::read(short_word(tile, 0)),
            short_words > 1 ? device::read(short_word(tile, 1)) : content{}};
  }

  // What a lane's tiles of a group come to, and which of them have digits.
  struct lanes {
    long_interval sum;
    unsigned seen, is_long;
  };
  static __device__ std::uint32_t tile_of(std::uint32_t first, int i) {
    return first + i * warp_size + threadIdx.x % warp_size;
  }
  // (Lanes stay together: shuffles of a warp that has diverged are slow.)
  __device__ lanes read_tiles(std::uint32_t first, std::uint32_t to) const {
    read_words words[at_once];
    bool are_there;
    do {
      are_there = true;
#pragma unroll
      for (int i = 0; i < at_once; ++i)  // any tile will do for those that are not there
        words[i] = read(tile_of(first, i) < to ? tile_of(first, i) : first);
#pragma unroll
      for (auto const& w : words) are_there = are_there && w.are_of(at_.epoch);
    } while (!__all_sync(~0u, are_there));
    lanes all{};
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      auto t = words[i].say();
      if (tile_of(first, i) >= to) t = {};
      all.sum = all.sum + t.sum, all.seen |= t.seen, all.is_long |= unsigned(t.is_long) << i;
    }
    return all;
  }

  static __device__ __noinline__ void store_digits(exact_totals at, std::uint32_t tile,
                                                   warp_number<Number> sum) {
    while (__any_sync(~0u, !sum.is_narrow())) sum.carry();  // a Number has room above any sum
    static_assert(vectors <= warp_size);
    int const lane = int(threadIdx.x % warp_size);
    auto const digit = [&](int i) { return int(sum.digit(min(3 * lane + i, Number::digits - 1))); };
    int const first = digit(0), second = digit(1), third = digit(2);
    if (lane < vectors) at.digits_of(tile)[lane] = {first, second, first, third};
    __syncwarp();
    __threadfence();
  }
  // Adds a group whose status words have been read. The short ones come to `sum`, or if that is not
  // exact, to the sum of what lanes have; or else each is added.
  static __device__ __noinline__ warp_number<Number> with_digits(
      exact_totals at, warp_number<Number> all, std::uint32_t first, std::uint32_t to, lanes mine,
      long_interval sum, std::int64_t (&memory)[Number::digits]) {
    __threadfence();  // digits were stored before the words that have been read
    __syncwarp();
    if (sum.is_exact()) {
      all.add(sum);
    } else {
      mine.sum = mine.sum.normalised();
      auto const add_both = [](auto add, long_interval const& x) { add(x.head), add(x.least); };
      if (__all_sync(~0u, mine.sum.is_exact()))
        sum_digits_of<Number, double, 2>([&](auto add) { add_both(add, mine.sum); }, memory);
      else
        sum_digits_of<Number, double, 2 * at_once>(
            [&](auto add) {
#pragma unroll 1
              for (int i = 0; i < at_once; ++i) {
                auto const tile = tile_of(first, i);
                if (tile >= to) break;
                read_words w;
                do w = at.read(tile);
                while (!w.are_of(at.at_.epoch));  // which they are: all of the words is looked at
                add_both(add, w.say().sum);
              }
            },
            memory);
      all.add_digits([&](int i) { return memory[i]; });
    }
    at.add_long(first, mine.is_long, all);
    __syncwarp();  // nothing of theirs is read behind this
    all.carry();
    return all;
  }
  // Of tiles of a group that have digits: some lanes read those of one tile, others of others.
  __device__ void add_long(std::uint32_t first, unsigned is_long, warp_number<Number>& sum) const {
    constexpr int lanes = lanes_of_digits;
    int const lane = int(threadIdx.x % warp_size), mine = lane % lanes;
    std::int64_t three[3] = {};
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      unsigned const which = __ballot_sync(~0u, is_long >> i & 1);
#pragma unroll 4
      for (int k = lane / lanes; k < warp_size; k += warp_size / lanes) {
        if (!(which >> k & 1) || mine >= vectors) continue;
        int4 const x = __ldcg(digits_of(first + i * warp_size + k) + mine);
        three[0] += x.x, three[1] += x.y, three[2] += x.w;
      }
    }
#pragma unroll
    for (std::int64_t& x : three)
      for (int flip = lanes; flip < warp_size; flip *= 2) x += warp::exchange(x, flip);
    std::int64_t digit[sum.each] = {};
#pragma unroll
    for (int j = 0; j < sum.each; ++j)
#pragma unroll
      for (int e = 0; e < 3; ++e)
        if (auto const x = warp::broadcast(three[e], sum.index(j) / 3); sum.index(j) % 3 == e)
          digit[j] = x;
    sum.add_digits([&](int i) { return digit[i / warp_size]; });
  }
};

}  // namespace tally::device
