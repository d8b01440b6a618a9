// SPDX-License-Identifier: Apache-2.0
//
// How a CPU scans faster than element by element: a prefix does it a tile at a time.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/cpu/tile/tile.hpp"
#include "tally/cpu/tile/tile_output.hpp"

namespace tally::detail {

// A prefix scans for A. It is made from the state of what comes before. emit(t, out) writes a
// tile's running results and moves past it, or changes nothing of value and returns false: the tile
// is then scanned on states. store(s) writes the state of all so far.
template <class Prefix, class A>
concept prefix_of = std::constructible_from<Prefix, typename A::state const&> &&
                    requires(Prefix prefix, tile<typename A::element, propagate, 16> const t,
                             in_caches<typename A::result> out, typename A::state s) {
                      { prefix.emit(t, out) } -> std::same_as<bool>;
                      prefix.store(s);
                    };

// A prefix whose emit() may write a result twice may also have stream(t, out), for results that go
// past the caches: it returns false where a second look at them would be needed.
template <class Prefix, class Tile, class To>
concept streams_apart = requires(Prefix prefix, Tile const& t, To out) {
  { prefix.stream(t, out) } -> std::same_as<bool>;
};

// A prefix may also have be_lazy() and count_paths(), if it can save work where elements stay where
// they are and nobody asks for the state after them. The second then stands in for store().
template <class Prefix>
concept may_be_lazy = requires(Prefix prefix) {
  prefix.be_lazy();
  prefix.count_paths();
};

// The prefix of A, where there is one; implementations.hpp has those of Tally's own aggregates.
template <class A>
struct prefix_for {};
template <class A>
concept has_prefix = requires { typename prefix_for<A>::type; };
template <has_prefix A>
using prefix_type = typename prefix_for<A>::type;

}  // namespace tally::detail
