// SPDX-License-Identifier: Apache-2.0
//
// States by the number of their tile, published by the block that has one and read by any other: in
// a reduction by the first, which puts all of them together, in a scan by those of later tiles,
// which look back (Merrill and Garland, 2016; status_word.cuh).
#pragma once

#include <cstring>

#include "tally/device/grid/status_word.cuh"

namespace tally::device {

// A state is in as many status words as it has words.
template <class State>
inline constexpr int words_of = (sizeof(State) + 7) / 8;

// `note` says what a state is of, where that is not always the same: the tile alone, say, or all up
// to it. A tile may be published again with another note.
template <class State>
class tile_states {
  static constexpr int words = words_of<State>;
  static constexpr int at_once = words < 4 ? words : 4;  // each comes from L2, in the same time

 public:
  __device__ tile_states(status_word* first, std::uint32_t epoch) : first_(first), epoch_(epoch) {}

  template <class Tile>
  __device__ void publish(Tile tile, State const& s, std::uint32_t note = 0) const {
    std::uint64_t word[words] = {};
    memcpy(word, &s, sizeof(State));
    status_word* const at = first_ + tile * words;
    for (int i = 0; i < words; ++i) device::publish(at + i, word[i], tag_of(epoch_, note));
  }

  // Waits for the state of a tile that is published once, without a note.
  template <class Tile>
  __device__ State await(Tile tile) const {
    status_word* const at = first_ + tile * words;
    std::uint64_t word[words];
#pragma unroll
    for (int first = 0; first < words; first += at_once) {
      content c[at_once];
      bool all;
      do {
        all = true;
#pragma unroll
        for (int j = 0; j < at_once && first + j < words; ++j) c[j] = device::read(at + first + j);
#pragma unroll
        for (int j = 0; j < at_once && first + j < words; ++j) {
          all = all && c[j].tag() == tag_of(epoch_);
          word[first + j] = c[j].word;
        }
      } while (!all);
    }
    State s;
    memcpy(&s, word, sizeof(State));
    return s;
  }

  // What is read of a tile as it is now; whether it is published by then, and with which state and
  // note.
  struct seen {
    content c[words];
  };
  template <class Tile>
  __device__ seen read(Tile tile) const {
    status_word* const at = first_ + tile * words;
    seen s;
#pragma unroll
    for (int i = 0; i < words; ++i) s.c[i] = device::read(at + i);
    return s;
  }
  __device__ bool take(seen const& from, State& s, std::uint32_t& note) const {
    note = from.c[0].note();
    return from.c[0].epoch() == epoch_ && take_tagged(from, s, from.c[0].tag());
  }
  // Of a tile that is published without a note. That there is none is looked at, too: else half of
  // a status word's tag made no difference.
  __device__ bool take(seen const& from, State& s) const {
    return take_tagged(from, s, tag_of(epoch_));
  }
  template <class Tile>
  __device__ bool look(Tile tile, State& s) const {
    return take(read(tile), s);
  }
  template <class Tile>
  __device__ bool look(Tile tile, State& s, std::uint32_t& note) const {
    return take(read(tile), s, note);
  }

 private:
  // Whether all words have the tag: else the state is being published.
  __device__ static bool take_tagged(seen const& from, State& s, std::uint64_t tag) {
    bool all = true;
    std::uint64_t word[words];
#pragma unroll
    for (int i = 0; i < words; ++i) {
      all = all && from.c[i].tag() == tag;
      word[i] = from.c[i].word;
    }
    if (all) memcpy(&s, word, sizeof(State));
    return all;
  }

  status_word* first_;
  std::uint32_t epoch_;
};

}  // namespace tally::device
