// SPDX-License-Identifier: Apache-2.0
//
// What accumulators do with a tile (tally/cpu/sum/compiled_accumulator.hpp).
#include <algorithm>

#include "../held.hpp"
#include "tally/compiled.hpp"
#include "tally/definition/moments.hpp"

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

// Instantiates add_compiled() for each instruction set that run_vectorised() chooses from here.
#define AT(BYTES, NAN, T, STATE, ...) \
  template void add_compiled(__VA_ARGS__&, tile<T, NAN, BYTES, reduced_at_once<T>> const&, STATE&);
#if defined(TALLY_ONLY_avx512)
#define TILES(...) AT(64, __VA_ARGS__)
#elif defined(TALLY_ONLY_avx2)
#define TILES(...) AT(32, __VA_ARGS__)
#elif !defined(__x86_64__) || defined(TALLY_ONLY_baseline)
#define TILES(...) AT(16, __VA_ARGS__)
#elif defined(TALLY_WITHOUT_avx2)
#define TILES(...) AT(16, __VA_ARGS__) AT(64, __VA_ARGS__)
#elif defined(TALLY_SANITIZED) || defined(TALLY_WITHOUT_avx512)
#define TILES(...) AT(16, __VA_ARGS__) AT(32, __VA_ARGS__)
#else
#define TILES(...)    \
  AT(16, __VA_ARGS__) \
  AT(32, __VA_ARGS__) AT(64, __VA_ARGS__)
#endif
#define FLUSH(T, STATE, ...) template void flush_compiled(__VA_ARGS__&, STATE&);
#define ONE(...) TILES(propagate, __VA_ARGS__) FLUSH(__VA_ARGS__)
#define BOTH(...) TILES(skip, __VA_ARGS__) ONE(__VA_ARGS__)

template <class T>
using state_of_extrema = typename extrema<T>::state;
template <class T>
using state_of_moments = typename moments<T, true>::state;

#define ENDS(PLACES, T) ONE(T, state_of_extrema<T>, extrema_accumulator<T, PLACES>)
#define BOTH_ENDS(PLACES, T) BOTH(T, state_of_extrema<T>, extrema_accumulator<T, PLACES>)
#define MOMENT(O, T) BOTH(T, state_of_moments<T>, moments_accumulator<T>)
#define PRODUCT(O, T) ONE(double, exact_products<T>, exact_accumulator<double>)
#define SUM(O, T) BOTH(T, exact_state<T>, exact_accumulator<T>)

#define EXTREMA TALLY_EACH_integer(ENDS, false) TALLY_EACH_floating(BOTH_ENDS, false)
#define ARG_EXTREMA TALLY_EACH_integer(ENDS, true) TALLY_EACH_floating(BOTH_ENDS, true)
#define MOMENTS TALLY_EACH_floating(MOMENT, )
#define PRODUCTS TALLY_EACH_floating(PRODUCT, )
#define SUMS TALLY_EACH_floating(SUM, )
TALLY_FAMILY

}  // namespace tally::detail
