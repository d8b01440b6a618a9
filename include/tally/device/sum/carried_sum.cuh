// SPDX-License-Identifier: Apache-2.0
//
// The exact sum of all tiles before a block's next one, in shared memory, and how tiles publish
// theirs: mostly as an integer of 192 bits from some digit on, whose number is in the note; else,
// where elements lie farther apart, as all digits. A warp keeps it: its lanes call everything here
// together, if nothing else is said.
#pragma once

#include "tally/device/grid/mailbox.cuh"
#include "tally/device/sum/block_superaccumulator.cuh"
#include "tally/device/sum/window_integer.cuh"
#include "tally/warp/redux.cuh"

namespace tally::device {

// Which values were there that are not finite.
struct special_values {
  static constexpr unsigned nan = 1, positive_infinity = 2, negative_infinity = 4;

  template <floating T>
  static __device__ unsigned of(T x) {
    return is_finite(x)                          ? 0
           : is_nan(x)                           ? nan
           : (to_bits(x) & format<T>::sign) != 0 ? negative_infinity
                                                 : positive_infinity;
  }
  // The sum where some were there.
  template <floating R>
  static __device__ R sum(unsigned seen) {
    unsigned const both = positive_infinity | negative_infinity;
    if (seen & nan || (seen & both) == both) return quiet_nan<R>();
    return infinity<R>((seen & negative_infinity) != 0);
  }
};

template <class Number>
class carried_sum {
 public:
  static constexpr int words = Number::digits;
  static constexpr int halves = block_superaccumulator<Number>::halves;
  using digits_type = block_superaccumulator<Number>;

  __device__ void clear() {
    clear(digits_);
    if (lane() == 0) seen_ = 0;
    __syncwarp();
  }
  static __device__ void clear(digits_type& digits) {
    for (int i = lane(); i < halves; i += warp_size) digits.half[i] = 0;
  }
  // Adds a value, for one lane.
  template <floating T>
  __device__ void add(T x) {
    seen_ |= special_values::of(x);
    if (!is_finite(x)) return;
    auto const p = take_apart(x);
    if (p.significand != 0) digits_.add(p.negative, p.significand, p.exponent);
  }
  __device__ unsigned seen() const { return seen_; }

  // Publishes the total of a tile, an integer whose last bit counts 2^(32 base + lsb).
  static __device__ void publish(mailbox const& to, std::uint32_t tile, window_integer const& total,
                                 int base, unsigned seen) {
    auto const tag = tag_of(to.epoch, note_of(base, seen));
    int const i = lane();
    if (i < window_integer::words)
      device::publish(to.words + std::uint64_t(tile) * words + i,
                      i == 0   ? total.word[0]
                      : i == 1 ? total.word[1]
                               : total.word[2],
                      tag);
  }
  // Publishes digits.
  static __device__ void publish(mailbox const& to, std::uint32_t tile, digits_type const& total,
                                 unsigned seen) {
    status_word* const at = to.words + std::uint64_t(tile) * words;
    auto const tag = tag_of(to.epoch, note_of(0, seen) | all_digits);
    for (int i = lane(); i < words; i += warp_size)
      device::publish(at + i, std::uint64_t(total.digit(i)), tag);
  }

