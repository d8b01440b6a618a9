// SPDX-License-Identifier: Apache-2.0
//
// The exact sum of all tiles before a block's next one, in shared memory, and how tiles publish
// theirs: mostly as an integer of 192 bits from some digit on, whose number is in the note; else,
// where elements lie farther apart, as all digits.
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

  // By the block, before a barrier.
  __device__ void clear() {
    digits_.clear();
    if (threadIdx.x == 0) seen_ = 0;
  }
  // Adds a value, by one thread.
  template <floating T>
  __device__ void add(T x) {
    seen_ |= special_values::of(x);
    if (!is_finite(x)) return;
    auto const p = take_apart(x);
    if (p.significand != 0) digits_.add(p.negative, p.significand, p.exponent);
  }
  __device__ unsigned seen() const { return seen_; }

  // Publishes the total of a tile, an integer whose last bit counts 2^(32 base + lsb); by one
  // thread.
  static __device__ void publish(mailbox const& to, std::uint32_t tile, window_integer const& total,
                                 int base, unsigned seen) {
    status_word* const at = to.words + std::uint64_t(tile) * words;
    auto const tag = tag_of(to.epoch, note_of(base, seen));
    for (int i = 0; i < window_integer::words; ++i) device::publish(at + i, total.word[i], tag);
  }
  // Publishes digits, by the block.
  static __device__ void publish(mailbox const& to, std::uint32_t tile,
                                 block_superaccumulator<Number> const& total, unsigned seen) {
    status_word* const at = to.words + std::uint64_t(tile) * words;
    auto const tag = tag_of(to.epoch, note_of(0, seen) | all_digits);
    for (int i = int(threadIdx.x); i < words; i += int(blockDim.x))
      device::publish(at + i, std::uint64_t(total.digit(i)), tag);
  }

  // Adds what the tiles [from, to) have published, and brings digits to at most 2^15 and a few, in
  // magnitude; by the block, which has met when it returns.
  __device__ void collect(mailbox const& at, std::uint32_t from, std::uint32_t to) {
    constexpr std::uint32_t at_once = 1 << 12;  // tiles, until digits must be carried
    do {
      std::uint32_t const end = to - from > at_once ? from + at_once : to;
      unsigned const lane = threadIdx.x % warp_size;
      for (std::uint32_t first = from + threadIdx.x - lane; first < end; first += blockDim.x)
        add_tiles(at, first + lane, first + lane < end);
      __syncthreads();
      carry();
      __syncthreads();
      from = end;
    } while (from < to);
  }

  // A bit above all of the number, counted from its last one.
  __device__ int top() const {
    for (int i = halves - 1; i >= 0; --i)
      if (digits_.half[i] != 0) {
        int const magnitude = abs(digits_.half[i]);
        return 16 * i + 33 - __clz(magnitude);
      }
    return 0;
  }
  // What is to be seen of the number from a digit on.
  __device__ window_integer from_digit(int base) const {
    window_integer out{};
    int rest = 0;  // the sign of what is below
    for (int i = 2 * base - 1; i >= 0 && rest == 0; --i) rest = digits_.half[i];
    for (int i = 2 * base; i < halves && i < 2 * base + 12; ++i)
      out.add_integer(digits_.half[i], 16 * (i - 2 * base));
    if (rest < 0) out.add_integer(-1, 0);
    out.cut = rest != 0;
    return out;
  }
  // All of it.
  __device__ void add_to(Number& sum) const {
    for (int i = 0; i < halves; ++i) {
      std::int64_t const x = digits_.half[i];
      if (x != 0)
        sum.add(x < 0, x < 0 ? 0 - std::uint64_t(x) : std::uint64_t(x), 16 * i + Number::lsb);
    }
  }

 private:
  static constexpr unsigned all_digits = 1u << 31;
  block_superaccumulator<Number> digits_;
  unsigned seen_;

  static __device__ std::uint32_t note_of(int base, unsigned seen) {
    return std::uint32_t(base) << 8 | seen;
  }

  // Adds a tile a lane, by a whole warp.
  __device__ void add_tiles(mailbox const& at, std::uint32_t tile, bool there) {
    status_word* const first = at.words + std::uint64_t(tile) * words;
    content c{};
    while (there && (c = read(first)).epoch() != at.epoch) {
    }
    __syncwarp();
    std::uint32_t const note = there ? c.note() : 0;
    unsigned const seen = __reduce_or_sync(~0u, note & 0xff);
    if (seen != 0 && threadIdx.x % warp_size == 0) atomicOr(&seen_, seen);
    bool const narrow = there && !(note & all_digits);
    if (there && !narrow) add_digits(first, c);
    __syncwarp();
    window_integer x{};
    if (narrow) {
      x.word[0] = c.word;
      for (int i = 1; i < window_integer::words; ++i) x.word[i] = await(first + i, c.tag());
    }
    __syncwarp();
    int const base = int(note >> 8 & 0xff);
    int const least = int(__reduce_min_sync(~0u, narrow ? unsigned(base) : ~0u));
    int const most = int(__reduce_max_sync(~0u, narrow ? unsigned(base) : 0));
    if (least == most)
      add_together(x, least);
    else if (narrow)
      add_alone(x, base);
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
  __device__ void add_together(window_integer const& x, int base) {
    int const lane = int(threadIdx.x % warp_size);
    int mine = 0;
#pragma unroll
    for (int i = 0; i < 12; ++i) {
      int const sum = int(__reduce_add_sync(~0u, unsigned(half_of(x, base, i))));
      if (lane == i) mine = sum;
    }
    if (mine != 0) atomicAdd(&digits_.half[2 * base + lane], mine);
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

  // Leaves a digit of at most 2^15 in magnitude, or little more, in each half but the last; by the
  // first warp.
  __device__ void carry() {
    if (threadIdx.x >= warp_size) return;
    constexpr int each = (halves + warp_size - 1) / warp_size;
    for (int pass = 0; pass < 2; ++pass) {
      int over[each];
      for (int j = 0; j < each; ++j) {
        int const i = int(threadIdx.x) + j * warp_size;
        over[j] = i < halves - 1 ? (digits_.half[i] + 0x8000) >> 16 : 0;
        if (over[j] != 0) digits_.half[i] -= over[j] * 65536;
      }
      __syncwarp();
      for (int j = 0; j < each; ++j)
        if (over[j] != 0) digits_.half[int(threadIdx.x) + j * warp_size + 1] += over[j];
      __syncwarp();
    }
  }
};

}  // namespace tally::device
