// SPDX-License-Identifier: Apache-2.0
//
// The keys at several ranks, by one read of the array: a sample brackets each of them, as it does a
// single one (bracket.hpp). The brackets' ends cut the keys into bins. The read counts how many
// keys are in each, and keeps those of the bins within brackets, so that the counts say which key
// has a rank, or that none of those that were kept has it.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "rank_search.hpp"

namespace tally::detail::top_k {

// Neighbouring ranges of keys, the least first.
template <class Key>
struct key_bins {
  std::vector<Key> bounds;         // the least key of each but the first
  std::vector<std::uint8_t> kept;  // whether its keys are kept, not only counted

  static constexpr std::size_t most = 126;  // as a signed byte counts

  std::size_t size() const { return bounds.size() + 1; }
  interval<Key> range(std::size_t bin) const {
    return {bin ? bounds[bin - 1] : Key(0),
            bin < bounds.size() ? Key(bounds[bin] - 1) : ranking<Key>::best};
  }
};

// Keys that are kept, of which nobody asks where they were.
template <class Key>
struct key_chunk {
  static constexpr std::size_t capacity = 4096;
  Key keys[capacity];
  std::size_t size;
};

// What was found in a bin.
template <class Key>
struct binned {
  std::uint64_t count = 0;
  std::vector<std::unique_ptr<key_chunk<Key>>> kept = {};
  bool complete = true;  // no: there was no room for all

  void keep(Key key, std::atomic<std::int64_t>& budget) {
    if (kept.empty() || kept.back()->size == key_chunk<Key>::capacity) {
      if (!complete || budget.fetch_sub(1, std::memory_order_relaxed) <= 0) {
        complete = false;
        return;
      }
      kept.push_back(std::make_unique_for_overwrite<key_chunk<Key>>());
      kept.back()->size = 0;
    }
    auto& last = *kept.back();
    last.keys[last.size++] = key;
  }
  void append(binned&& right) {
    count += right.count;
    complete = complete && right.complete;
    std::move(right.kept.begin(), right.kept.end(), std::back_inserter(kept));
  }
  pieces<Key> as_pieces() const {
    pieces<Key> all;
    for (auto const& c : kept) all.push_back({c->keys, c->size, nullptr, 0});
    return all;
  }
};

// Keys as numbers that vectors compare at once.
template <class Key>
using key_number = std::make_signed_t<Key>;
template <class Key>
TALLY_FN key_number<Key> number_of(Key key) {
  return key_number<Key>(key ^ Key(Key(1) << (8 * sizeof(Key) - 1)));
}

// What one thread counts and keeps.
template <class R, int Width>
class bin_counter {
 public:
  using key_type = bits_of<R>;

  bin_counter(ranking<R> rank, key_bins<key_type> const& bins, std::vector<binned<key_type>>& found,
              std::atomic<std::int64_t>& budget)
      : rank_(rank), found_(found), budget_(budget), first_is_kept_(bins.kept[0]) {
    for (auto const key : bins.bounds) ascending_.push_back(number_of(key));
    for (bool const turns : {true, false})
      for (std::size_t b = 0; b < bins.bounds.size(); ++b)
        if ((bins.kept[b] != bins.kept[b + 1]) == turns) bound_.push_back(b);
    for (auto const b : bound_) before_.push_back(number(ascending_[b] - 1));
    for (std::size_t b = 0; b < bins.bounds.size(); ++b)
      turning_ += bins.kept[b] != bins.kept[b + 1];
    sums_.resize(bound_.size()), at_least_.resize(bound_.size());
  }

