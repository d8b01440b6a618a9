// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute describe{}: what it is made of in one read, put together at the end.
#pragma once

#include "tally/definition/describe.hpp"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/together.cuh"
#include "tally/device/reduce/rows/lanes_of_ends.cuh"

namespace tally::device {

// The least and the greatest element, and where the first of each is. -0.0 is the lesser zero, but
// they are equal where the first is looked for; the first NaN is both ends.
template <element T>
struct single_ends {
  using key = typename extremum_keys<T, true>::key;
  struct end {
    key value;
    std::uint64_t at;  // or nowhere: no element yet; or elsewhere: another state has it
  };
  struct state {
    end least, greatest;
  };
  struct result {
    T minimum, maximum;
    std::int64_t minimum_at, maximum_at;
  };
  using element = T;
  static constexpr bool any_order = true;
  static constexpr std::uint64_t nowhere = ~std::uint64_t(0), elsewhere = nowhere - 1;

  TALLY_FN state identity() const { return {{low::none, nowhere}, {high::none, nowhere}}; }
  TALLY_FN state lift(T x, std::uint64_t i) const { return {{low::of(x), i}, {high::of(x), i}}; }
  TALLY_FN state combine(state const& a, state const& b) const {
    return {better<low>(a.least, b.least), better<high>(a.greatest, b.greatest)};
  }
  TALLY_HD result lower(state const& s) const {
    return {low::value(s.least.value), high::value(s.greatest.value), std::int64_t(s.least.at),
            std::int64_t(s.greatest.at)};
  }
  TALLY_HD bool empty(state const& s) const { return s.least.at == nowhere; }

  // Takes the best ends of the whole warp, so that a lane looks only at elements that beat them.
  // The states of its lanes will be combined.
  TALLY_FN void learn(state& s, key least, key greatest) const {
    learn(s.least, least), learn(s.greatest, greatest);
  }

  // Adds many elements at once, whose indices increase and are greater than those before: it looks
  // for an index only where they beat all of those.
  template <class Batch, class Index, class IsThere>
  TALLY_FN void add(state& s, Batch const& x, Index index, IsThere is_there) const {
    key least = low::none, greatest = high::none;
    TALLY_UNROLL
    for (int k = 0; k < x.size; ++k) {
      if (!is_there(k)) continue;
      key const as_low = low::of(x[k]), as_high = high::of(x[k]);
      least = low::better(as_low, least) ? as_low : least;
      greatest = high::better(as_high, greatest) ? as_high : greatest;
    }
    move<low>(s.least, least, x, index, is_there);
    move<high>(s.greatest, greatest, x, index, is_there);
  }

 private:
  using low = extremum_keys<T, true>;
  using high = extremum_keys<T, false>;

  static TALLY_FN void learn(end& e, key best) {
    if (zeros_merged(e.value) != zeros_merged(best)) e = {best, elsewhere};
  }
  static TALLY_FN key zeros_merged(key k) {
    if constexpr (floating<T>)
      return k == low::of(from_bits<T>(format<T>::sign)) ? low::of(T{}) : k;
    return k;
  }
  template <class Keys>
  static TALLY_FN end better(end const& a, end const& b) {
    key const x = zeros_merged(a.value), y = zeros_merged(b.value);
    bool const first = x == y ? a.at < b.at : Keys::better(x, y);
    return {Keys::better(a.value, b.value) ? a.value : b.value, first ? a.at : b.at};
  }
  template <class Keys, class Batch, class Index, class IsThere>
  static TALLY_FN void move(end& e, key best, Batch const& x, Index index, IsThere is_there) {
    key const all = zeros_merged(best);
    bool const moves = e.at == nowhere || Keys::better(all, zeros_merged(e.value));
    e.value = Keys::better(best, e.value) ? best : e.value;
    if (!moves) return;
    TALLY_UNROLL
    for (int k = x.size - 1; k >= 0; --k)
      if (is_there(k) && zeros_merged(Keys::of(x[k])) == all) e.at = index(k);
  }
};

// After each batch a warp tells its lanes the best ends of all, so that few of them have to find
// where an element was.
template <element T>
struct ends_agent : plain_agent<single_ends<T>> {
  using base = plain_agent<single_ends<T>>;
  using typename base::accumulator;
  using typename base::shared;

  using base::add;
  template <class Batch, class Index>
  __device__ void add(accumulator& acc, shared& s, Batch const& x, unsigned live,
                      Index index) const {
    base::add(acc, s, x, live, index);
    auto& ends = acc.chain[0];
    this->a.learn(ends, warp::detail::redux_of(ends.least.value, smaller{}),
                  warp::detail::redux_of(ends.greatest.value, larger{}));
  }
};

template <element T>
struct agent_for<single_ends<T>> {
  using type = ends_agent<T>;
};

template <element T, class Pieces, class Joint>
struct described_agent : Joint {
  using element = T;
  using result = description<T>;
  using typename Joint::accumulator;
  using typename Joint::shared;

  __device__ bool finish(accumulator const& acc, shared& s, std::uint64_t n, result* out) const {
    alignas(Pieces) __shared__ unsigned char memory[sizeof(Pieces)];
    auto* const pieces = reinterpret_cast<Pieces*>(memory);  // no constructor runs
    bool const found = Joint::finish(acc, s, n, pieces);
    __syncthreads();
    if (threadIdx.x == 0) *out = put_together(*pieces);
    return found;
  }

  // For lanes, too.
  template <class Lanes>
  static __device__ bool finish(Lanes const& lanes, typename Lanes::sum const& s, std::uint64_t n,
                                result& out) {
    Pieces pieces;
    bool const known = lanes.finish(s, n, pieces);
    if (known) out = put_together(pieces);
    return known;
  }

 private:
  static __device__ result put_together(Pieces const& p) {
    auto const n = get<0>(p);
    auto const ends = get<4>(p);
    return {n.count,      n.nan_count,  get<1>(p),       get<2>(p),      get<3>(p),
            ends.minimum, ends.maximum, ends.minimum_at, ends.maximum_at};
  }
};

template <element T, class Pieces, class Joint>
  requires all_have_lanes<Joint>
struct lanes_for<described_agent<T, Pieces, Joint>> {
  using agent_type = described_agent<T, Pieces, Joint>;
  static auto make(Joint const& agent) {
    return make_lanes_of_several<T, description<T>, agent_type>(agent);
  }
};

template <element T>
struct agent_for<detail::described<T>> {
  static auto make(detail::described<T> const& a, bool skips_nan) {
    auto const pieces = detail::bind_all<T>(count_elements<T>{}, tally::sum{}, tally::mean{},
                                            tally::standard_deviation{a.ddof}, single_ends<T>{});
    auto const joint = make_joint_agent(list_of(pieces), skips_nan);
    return described_agent<T, typename decltype(pieces)::result,
                           std::remove_const_t<decltype(joint)>>{joint};
  }
};

}  // namespace tally::device
