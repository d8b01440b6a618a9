// SPDX-License-Identifier: Apache-2.0
//
// The keys of a sample of a row, which the threads of a team hold: vectors from all of it, each
// somewhere in a stretch of its own (select/sample.cuh).
#pragma once

#include "tally/device/top_k/select/sample.cuh"

namespace tally::device {

// Eight keys a thread, or a vector, and no more than one element in 16.
template <class Bits>
inline constexpr unsigned sample_vectors = vector_bytes / sizeof(Bits) < 8 ? sizeof(Bits) / 2 : 1;
template <class Bits>
TALLY_FN std::uint64_t looks_of_sample(std::uint64_t threads, std::uint64_t n) {
  std::uint64_t const most = n / vector_bytes * sizeof(Bits) / 16;
  std::uint64_t const looks = threads * sample_vectors<Bits>;
  return looks < most ? looks : most;
}

template <class Row>
class sample_keys {
 public:
  using bits = typename Row::bits;

  __device__ sample_keys(team const& all, Row const& row, rank_order<bits> const& order)
      : looks_(looks_of_sample<bits>(all.threads(), row.count)) {
    std::uint64_t const skipped = (each - row.lead()) % each;
    scattered const places((row.count - skipped) / each, looks_);
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v) {
      std::uint64_t const look = std::uint64_t(v) * all.threads() + all.thread();
      if (look >= looks_) break;
      bits x[each];
      row.load(x, skipped + places(look) * each);
#pragma unroll
      for (unsigned i = 0; i < each; ++i) key_[v * each + i] = order(x[i]);
      mine_ = (v + 1) * each;
    }
  }
  __device__ std::uint32_t count() const { return std::uint32_t(looks_ * each); }

  template <class F>
  __device__ void for_each(F f) const {
#pragma unroll
    for (unsigned i = 0; i < vectors * each; ++i) f(key_[i], i < mine_);
  }

 private:
  static constexpr unsigned each = vector_bytes / sizeof(bits), vectors = sample_vectors<bits>;
  std::uint64_t looks_;
  bits key_[vectors * each] = {};
  unsigned mine_ = 0;
};

}  // namespace tally::device
