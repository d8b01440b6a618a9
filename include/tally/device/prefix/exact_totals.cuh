// SPDX-License-Identifier: Apache-2.0
//
// The exact totals of tiles, as an exact prefix publishes and collects them: mostly two doubles, of
// which the second is short, in one status word, or of elements that are doubles in two; else all
// digits.
#pragma once

#include "tally/device/grid/mailbox.cuh"
#include "tally/device/sum/warp_number.cuh"

namespace tally::device {

template <floating In, class Number>
class exact_totals {
 public:
  static constexpr int short_words = std::is_same_v<In, double> ? 2 : 1;
  static constexpr int words = short_words + Number::digits;  // of a tile

  __device__ explicit exact_totals(mailbox const& at) : at_(at) {}

  // By a warp: the total of a tile, which is `sum`, or unless that is exact, what digits() returns.
  // If some elements were not finite, nothing else matters.
  template <class Digits>
  __device__ void publish(std::uint32_t tile, long_interval const& sum, unsigned seen,
                          Digits digits) const {
    int const lane = int(threadIdx.x % warp_size);
    bool const is_short =
        sum.is_exact() && (short_words > 1 || double(float(sum.least)) == sum.least);
    if (seen == 0 && !is_short) publish_digits(tile, digits());
    if (lane >= short_words) return;
    std::uint32_t const note = seen != 0         ? special | seen
                               : !is_short       ? special | all_digits
                               : short_words > 1 ? 0
                                                 : to_bits(float(sum.least));
    auto const word = to_bits(lane == 0 ? sum.head : sum.least);
    device::publish(short_word(tile, lane), word, tag_of(at_.epoch, lane == 0 ? note : 0));
  }

  // What some tiles come to.
  struct collected {
    long_interval sum;
    unsigned seen;
    bool is_long;  // the sum is not exact, but these digits are
    warp_number<Number> digits;
  };
  __device__ collected collect(std::uint32_t from, std::uint32_t to) const {
    taken all{};
    for (std::uint32_t i = from; i < to; i += at_once * warp_size) add_tiles(i, to, all);
#pragma unroll
    for (int flip = 1; flip < warp_size; flip *= 2)
      all.sum = all.sum + warp::exchange(all.sum, flip);
    collected out{all.sum.normalised(),
                  __reduce_or_sync(~0u, all.seen),
                  __any_sync(~0u, all.is_long) != 0,
                  {}};
    out.is_long = out.seen == 0 && (out.is_long || !out.sum.is_exact());
    if (out.is_long) {
      bool const short_ones_fit = out.sum.is_exact();
      if (short_ones_fit) out.digits.add(out.sum);
      add_digits(from, to, !short_ones_fit, out.digits);
    }
    return out;
  }

 private:
  static constexpr std::uint32_t special = 0x7fc00000, all_digits = 8;
  static constexpr int at_once = short_words > 1 ? 3 : 5;  // tiles a lane
  mailbox at_;

  __device__ status_word* short_word(std::uint32_t tile, int i) const {
    return at_.words + std::uint64_t(tile) * short_words + i;
  }
  __device__ status_word* digit_word(std::uint32_t tile, int i) const {
    return at_.words + std::uint64_t(at_.tiles) * short_words +
           std::uint64_t(tile) * Number::digits + i;
  }
  __device__ content second(std::uint32_t tile) const {
    return short_words > 1 ? device::read(short_word(tile, 1)) : content{};
  }

  // What a tile's words say, that have been read too early perhaps.
  struct taken {
    long_interval sum;
    unsigned seen;
    bool is_long;
  };
  __device__ taken take(std::uint32_t tile, content first, content second) const {
    while (first.epoch() != at_.epoch) first = device::read(short_word(tile, 0));
    std::uint32_t const note = first.note();
    if (short_words > 1 && second.tag() != tag_of(at_.epoch))
      second.word = device::await(short_word(tile, 1), tag_of(at_.epoch));
    if ((note & special) == special) return {{}, note & 7, (note & all_digits) != 0};
    double const rest = short_words > 1 ? from_bits<double>(second.word) : from_bits<float>(note);
    return {{from_bits<double>(first.word), rest, rest}, 0, false};
  }
  __device__ void add_tiles(std::uint32_t from, std::uint32_t to, taken& all) const {
    std::uint32_t const first = from + threadIdx.x % warp_size;
    content c[at_once][2];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {  // any tile will do for those that are not there
      std::uint32_t const tile = first + i * warp_size < to ? first + i * warp_size : from;
      c[i][0] = device::read(short_word(tile, 0));
      c[i][1] = second(tile);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      std::uint32_t const tile = first + i * warp_size;
      if (tile >= to) break;
      auto const t = take(tile, c[i][0], c[i][1]);
      all.sum = all.sum + t.sum, all.seen |= t.seen, all.is_long |= t.is_long;
    }
    __syncwarp();
  }

  __device__ __noinline__ void publish_digits(std::uint32_t tile,
                                              warp_number<Number> const& sum) const {
#pragma unroll
    for (int j = 0; j < sum.each; ++j)
      if (int const i = sum.index(j); i < Number::digits)
        device::publish(digit_word(tile, i), std::uint64_t(sum.mine[j]), tag_of(at_.epoch));
  }
  // Of tiles whose short words are there: of all, or of those that have told digits.
  __device__ __noinline__ void add_digits(std::uint32_t from, std::uint32_t to, bool all,
                                          warp_number<Number>& sum) const {
    for (; from < to; from += warp_size) {
      std::uint32_t const here = min(from + threadIdx.x % warp_size, to - 1);
      auto const t = take(here, device::read(short_word(here, 0)), second(here));
      __syncwarp();
      int const count = int(min(to - from, std::uint32_t(warp_size)));
      unsigned const is_long = __ballot_sync(~0u, t.is_long);
#pragma unroll 1
      for (int i = 0; all && i < count; ++i)
        if (!(is_long >> i & 1)) sum.add(warp::broadcast(t.sum, i));
      add_long(from, count < warp_size ? is_long & ((1u << count) - 1) : is_long, sum);
    }
  }
  // Of tiles of a group that have told digits. Several are asked for at once.
  __device__ void add_long(std::uint32_t first, unsigned which, warp_number<Number>& sum) const {
    constexpr int batch = 15 / warp_number<Number>::each;
    while (which != 0) {
      status_word* at[batch];
      content c[batch][warp_number<Number>::each];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        at[k] = which ? digit_word(first + __ffs(int(which)) - 1, 0) : nullptr;
        which &= which - 1;
#pragma unroll
        for (int j = 0; j < sum.each; ++j)
          if (at[k] && sum.index(j) < Number::digits) c[k][j] = device::read(at[k] + sum.index(j));
      }
#pragma unroll
      for (int k = 0; k < batch; ++k)
#pragma unroll
        for (int j = 0; j < sum.each; ++j)
          if (at[k] && sum.index(j) < Number::digits)
            sum.mine[j] +=
                std::int64_t(c[k][j].tag() == tag_of(at_.epoch)
                                 ? c[k][j].word
                                 : device::await(at[k] + sum.index(j), tag_of(at_.epoch)));
      __syncwarp();
    }
  }
};

}  // namespace tally::device