  TALLY_FN void add(piece<R> const& from) {
    number keys[block_size] = {};
    std::size_t i = 0;
    for (std::size_t blocks = 1; i + block_size <= from.size; i += block_size, ++blocks) {
      R const* const x = from.values + i;
      fetch_ahead(x, sizeof keys);
      for_block(block_size, [&](std::size_t j) __attribute__((always_inline)) {
        keys[j] = number_of(rank_(x[j]));
      });
      for (auto bits = kept_of_block(keys); bits; bits &= bits - 1)
        waiting_[size_++] = keys[std::countr_zero(bits)];
      if (size_ > room - block_size) sort_waiting();
      if (blocks % blocks_in_sums == 0) add_sums();
    }
    add_sums();
    for (; i < from.size; ++i) add_one(number_of(rank_(from.values[i])));
    sort_waiting();
    std::uint64_t above = 0;
    for (std::size_t b = at_least_.size(); b > 0; --b) {
      found_[b].count += at_least_[b - 1] - above;
      above = at_least_[b - 1];
    }
    found_[0].count += from.size - above;
  }

 private:
  using number = key_number<key_type>;
  static constexpr int lanes = Width / sizeof(R), vectors = int(block_size) / lanes;
  static constexpr int together = vectors < 4 ? vectors : 4;
  using vector = vec<number, lanes>;
  // Until a lane of the sums may be full.
  static constexpr std::size_t blocks_in_sums = sizeof(R) == 1 ? 60 : 4000;
  static constexpr std::size_t room = 2048;

  ranking<R> rank_;
  std::vector<binned<key_type>>& found_;
  std::atomic<std::int64_t>& budget_;
  bool first_is_kept_;
  std::vector<number> ascending_;   // the bounds
  std::vector<std::size_t> bound_;  // which of them is where: first those at which keeping turns
  std::size_t turning_ = 0;         // how many those are
  std::vector<number> before_;      // the key before each of `bound_`
  std::vector<std::array<number, std::size_t(lanes)>> sums_;  // how many keys reach it
  std::vector<std::uint64_t> at_least_;                       // the same of `ascending_`
  number waiting_[room] = {};  // keys that are kept, whose bins are not known
  std::size_t size_ = 0;

