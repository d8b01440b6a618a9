// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "masked_array.hpp"
#include "top_k.hpp"

namespace tally::cli {

// A top-k in instalments, as an any_selector is, of elements some of which may be missing: as NaN
// they are all equal and the largest, and can be skipped.
class masked_selector {
 public:
  masked_selector(dtype type, std::uint64_t k, top_k_options const& how);

  void add(cpu where, masked_array const& x);
  // Ends it. No more than k, of no fewer elements.
  std::vector<chosen> result(cpu where);

 private:
  dtype type_;
  std::uint64_t k_;
  top_k_options how_;
  any_selector best_;  // of those that are there, which it counts without those that are not
  std::uint64_t count_ = 0;
  std::vector<bool> there_;  // whether an element is; none: all are
  std::vector<std::int64_t> missing_;
  std::vector<std::byte> side_by_side_;

  void note_missing(masked_array const& x);
  std::vector<chosen> best_there(cpu where);
  void find_indices(std::vector<chosen>& best) const;
};

}  // namespace tally::cli
