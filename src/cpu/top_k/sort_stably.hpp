// SPDX-License-Identifier: Apache-2.0
//
// Sorts values and their indices together, best first, ties as they stand: a radix sort, digit
// after digit, from the lowest bit in which keys differ to the highest, between the pairs and a
// scratch of the same size (Knuth, TAOCP 5.2.5). Each thread counts and moves a range.
#pragma once

#include <memory>

#include "ranking.hpp"
#include "tally/cpu/threads.hpp"

namespace tally::detail::top_k {

template <class R>
class stable_sort {
 public:
  static constexpr std::size_t bytes(std::size_t n) {
    return n * (sizeof(R) + sizeof(std::int64_t));
  }

  stable_sort(ranking<R> rank, std::size_t n, int threads)
      : rank_(rank),
        n_(n),
        threads_(n < 65536 ? 1 : threads),
        next_(std::size_t(threads_)),
        values_(std::make_unique_for_overwrite<R[]>(n)),
        indices_(std::make_unique_for_overwrite<std::int64_t[]>(n)) {}

  void run(R* const values, std::int64_t* const indices) {
    key_type const differing = differing_bits(values);
    if (differing == 0) return;
    int const low = std::countr_zero(differing), bits = int(std::bit_width(differing)) - low;
    int const passes = (bits + max_bits - 1) / max_bits;
    digit_bits_ = (bits + passes - 1) / passes;
    pairs from{values, indices}, to{values_.get(), indices_.get()};
    for (int pass = 0; pass < passes; ++pass, std::swap(from, to))
      move(from, to, low + pass * digit_bits_);
    if (from.values == values) return;
    std::copy_n(from.values, n_, values);
    std::copy_n(from.indices, n_, indices);
  }

 private:
  using key_type = bits_of<R>;
  static constexpr int max_bits = 11;  // as many counters stay in the nearest cache
  struct pairs {
    R* values;
    std::int64_t* indices;
  };

  std::size_t begin_of(std::size_t range) const { return n_ / next_.size() * range; }
  std::size_t end_of(std::size_t range) const {
    return range + 1 == next_.size() ? n_ : begin_of(range + 1);
  }
  std::size_t digit(R value, int shift) const {
    return std::size_t(key_type(~rank_(value)) >> shift) & ((std::size_t(1) << digit_bits_) - 1);
  }

  key_type differing_bits(R const* values) const {
    key_type const first = rank_(values[0]);
    key_type differing = 0;
    run_vectorised([&](auto) __attribute__((always_inline)) {
      for (std::size_t i = 0; i < n_; ++i)
        differing = key_type(differing | key_type(first ^ rank_(values[i])));
    });
    return differing;
  }

  void move(pairs from, pairs to, int shift) {
    parallel_for(threads_, next_.size(), [&](std::size_t range) {
      auto& count = next_[range];
      count.assign(std::size_t(1) << digit_bits_, 0);
      for (std::size_t i = begin_of(range); i < end_of(range); ++i)
        ++count[digit(from.values[i], shift)];
    });
    std::size_t sum = 0;
    for (std::size_t d = 0; d < next_[0].size(); ++d)
      for (auto& count : next_) sum += std::exchange(count[d], sum);
    parallel_for(threads_, next_.size(), [&](std::size_t range) {
      auto* const next = next_[range].data();
      for (std::size_t i = begin_of(range); i < end_of(range); ++i) {
        std::size_t const at = next[digit(from.values[i], shift)]++;
        to.values[at] = from.values[i];
        to.indices[at] = from.indices[i];
      }
    });
  }

  ranking<R> rank_;
  std::size_t n_;
  int threads_, digit_bits_ = 0;
  std::vector<std::vector<std::size_t>> next_;  // a range's next place for each digit
  std::unique_ptr<R[]> values_;
  std::unique_ptr<std::int64_t[]> indices_;
};

}  // namespace tally::detail::top_k