  // What some tiles have published, put together: lane i has the i-th half of an integer that
  // begins at the digit `base`. Where that is not how they are, nothing is put together.
  struct collected {
    bool together;
    int half, base;
    unsigned seen;
  };
  static __device__ collected collect(mailbox const& at, std::uint32_t from, std::uint32_t to) {
    if (from == to) return {true, 0, 0, 0};
    constexpr int most = 30;  // tiles that a window has room for
    if (to - from > most * warp_size) return {};
    collected out{true, 0, -1, 0};
    window_integer sum{};
    for (; from < to; from += at_once * warp_size) {
      read_tiles t(at, from, to);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (from + i * warp_size >= to) break;
        auto const x = t.take(at, from, to, i);
        out.seen |= x.seen;
        if (x.is_digits || x.least != x.most || (out.base >= 0 && out.base != x.least)) return {};
        out.base = x.least;
        sum += x.sum;
      }
      if (to - from <= at_once * warp_size) break;
    }
    out.half = add_up(sum, out.base);
    return out;
  }
  // Adds that, or what the tiles have published; and brings digits to at most 2^15 and a few, in
  // magnitude.
  __device__ void add(collected const& c, mailbox const& at, std::uint32_t from, std::uint32_t to) {
    if (c.together) {
      if (lane() < 12 && c.half != 0) digits_.half[2 * c.base + lane()] += c.half;
      if (lane() == 0) seen_ |= c.seen;
      __syncwarp();
    } else {
      for (unsigned rounds = 1; from < to; from += warp_size, ++rounds) {
        add_tiles(at, from, to);
        if (rounds % 1024 == 0) carry();
      }
    }
    carry();
  }

  // A bit above all of the number, counted from its last one.
  __device__ int top() const {
    for (int first = (halves - 1) / warp_size * warp_size; first >= 0; first -= warp_size) {
      int const x = half(first + lane());
      if (unsigned const there = __ballot_sync(~0u, x != 0); there != 0) {
        int const at = 31 - __clz(int(there));
        return 16 * (first + at) + 33 - __clz(abs(warp::broadcast(x, at)));
      }
    }
    return 0;
  }
  // What is to be seen of the number from a digit on.
  __device__ window_integer from_digit(int base) const {
    int const rest = sign_below(2 * base);
    int const x = half(2 * base + lane());
    std::int64_t const pair = x + (std::int64_t(warp::shift_down(x)) << 16);
    std::int64_t over = rest < 0 ? -1 : 0;
    window_integer out;
    out.cut = rest != 0;
#pragma unroll
    for (int w = 0; w < window_integer::words; ++w) {
      std::int64_t const low = warp::broadcast(pair, 4 * w) + over;
      std::int64_t const high = warp::broadcast(pair, 4 * w + 2) + (low >> 32);
      out.word[w] = std::uint32_t(low) | std::uint64_t(high) << 32;
      over = high >> 32;
    }
    return out;
  }
  // The digits as they are now, for later.
  __device__ void copy_to(int (&to)[halves]) const {
    for (int i = lane(); i < halves; i += warp_size) to[i] = digits_.half[i];
  }

 private:
  static constexpr unsigned all_digits = 1u << 31;
  digits_type digits_;
  unsigned seen_;

  static __device__ int lane() { return int(threadIdx.x % warp_size); }
  static __device__ std::uint32_t note_of(int base, unsigned seen) {
    return std::uint32_t(base) << 8 | seen;
  }
  __device__ int half(int i) const { return i < halves ? digits_.half[i] : 0; }
  // The sign of what the halves below the end-th are.
  __device__ int sign_below(int end) const {
    for (int first = (end - 1) / warp_size * warp_size; end > 0 && first >= 0; first -= warp_size) {
      int const i = first + lane(), x = i < end ? half(i) : 0;
      if (unsigned const there = __ballot_sync(~0u, x != 0); there != 0)
        return warp::broadcast(x, 31 - __clz(int(there)));
    }
    return 0;
  }

