// SPDX-License-Identifier: Apache-2.0
//
// Accumulators that the library holds compiled. What a good one does with a tile is much code, and
// three times as much for three instruction sets: all who add up tiles call the same copy.
#pragma once

#include <utility>

#include "tally/cpu/tile/tile.hpp"
#include "tally/exact/exact_state.hpp"

namespace tally::detail {

// a.add(t, s), compiled in src/cpu/families/tiles.cpp for the instruction set that has vectors of
// so many bytes. A tile of too many elements is added as several.
template <class Accumulator, class Tile, class State>
void add_compiled(Accumulator& a, Tile const& t, State& s);
// a.flush(s), which may look through a tile, too, for the best instruction set.
template <class Accumulator, class State>
void flush_compiled(Accumulator& a, State& s);

// An accumulator whose code for tiles of the common size is compiled in src/cpu/families/tiles.cpp.
template <class Accumulator>
class compiled_accumulator {
 public:
  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if constexpr (Tile::size == reduced_at_once<typename Tile::element>)
      add_compiled(inner_, t, s);
    else
      inner_.add(t, s);
  }
  template <class State>
  TALLY_CPU_FN void flush(State& s) {
    flush_compiled(inner_, s);
  }

 private:
  Accumulator inner_;
};

// Adds Ts to a state of another type, by way of a state of T's own that is merged at a flush.
template <floating T, class Accumulator>
class widened_accumulator {
 public:
  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State&) {
    sums_.add(t, sum_);
  }
  template <class State>
  void flush(State& s) {
    sums_.flush(sum_);
    s.merge(std::exchange(sum_, {}));
  }

 private:
  exact_state<T> sum_;
  Accumulator sums_;
};

}  // namespace tally::detail
