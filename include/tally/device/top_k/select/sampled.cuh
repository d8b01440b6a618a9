// SPDX-License-Identifier: Apache-2.0
//
// The k best of a row in one read: a threshold is guessed from a sample, what is above it is put
// aside, counted and put in order. Where the guess was wrong, so that there are too few or too
// many, or k is too large, this says so, and does nothing.
#pragma once

#include "tally/device/top_k/select/gather.cuh"
#include "tally/device/top_k/select/sampled_shape.cuh"

namespace tally::device {

// The search in one row.
template <class Row, class Index>
class sampled_selection {
 public:
  using bits = typename Row::bits;
  using reading = stretch<Row, Index>;
  using batch = typename reading::batch;
  using memory = sampled_memory<bits, Index>;
  using rank = ranked<bits>;
  using entry = typename rank::type;

  // 0 < k <= most_sampled, and k <= row.count.
  __device__ sampled_selection(team& all, sampled_board<bits>& shared, memory const& room,
                               Row const& row, rank_order<bits> const& order, unsigned k)
      : all_(all), shared_(shared), room_(room), row_(row), order_(order), k_(k) {}

  // Puts candidates aside. Whether it found all that are among the best; the same for the team.
  __device__ bool find(sampling const& in_sample) {
    if (!in_sample.can_tell()) {
      takes_all_ = is_alone() && row_.count <= room_.block().above;
      if (!takes_all_) return false;
    }
    if (threadIdx.x == 0) {
      shared_.found = {};
      if (!is_alone() && all_.rank() == 0)
        for (unsigned g = 0; g < most_guesses; ++g) room_.counts()[g] = {};
    }
    filter(in_sample);
    __syncthreads();
    counts_ = {shared_.found.above, shared_.found.ties, shared_.found.ties, 0, 0, {}};
    if (!is_alone()) {
      tell_team();
      if (counts_.above > room_.team().above / 2 && counts_.lacking == 0)
        guess_better(in_sample.rank);
    }
    return is_enough();
  }

  // How many are among the best.
  __device__ unsigned count() const { return k_; }
  // Whether place() read the row again, for ties.
  __device__ bool has_gathered() const { return counts_.above < k_ && has_more_ties_; }

  // Calls emit(place, key, index) or emit_bits(place, bits, index) for each of the best, in order,
  // or by ascending index. By all blocks of the team, after find(). Returns false, before it calls
  // either, where so many are alike that this does not do.
  template <class Emit, class EmitBits>
  __device__ bool place(found_by_warps& warps, two_counts<Index>* totals, bool sorted, Emit emit,
                        EmitBits emit_bits) {
    unsigned const ties = counts_.above < k_ ? k_ - counts_.above : 0;
    bool const some_ties_missing = ties > 0 && has_more_ties_;
    if (some_ties_missing && !sorted) return false;
    unsigned const entries = counts_.above + (some_ties_missing || ties == 0 ? 0 : counts_.ties);
    bool const placed = sorted ? place_best(entries, all_.rank(), all_.blocks(), emit)
                               : place_by_index(entries, emit);
    if (placed && some_ties_missing) {
      team after = all_;
      if (is_alone()) find_first_tie(), counts_.first_tie = shared_.found.first_tie;
      gather_ties<Row, Index>(after, warps, totals, row_, order_, least_,
                              {counts_.above, ties, counts_.ties, ~counts_.first_tie}, emit_bits);
      all_ = after;
    }
    return placed;
  }

 private:
  __device__ bool is_alone() const { return all_.is_alone(); }

  // Guesses, and takes what is above from all batches. Warps take turns at these.
  __device__ void filter(sampling const& how) {
    constexpr Index of_batch = 32 * batch::items;
    Index const warps = selecting_threads / 32 * all_.blocks();
    Index at = threadIdx.x / 32 * all_.blocks() + all_.rank();
    reading const all(row_, 0, 1);
    Index const batches = (all.end() + of_batch - 1) / of_batch;
    auto const first = [&] { return at * of_batch + threadIdx.x % 32 * batch::each; };
    batch x = all.load(first());  // before the sample is waited for
    guess(how, best_of_vectors(how));

    auto const spill = [&](bits key, Index index) {
      if (is_alone()) return;
      unsigned const place = atomicAdd(&room_.counts()->above, 1u);
      if (place >= room_.team().above) return;
      room_.team().keys[place] = key, room_.team().indices[place] = index;
    };
    candidates<bits, Index, decltype(spill)> aside(room_.block(), shared_.found, order_, least_, k_,
                                                   spill);
#pragma unroll 1
    for (;; x = all.load(first())) {
      aside.take(x, [&](int i) { return all.index(first(), i); });
      at += warps;
      if (at >= batches || aside.is_done()) break;
    }
  }