  // A bit for each key that is kept. Past every other bound that turns, keys are.
  TALLY_FN std::uint64_t kept_of_block(number const* keys) {
    std::uint64_t bits = 0;
    number const* const before = before_.data();
    auto* const sums = sums_.data();
    std::size_t const turning = turning_, all = before_.size();
    for (int v = 0; v < vectors; v += together) {
      vector x[together], flags[together];
      for (int t = 0; t < together; ++t)
        x[t] = load<vector>(keys + (v + t) * lanes), flags[t] = vector{} - number(first_is_kept_);
      for (std::size_t b = 0; b < turning; ++b) {
        vector sum = load<vector>(sums[b].data());
        TALLY_CPU_UNROLL
        for (int t = 0; t < together; ++t) {
          auto const reaches = vector(x[t] > before[b]);
          flags[t] ^= reaches, sum -= reaches;
        }
        store_some(sum, sums[b].data(), lanes);
      }
      for (std::size_t b = turning; b < all; ++b) {
        vector sum = load<vector>(sums[b].data());
        TALLY_CPU_UNROLL
        for (int t = 0; t < together; ++t) sum -= vector(x[t] > before[b]);
        store_some(sum, sums[b].data(), lanes);
      }
      vector any_of_them = flags[0];
      for (int t = 1; t < together; ++t) any_of_them |= flags[t];
      if (!any(any_of_them != 0)) continue;
      for (int t = 0; t < together; ++t)
        bits |= lane_bits<sizeof(R)>(flags[t]) << ((v + t) * lanes % 64);
    }
    return bits;
  }
  void add_sums() {
    for (std::size_t b = 0; b < sums_.size(); ++b) {
      std::uint64_t all = 0;
      for (auto& sum : sums_[b]) all += key_type(sum), sum = 0;
      at_least_[bound_[b]] += all;
    }
  }
  std::size_t bin_of(number key) const {
    return std::size_t(std::ranges::upper_bound(ascending_, key) - ascending_.begin());
  }
  TALLY_FN void add_one(number key) {
    std::size_t const bin = bin_of(key);
    for (std::size_t b = 0; b < bin; ++b) ++at_least_[b];
    waiting_[size_++] = key;
    if (size_ == room) sort_waiting();
  }
  // Those of bins that are only counted may be among them.
  TALLY_FN void sort_waiting() {
    number bins[block_size];
    for (std::size_t i = 0; i < size_; i += block_size) {
      find_bins(waiting_ + i, bins);
      for (std::size_t j = 0; j < std::min(block_size, size_ - i); ++j)
        found_[std::size_t(bins[j])].keep(key_type(number_of(key_type(waiting_[i + j]))), budget_);
    }
    size_ = 0;
  }
  // Each bin is the number of bounds that a key of the block reaches.
  TALLY_FN void find_bins(number const* keys, number* bins) const {
    for (int v = 0; v < vectors; v += together) {
      vector x[together], bin[together] = {};
      for (int t = 0; t < together; ++t) x[t] = load<vector>(keys + (v + t) * lanes);
      for (number const bound : ascending_) TALLY_CPU_UNROLL
      for (int t = 0; t < together; ++t) bin[t] -= vector(x[t] >= bound);
      for (int t = 0; t < together; ++t) store_some(bin[t], bins + (v + t) * lanes, lanes);
    }
  }
};

template <class R>
void count_in_bins(ranking<R> rank, piece<R> const& from, key_bins<bits_of<R>> const& bins,
                   std::vector<binned<bits_of<R>>>& found, std::atomic<std::int64_t>& budget) {
  run_vectorised([&](auto width) __attribute__((always_inline)) {
    bin_counter<R, width>(rank, bins, found, budget).add(from);
  });
}

// Puts the keys at the positions, which ascend, where sorting [first, end) would, the best first.
template <class Key>
void settle(std::vector<Key>& keys, std::size_t first, std::size_t end,
            std::span<std::size_t const> positions) {
  if (positions.empty()) return;
  auto const begin = keys.begin();
  auto const middle = positions.size() / 2, at = positions[middle];
  std::nth_element(begin + std::ptrdiff_t(first), begin + std::ptrdiff_t(at),
                   begin + std::ptrdiff_t(end), std::greater<>());
  settle(keys, first, at, positions.first(middle));
  settle(keys, at + 1, end, positions.subspan(middle + 1));
}

// Of floats, whose worst key is that of NaNs, or of integers.
template <class R>
class several {
 public:
  using key_type = bits_of<R>;
  static constexpr std::size_t from = 65536;  // shorter arrays are in the nearest caches

  several(ranking<R> rank, R const* in, std::size_t n, std::size_t ranks, bool has_nan, int threads)
      : rank_(rank),
        n_(n),
        worst_(has_nan ? 1 : 0),
        threads_(threads),
        input_(split(in, n, 0, threads)),
        sample_(sample_keys(rank, in, n, samples_of(n, ranks), threads)) {
    if (has_nan) std::erase(sample_, key_type(0));
  }

  // How many places one read is for: the keys around them have to fit into the memory beside the
  // array.
  std::size_t at_once() const {
    double const share = 2 * margin(0.5) / double(std::max<std::size_t>(sample_.size(), 1));
    double const room = double(chunks() * std::int64_t(key_chunk<key_type>::capacity));
    return std::size_t(std::clamp(0.75 * room / (share * double(n_)), 1.0, 16.0));
  }

  // Reads the array around places from 0, that of the best key, to 1, that of the last that is no
  // NaN's.
  void read(std::vector<double> const& places) {
    bins_ = bins_around(places);
    std::atomic<std::int64_t> budget =
        chunks() + std::int64_t(input_.size() * bins_.size());  // the last chunks are not full
    std::vector<std::vector<binned<key_type>>> parts(input_.size());
    parallel_for(threads_, input_.size(), [&](std::size_t p) {
      parts[p].resize(bins_.size());
      count_in_bins(rank_, input_[p], bins_, parts[p], budget);
    });
    found_ = std::move(parts[0]);
    for (std::size_t p = 1; p < parts.size(); ++p)
      for (std::size_t b = 0; b < bins_.size(); ++b) found_[b].append(std::move(parts[p][b]));
  }

