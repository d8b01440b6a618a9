// SPDX-License-Identifier: Apache-2.0
//
// What is done about missing elements (validity.hpp), in steps: each is called with every index
// below some number, in any order, by cores or by a GPU's threads. In the place of floating-point
// elements come NaNs. Others are packed: those that are there, side by side, so that rows become
// segments, and positions in these are translated back.
#pragma once

#include "tally/rows.hpp"
#include "tally/strides.hpp"
#include "tally/validity.hpp"

namespace tally::detail {

// Copies an element, or `instead` where it is missing.
template <class Bits>
struct fill_missing {
  validity valid;
  Bits const* from;
  Bits* to;
  Bits instead;

  TALLY_FN void operator()(std::uint64_t i) const {
    to[i] = valid[std::int64_t(i)] ? from[i] : instead;
  }
};

// Eight bits side by side of elements that loops reach, in steps of elements: those of a, and of b,
// if it is there, at the steps of the second operand.
struct gather_validity {
  strided_copy loops;
  validity a, b;
  std::uint8_t* to;

  TALLY_FN void operator()(std::uint64_t byte) const {
    unsigned bits = 0;
    for (std::uint64_t k = 0; k < 8 && 8 * byte + k < loops.count; ++k) {
      auto const at = place_of(loops, loops.first + 8 * byte + k);
      bits |= unsigned((!a || a[at.from]) && (!b || b[at.to])) << k;
    }
    to[byte] = std::uint8_t(bits);
  }
};

// The validity of 64 elements as a word, and how many of them are there: of both a and b, if that
// is given. The word behind the last one is 0.
struct count_present {
  validity a, b;
  std::uint64_t size;
  std::uint64_t* words;
  std::int64_t* counts;

  TALLY_FN void operator()(std::uint64_t w) const {
    std::uint64_t const left = size - 64 * w, count = left < 64 ? left : 64;
    std::uint64_t word = word_of(a, std::int64_t(64 * w), count);
    if (b) word &= word_of(b, std::int64_t(64 * w), count);
    words[w] = word;
    counts[w] = bit_count(word);
  }
  static TALLY_FN int bit_count(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
    return __popcll((long long)x);
#else
    return __builtin_popcountll(x);
#endif
  }

 private:
  static TALLY_FN std::uint64_t word_of(validity const& valid, std::int64_t first,
                                        std::uint64_t count) {
    std::int64_t const at = valid.offset + first;
    auto const shift = std::uint64_t(at & 7);
    std::uint64_t word = 0;
    for (std::uint64_t i = 0; 8 * i < count + shift && count > 0; ++i) {
      std::uint64_t const byte = valid.bits[(at >> 3) + std::int64_t(i)];
      word |= i ? byte << (8 * i - shift) : byte >> shift;
    }
    return count < 64 ? word & ((std::uint64_t(1) << count) - 1) : word;
  }
};

// How many elements are there before one, which may be that behind the last: `before` has what the
// counts of the words before a word come to.
struct present_elements {
  std::uint64_t const* words;
  std::int64_t const* before;

  TALLY_FN bool has(std::uint64_t i) const { return words[i / 64] >> (i % 64) & 1; }
  TALLY_FN std::int64_t before_element(std::uint64_t i) const {
    std::uint64_t const below = (std::uint64_t(1) << (i % 64)) - 1;
    return before[i / 64] + count_present::bit_count(words[i / 64] & below);
  }
};

// Packs the elements that are there and, if asked for, where each was.
template <class Bits>
struct pack_present {
  present_elements present;
  Bits const* from;
  Bits* to;
  std::int64_t* places;

  TALLY_FN void operator()(std::uint64_t i) const {
    if (!present.has(i)) return;
    auto const at = present.before_element(i);
    to[at] = from[i];
    if (places) places[at] = std::int64_t(i);
  }
};

// The same of all elements of a word, by a core.
template <class Bits>
struct pack_present_of_word {
  pack_present<Bits> pack;

  void operator()(std::uint64_t w) const {
    auto const before = pack.present.before[w];
    Bits* to = pack.to + before;
    std::int64_t* place = pack.places ? pack.places + before : nullptr;
    for (auto word = pack.present.words[w]; word != 0; word &= word - 1) {
      auto const i = 64 * w + std::uint64_t(__builtin_ctzll(word));
      *to++ = pack.from[i];
      if (place) *place++ = std::int64_t(i);
    }
  }
};

// Rows, of steps of 1, of an array of `size` elements that begins with their element `first`.
struct rows_in_line {
  row_layout rows;
  std::int64_t first;
  std::uint64_t size;