  __device__ bits best_of_vectors(sampling const& how) const {
    constexpr unsigned each = batch::each;
    std::uint64_t const skipped = (each - row_.lead()) % each;
    unsigned const vectors = how.is_looking() ? how.vectors : 0;
    bits best = 0;
#pragma unroll 1
    for (unsigned v = 0; v < vectors; v += 2) {
      bits x[2 * each];
      auto const a = place_in_sample(all_, how, v);
      auto const b = v + 1 < vectors ? place_in_sample(all_, how, v + 1) : a;
      row_.load(x, skipped + a * each), row_.load(x + each, skipped + b * each);
#pragma unroll
      for (unsigned i = 0; i < 2 * each; ++i) {
        bits const key = order_(x[i]);
        if (i % each < how.elements && key > best) best = key;
      }
    }
    return best;
  }

  __device__ void guess(sampling const& how, bits best) {
    compare_groups(all_, shared_.groups, how, best, room_.told());
    bits const lowest = order_.skips;
    least_ = takes_all_ ? lowest : shared_.groups.best[how.rank - 1];
    if (least_ < lowest) least_ = lowest;
  }

  // What the block has goes to the team, and what all have comes back.
  __device__ void tell_team() {
    unsigned const above = min(counts_.above, room_.block().above);
    unsigned const held = min(counts_.ties, room_.block().ties);
    if (threadIdx.x == 0) shared_.base_above = atomicAdd(&room_.counts()->above, above);
    if (threadIdx.x == 32) shared_.base_ties = atomicAdd(&room_.counts()->held, held);
    if (threadIdx.x == 64 && counts_.ties) atomicAdd(&room_.counts()->ties, counts_.ties);
    if (threadIdx.x == 96 && counts_.above > above) atomicAdd(&room_.counts()->lacking, 1u);
    find_first_tie();
    if (threadIdx.x == 128 && counts_.ties)
      atomicMax(&room_.counts()->first_tie, shared_.found.first_tie);
    base_above_ = shared_.base_above, base_ties_ = shared_.base_ties;
    tell_lists();
    all_.meet();
    counts_ = *room_.counts();
  }
  // Of those that there was room for, too.
  __device__ void find_first_tie() {
    auto const mine = room_.block();
    unsigned const held = min(shared_.found.ties, mine.ties);
    unsigned first = 0;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < held; i += selecting_threads)
      first = max(first, ~unsigned(mine.tied[i]));
    first = warp::all_reduce(first, larger{});
    if (threadIdx.x % 32 == 0 && first) atomicMax(&shared_.found.first_tie, first);
    __syncthreads();
  }
  __device__ void tell_lists() {
    auto const mine = room_.block(), to = room_.team();
    unsigned const above = min(shared_.found.above, mine.above);
    unsigned const held = min(shared_.found.ties, mine.ties);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < above; i += selecting_threads) {
      unsigned const at = base_above_ + i;
      if (at >= to.above) break;
      to.keys[at] = mine.keys[i], to.indices[at] = mine.indices[i];
    }
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < held; i += selecting_threads) {
      unsigned const at = base_ties_ + i;
      if (at >= to.ties) break;
      to.tied[at] = mine.tied[i];
    }
  }

  // Where many more are above the guess than are asked for, or than the team has room for, as in a
  // sorted row: a better one is another of the groups' best, and what blocks have put aside is told
  // again.
  __device__ void guess_better(unsigned rank) {
    std::uint64_t const most = room_.team().above;
    unsigned too_few = 0, too_many = rank;  // by which of the groups' best
    unsigned next = 2 + unsigned(rank * (most / 4) / counts_.above);
#pragma unroll 1
    for (unsigned g = 1; g < most_guesses && too_many - too_few > 1; ++g) {
      if (next >= too_many) next = (too_few + too_many) / 2;
      least_ = shared_.groups.best[next - 1];
      tell_again(room_.counts() + g);
      if (counts_.above > most)
        too_many = next;
      else if (counts_.above + std::uint64_t(counts_.ties) < k_)
        too_few = next;
      else
        return;
      next = (too_few + too_many) / 2;
    }
  }
  __device__ void tell_again(sampled_counts* counts) {
    auto const mine = room_.block(), to = room_.team();
    unsigned const size = shared_.found.above;
    unsigned both = 0, total;  // above the threshold, and at it in the upper half
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < size; i += selecting_threads)
      both += unsigned(mine.keys[i] > least_) + (unsigned(mine.keys[i] == least_) << 16);
    unsigned const before = block::inclusive_scan<selecting_threads>(both, plus{}, total) - both;
    if (threadIdx.x == 0) {
      shared_.base_above = atomicAdd(&counts->above, total & 0xffff);
      shared_.base_ties = atomicAdd(&counts->ties, total >> 16);
      atomicAdd(&counts->held, total >> 16);
    }
    __syncthreads();
    unsigned above = shared_.base_above + (before & 0xffff);
    unsigned ties = shared_.base_ties + (before >> 16), first_tie = 0;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < size; i += selecting_threads) {
      if (mine.keys[i] == least_) {
        first_tie = max(first_tie, ~unsigned(mine.indices[i]));
        if (ties++ < to.ties) to.tied[ties - 1] = mine.indices[i];
      }
      if (mine.keys[i] > least_ && above++ < to.above)
        to.keys[above - 1] = mine.keys[i], to.indices[above - 1] = mine.indices[i];
    }
    first_tie = warp::all_reduce(first_tie, larger{});
    if (threadIdx.x % 32 == 0 && first_tie) atomicMax(&counts->first_tie, first_tie);
    all_.meet();
    counts_ = *counts;
  }

  __device__ bool is_enough() {
    auto const list = is_alone() ? room_.block() : room_.team();
    if (counts_.above > list.above) return false;
    has_more_ties_ = counts_.held > list.ties || counts_.ties > counts_.held;
    auto const there = std::uint64_t(counts_.above) + counts_.ties;
    if (there >= k_) return true;
    if (takes_all_) k_ = unsigned(there);  // the others are skipped
    return takes_all_;
  }

  template <class Emit>
  __device__ bool place_best(unsigned entries, unsigned part, unsigned parts, Emit emit) {
    auto const list = is_alone() ? room_.block() : room_.team();
    return place_entries<rank>(
        part, parts, shared_.place, room_.kept(), room_.tags(), entries, k_,
        [&](unsigned i) {
          bool const above = i < counts_.above;
          Index const* const index = above ? list.indices + i : list.tied + (i - counts_.above);
          return rank::of(above ? list.keys[i] : least_, *index);
        },
        [&](unsigned place, entry const& x) { emit(place, rank::key(x), rank::index(x)); });
  }

  // Each block finds all of the best, and places some of them.
  template <class Emit>
  __device__ bool place_by_index(unsigned entries, Emit emit) {
    entry* const chosen = room_.chosen();
    bool const placed = place_best(entries, 0, 1, [&](unsigned place, bits key, Index index) {
      chosen[place] = rank::of(key, index);
    });
    if (!placed) return false;
    __syncthreads();
    return place_entries<ranked_by_index<bits>>(
        all_.rank(), all_.blocks(), shared_.place, room_.kept(), room_.tags(), k_, k_,
        [&](unsigned i) { return chosen[i]; },
        [&](unsigned place, entry const& x) { emit(place, rank::key(x), rank::index(x)); });
  }

  team& all_;
  sampled_board<bits>& shared_;
  memory const& room_;
  Row const& row_;
  rank_order<bits> const& order_;
  unsigned k_;
  bits least_ = 0;  // the threshold
  bool takes_all_ = false, has_more_ties_ = false;
  sampled_counts counts_{};
  unsigned base_above_ = 0, base_ties_ = 0;  // of the block's in the team's lists
};

}  // namespace tally::device
