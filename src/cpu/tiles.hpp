// SPDX-License-Identifier: Apache-2.0
//
// For the sources that hold what accumulators do with a tile
// (tally/cpu/sum/compiled_accumulator.hpp).
#pragma once

#include <algorithm>

#include "each_type.hpp"
#include "held.hpp"

namespace tally::detail {

// The tiles that t is made of.
template <class Accumulator, class Tile, class State>
TALLY_CPU_FN void add_tiles(Accumulator& a, Tile t, State& s) {
  for (int left = t.count; left > 0; left -= Tile::size) {
    t.count = std::min(left, Tile::size);
    a.add(t, s);
    t.data += Tile::size;
    t.first += Tile::size;
  }
}

template <class Accumulator, class Tile, class State>
void add_compiled(Accumulator& a, Tile const& t, State& s) {
  auto const add = [](auto, Accumulator& a, Tile const& t, State& s)
                       __attribute__((always_inline)) { add_tiles(a, t, s); };
  run_with_vectors_of<Tile::vector_bytes>(add, a, t, s);
}

template <class Accumulator, class State>
void flush_compiled(Accumulator& a, State& s) {
  run_vectorised([&](auto) __attribute__((always_inline)) { a.flush(s); });
}

}  // namespace tally::detail

#define TALLY_FLUSH(STATE, ...) template void flush_compiled(__VA_ARGS__&, STATE&);

// Instantiates add_compiled() for each instruction set that run_vectorised() chooses from here.
#define TALLY_TILES_OF(BYTES, NAN, T, STATE, ...) \
  template void add_compiled(__VA_ARGS__&, tile<T, NAN, BYTES, reduced_at_once<T>> const&, STATE&);
#if defined(TALLY_ONLY_avx512)
#define TALLY_TILES(...) TALLY_TILES_OF(64, __VA_ARGS__)
#elif defined(TALLY_ONLY_avx2)
#define TALLY_TILES(...) TALLY_TILES_OF(32, __VA_ARGS__)
#elif !defined(__x86_64__) || defined(TALLY_ONLY_baseline)
#define TALLY_TILES(...) TALLY_TILES_OF(16, __VA_ARGS__)
#elif defined(TALLY_SANITIZED)
#define TALLY_TILES(...) TALLY_TILES_OF(16, __VA_ARGS__) TALLY_TILES_OF(32, __VA_ARGS__)
#else
#define TALLY_TILES(...)          \
  TALLY_TILES_OF(16, __VA_ARGS__) \
  TALLY_TILES_OF(32, __VA_ARGS__) TALLY_TILES_OF(64, __VA_ARGS__)
#endif
#define TALLY_TILES_BOTH(...) TALLY_TILES(propagate, __VA_ARGS__) TALLY_TILES(skip, __VA_ARGS__)
