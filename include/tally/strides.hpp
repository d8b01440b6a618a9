// SPDX-License-Identifier: Apache-2.0
//
// Arrays of several dimensions as loops over their elements: what operands of one shape have, each
// with steps of its own. Dimensions that follow one another in all of them are one loop; so most
// arrays are one or two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tally/types.hpp"

namespace tally::detail {

// What it takes to go on along a dimension: elements, or bytes, of each operand.
struct dimension {
  std::uint64_t extent;
  std::array<std::int64_t, 3> by = {};
  bool operator==(dimension const&) const = default;
};

// The outermost comes first.
using dimensions = std::vector<dimension>;

inline std::uint64_t count_of(std::span<dimension const> all) {
  std::uint64_t n = 1;
  for (auto const& d : all) n *= d.extent;
  return n;
}

// The same places in the same order, by as few loops as possible.
dimensions joined(std::span<dimension const> all);
// The dimension along which the first operand's elements are farthest apart comes first: the same
// places in another order.
dimensions by_distance(dimensions all);

// A place in such loops: where each operand is, relative to its first element.
class loop_position {
 public:
  loop_position(std::span<dimension const> all, std::uint64_t index) : all_(all) {
    at_.resize(all.size());
    for (std::size_t d = all.size(); d-- > 0; index /= all[d].extent) {
      at_[d] = index % all[d].extent;
      for (std::size_t o = 0; o < offset_.size(); ++o)
        offset_[o] += std::int64_t(at_[d]) * all[d].by[o];
    }
  }
  std::int64_t offset(std::size_t operand) const { return offset_[operand]; }
  // How many places there are up to the end of the innermost loop, this one included.
  std::uint64_t run() const { return all_.empty() ? 1 : all_.back().extent - at_.back(); }
  // Goes on by so many of these.
  void advance(std::uint64_t by) {
    for (std::size_t d = all_.size(); d-- > 0;) {
      move(d, std::int64_t(by));
      if (at_[d] < all_[d].extent || d == 0) return;
      move(d, -std::int64_t(all_[d].extent));
      by = 1;
    }
  }

 private:
  std::span<dimension const> all_;
  std::vector<std::uint64_t> at_;
  std::array<std::int64_t, 3> offset_ = {};

  void move(std::size_t d, std::int64_t by) {
    at_[d] += std::uint64_t(by);
    for (std::size_t o = 0; o < offset_.size(); ++o) offset_[o] += by * all_[d].by[o];
  }
};

// A copy of elements of so many bytes, 1, 2, 4 or 8: those at the places from `first` on, of loops
// whose steps are bytes, of operand 0 to operand 1.
struct strided_copy {
  static constexpr unsigned most = 12;  // dimensions; more of them, joined, are copied in parts

  unsigned bytes, size;
  std::uint64_t extent[most];
  std::int64_t from_by[most], to_by[most];
  std::uint64_t first, count;
  std::byte const* from;
  std::byte* to;
};

// Where the place `index` is in both, no Index's largest. Divisions are quicker where it has 32
// bits.
struct strided_place {
  std::int64_t from, to;
};
template <class Index>
TALLY_FN strided_place place_of(strided_copy const& copy, Index index) {
  strided_place at{0, 0};
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (unsigned d = copy.size; d-- > 0;) {
    Index const extent = Index(copy.extent[d] < Index(-1) ? copy.extent[d] : Index(-1)),
                outer = index / extent;
    auto const i = std::int64_t(index - outer * extent);
    at.from += i * copy.from_by[d], at.to += i * copy.to_by[d];
    index = outer;
  }
  return at;
}

}  // namespace tally::detail