  TALLY_FN std::uint64_t begin(std::uint64_t r) const {
    std::int64_t const at = rows.begin(r) - first;
    return at < 0 ? 0 : std::uint64_t(at) < size ? std::uint64_t(at) : size;
  }
  TALLY_FN std::uint64_t length(std::uint64_t r) const {
    std::uint64_t const n = rows.size(r), left = size - begin(r);
    return n < left ? n : left;
  }
};

// A row becomes the segment of its elements that are there. `missing` counts the others.
struct pack_rows {
  present_elements present;
  rows_in_line in;
  std::int64_t *starts, *ends, *missing;

  TALLY_FN void operator()(std::uint64_t r) const {
    std::uint64_t const begin = in.begin(r), length = in.length(r);
    starts[r] = present.before_element(begin);
    ends[r] = present.before_element(begin + length);
    missing[r] = std::int64_t(length) - (ends[r] - starts[r]);
  }
};

// Numbers in the results of rows, `each` of them for a row, `bytes` apart.
struct row_numbers {
  std::byte* at;
  row_layout places;
  std::uint64_t bytes, each;

  TALLY_FN std::byte* of(std::uint64_t i) const {
    return at + (places.begin(i / each) + std::int64_t(i % each)) * std::int64_t(bytes);
  }
};

// A position among a row's packed elements becomes that in the row.
struct unpack_positions {
  rows_in_line in;
  std::int64_t const *starts, *places;
  row_numbers positions;

  TALLY_FN void operator()(std::uint64_t i) const {
    auto* const position = reinterpret_cast<std::int64_t*>(positions.of(i));
    std::uint64_t const r = i / positions.each;
    if (*position >= 0) *position = places[starts[r] + *position] - std::int64_t(in.begin(r));
  }
};

// What is told of a row of which some elements are missing, in one of its numbers: NaN, of so many
// bytes, the position of the first of them, or, added to what is there, how many they are.
enum class missing_told { nan, position, count };

struct tell_missing {
  present_elements present;
  rows_in_line in;
  std::int64_t const *starts, *missing;
  row_numbers numbers;
  missing_told what;
  unsigned nan_bytes;
  std::uint64_t nan;

  TALLY_FN void operator()(std::uint64_t r) const {
    if (missing[r] == 0) return;
    std::byte* const to = numbers.of(r);
    if (what == missing_told::count)
      *reinterpret_cast<std::uint64_t*>(to) += std::uint64_t(missing[r]);
    else if (what == missing_told::position)
      *reinterpret_cast<std::int64_t*>(to) = first_missing(r);
    else if (nan_bytes == 2)
      *reinterpret_cast<std::uint16_t*>(to) = std::uint16_t(nan);
    else if (nan_bytes == 4)
      *reinterpret_cast<std::uint32_t*>(to) = std::uint32_t(nan);
    else
      *reinterpret_cast<std::uint64_t*>(to) = nan;
  }

 private:
  // Up to it all are there: found by halving.
  TALLY_FN std::int64_t first_missing(std::uint64_t r) const {
    std::uint64_t const begin = in.begin(r);
    std::uint64_t low = 0, high = in.length(r);  // some are missing below high, none below low
    while (high - low > 1) {
      std::uint64_t const middle = low + (high - low) / 2;
      bool const all = present.before_element(begin + middle) - starts[r] == std::int64_t(middle);
      (all ? low : high) = middle;
    }
    return std::int64_t(low);
  }
};

// clang-format off
#define TALLY_MISSING_STEPS(X) \
  X(fill_missing<std::uint8_t>) X(pack_present<std::uint8_t>) \
  X(fill_missing<std::uint16_t>) X(pack_present<std::uint16_t>) \
  X(fill_missing<std::uint32_t>) X(pack_present<std::uint32_t>) \
  X(fill_missing<std::uint64_t>) X(pack_present<std::uint64_t>) \
  X(gather_validity) X(count_present) X(pack_rows) X(unpack_positions) X(tell_missing)
// clang-format on

}  // namespace tally::detail