  // What was read of some tiles, a tile a lane in each of several groups.
  static constexpr int at_once = 5;
  struct read_tiles {
    content c[at_once][window_integer::words];
    __device__ read_tiles(mailbox const& at, std::uint32_t from, std::uint32_t to) {
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        std::uint32_t const tile = from + i * warp_size + lane();
#pragma unroll
        for (int w = 0; w < window_integer::words; ++w)
          c[i][w] = read(at.words + std::uint64_t(tile < to ? tile : from) * words + w);
      }
    }
    // A group of tiles when all are there: each lane's integer, and over all lanes the first and
    // the last digit where one begins, whether any are digits, and what else was seen.
    struct taken {
      window_integer sum;
      int base, least, most;
      bool is_digits;
      unsigned seen;
    };
    __device__ taken take(mailbox const& at, std::uint32_t from, std::uint32_t to, int i) {
      std::uint32_t const tile = from + i * warp_size + lane();
      bool const there = tile < to;
      status_word* const first = at.words + std::uint64_t(tile) * words;
      while (there && c[i][0].epoch() != at.epoch) c[i][0] = read(first);
      __syncwarp();
      std::uint32_t const note = there ? c[i][0].note() : 0;
      taken out{};
      out.seen = __reduce_or_sync(~0u, note & 0xff);
      out.is_digits = __any_sync(~0u, (note & all_digits) != 0);
      bool const narrow = there && !(note & all_digits);
      if (narrow)
        for (int w = 0; w < window_integer::words; ++w)
          out.sum.word[w] =
              c[i][w].tag() == c[i][0].tag() ? c[i][w].word : await(first + w, c[i][0].tag());
      __syncwarp();
      out.base = int(note >> 8 & 0xff);
      out.least = int(__reduce_min_sync(~0u, narrow ? unsigned(out.base) : 0xff));
      out.most = int(__reduce_max_sync(~0u, narrow ? unsigned(out.base) : 0));
      return out;
    }
  };

  // Adds a tile a lane to the digits.
  __device__ void add_tiles(mailbox const& at, std::uint32_t from, std::uint32_t to) {
    std::uint32_t const end = to - from < warp_size ? to : from + warp_size;
    read_tiles t(at, from, end);
    auto const x = t.take(at, from, end, 0);
    if (lane() == 0) seen_ |= x.seen;
    bool const there = from + lane() < end, narrow = there && !(t.c[0][0].note() & all_digits);
    if (there && !narrow) add_digits(at.words + std::uint64_t(from + lane()) * words, t.c[0][0]);
    if (narrow) add_alone(x.sum, x.base);
    __syncwarp();
  }

  // The i-th half of an integer whose first half is that of the digit `base`.
  static __device__ int half_of(window_integer const& x, int base, int i) {
    int const at = i + 2 * base;
    if (at >= halves) return 0;
    auto const here = std::uint32_t(x.word[i / 4] >> (16 * (i % 4)));
    auto const next = i % 4 < 3 || i == 11 ? 0 : std::uint32_t(x.word[i / 4 + 1]) << 16;
    if (i == 11) return int(std::int16_t(here));
    if (at == halves - 1) return int(here | next);  // with what is above, modulo 2^32
    return int(here & 0xffff);
  }
  // Lane i gets the i-th half of the sum of all lanes' integers.
  static __device__ int add_up(window_integer const& x, int base) {
    int mine = 0;
#pragma unroll
    for (int i = 0; i < 12; ++i) {
      int const sum = int(__reduce_add_sync(~0u, unsigned(half_of(x, base, i))));
      if (lane() == i) mine = sum;
    }
    return mine;
  }
  __device__ void add_alone(window_integer const& x, int base) {
#pragma unroll 1
    for (int i = 0; i < 12; ++i)
      if (int const half = half_of(x, base, i); half != 0)
        atomicAdd(&digits_.half[2 * base + i], half);
  }
  __device__ void add_digits(status_word* first, content const& c) {
    for (int i = 0; i < words; ++i) {
      auto const x = std::int64_t(i == 0 ? c.word : await(first + i, c.tag()));
      digits_.add_integer(2 * i, x);
    }
  }

  // Leaves a digit of at most 2^15 in magnitude, or little more, in each half but the last.
  __device__ void carry() {
    constexpr int each = (halves + warp_size - 1) / warp_size;
    for (int pass = 0; pass < 2; ++pass) {
      int over[each];
      for (int j = 0; j < each; ++j) {
        int const i = lane() + j * warp_size;
        over[j] = i < halves - 1 ? (digits_.half[i] + 0x8000) >> 16 : 0;
        if (over[j] != 0) digits_.half[i] -= over[j] * 65536;
      }
      __syncwarp();
      for (int j = 0; j < each; ++j)
        if (over[j] != 0) digits_.half[lane() + j * warp_size + 1] += over[j];
      __syncwarp();
    }
  }
};

}  // namespace tally::device