  // Of the last read.
  std::uint64_t nans() const { return worst_ == 0 ? 0 : found_[0].count; }
  std::optional<key_type> key_at(std::uint64_t k) const {
    std::size_t bin = found_.size() - 1;
    for (; found_[bin].count < k; --bin) k -= found_[bin].count;
    auto const range = bins_.range(bin);
    if (range.low == range.high) return range.low;
    if (!bins_.kept[bin] || !found_[bin].complete) return std::nullopt;
    constexpr ranking<key_type> itself{0, 0, 0};
    search<key_type> const s{range, k, found_[bin].count};
    return select(itself, found_[bin].as_pieces(), s, threads_).key;
  }

 private:
  ranking<R> rank_;
  std::size_t n_;
  key_type worst_;  // of those that are not a NaN's
  int threads_;
  pieces<R> input_;
  std::vector<key_type> sample_;
  key_bins<key_type> bins_;
  std::vector<binned<key_type>> found_;

  // Where many brackets share the memory beside the array, they must be narrower.
  static std::size_t samples_of(std::size_t n, std::size_t ranks) {
    return std::max(std::min(n / 16, std::size_t(1) << (ranks < 4 ? 16 : 18)), n >> 13);
  }
  std::int64_t chunks() const {
    return std::int64_t(std::max(memory_beside<R>(n_), std::size_t(1) << 20) /
                        sizeof(key_chunk<key_type>));
  }
  // Four standard deviations of a place's position in the sample.
  double margin(double place) const {
    return 8 + 4 * std::sqrt(double(sample_.size()) * place * (1 - place));
  }

  // Around the sample's keys at places, to either side.
  struct bracket_positions {
    std::size_t high, low;
    bool has_high, has_low;
  };
  std::vector<bracket_positions> settled_around(std::vector<double> const& places) {
    double const m = double(sample_.size());
    std::vector<bracket_positions> around;
    std::vector<std::size_t> positions;
    for (double const place : places) {
      double const high = m * place - margin(place), low = m * place + margin(place);
      around.push_back({std::size_t(std::max(high, 0.0)), std::size_t(low), high >= 0, low < m});
      if (high >= 0) positions.push_back(around.back().high);
      if (low < m) positions.push_back(around.back().low);
    }
    std::ranges::sort(positions);
    auto const repeated = std::ranges::unique(positions);
    positions.erase(repeated.begin(), repeated.end());
    settle(sample_, 0, sample_.size(), positions);
    return around;
  }

  // A bracket's end of which the sample holds many has a bin of its own, in which nothing is kept.
  key_bins<key_type> bins_around(std::vector<double> const& places) {
    std::vector<interval<key_type>> brackets;
    key_bins<key_type> bins;
    auto const bound = [&](key_type key) {
      if (key != 0) bins.bounds.push_back(key);  // else it is behind the last
    };
    bound(worst_);
    for (auto const& [high, low, has_high, has_low] : settled_around(places)) {
      interval<key_type> const range{has_low ? sample_[low] : worst_,
                                     has_high ? sample_[high] : ranking<R>::best};
      auto const is_common = [&](key_type key) {
        return std::size_t(std::ranges::count(sample_, key)) > (low - high) / 8 + 2;
      };
      brackets.push_back(range);
      bound(range.low), bound(key_type(range.high + 1));
      if (is_common(range.low)) bound(key_type(range.low + 1));
      if (is_common(range.high)) bound(range.high);
    }
    std::ranges::sort(bins.bounds);
    auto const repeated = std::ranges::unique(bins.bounds);
    bins.bounds.erase(repeated.begin(), repeated.end());
    for (std::size_t b = 0; b < bins.size(); ++b) {
      auto const range = bins.range(b);
      bins.kept.push_back(range.low != range.high &&
                          std::ranges::any_of(brackets, [&](interval<key_type> each) {
                            return each.contains(range.low);
                          }));
    }
    return bins;
  }
};

}  // namespace tally::detail::top_k
