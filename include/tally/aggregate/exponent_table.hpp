// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "tally/aggregate/fixed_point.hpp"

namespace tally::detail {

// Sums of finite elements that lie anywhere: one sum of significands for every sign and exponent,
// which integers hold exactly. No element costs more than another. (The large superaccumulator of
// R. Neal, arXiv:1505.05571.)
template <floating T>
class exponent_table {
  using bits = bits_of<T>;
  static constexpr int fraction = format<T>::precision - 1;
  static constexpr int entries = 1 << (format<T>::width - fraction);
  static constexpr bool split = fraction > 32;  // a fraction's lower bits are summed apart
  static constexpr int low = split ? 20 : fraction;
  static constexpr std::uint64_t one = std::uint64_t(1) << 44;  // counts, above a sum's lower bits
  static constexpr std::uint64_t most = 1 << 20;                // elements between two flushes

 public:
  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t) {
    if (!sums_) sums_ = std::make_unique<table>();
    auto& sums = *sums_;
    int k = 0;
    // Neighbours do not wait for each other.
    for (; k + copies <= t.count; k += copies)
      for (int c = 0; c < copies; ++c) add<Tile::skips>(sums, c, t.data[k + c]);
    for (; k < t.count; ++k) add<Tile::skips>(sums, 0, t.data[k]);
    count_ += std::uint64_t(t.count);
  }
  bool has_room_for(std::uint64_t elements) const { return count_ + elements <= most; }

  template <class Digits>
  TALLY_CPU_COLD void flush(Digits& into) {
    if (!sums_ || count_ == 0) return;
    for (int at = 0; at < entries; ++at) {
      std::uint64_t sum = 0;
      for (auto& copy : sums_->lower) sum += std::exchange(copy[at], 0);
      if (sum == 0) continue;
      bool const negative = at >= entries / 2;
      int const field = at % (entries / 2), exponent = std::max(field, 1) + format<T>::lowest - 1;
      std::uint64_t const hidden = field ? sum / one << (fraction - low) : 0;
      into.add(negative, sum % one, exponent);
      if constexpr (split)
        into.add(negative, std::exchange(sums_->upper[at], 0) + hidden, exponent + low);
      else
        into.add(negative, hidden << low, exponent);
    }
    count_ = 0;
  }

 private:
  static constexpr int copies = split ? 1 : 4;
  struct table {
    std::uint64_t lower[copies][entries] = {}, upper[split ? entries : 1] = {};
  };

  template <bool Skips>
  static TALLY_CPU_FN void add(table& sums, int copy, T x) {
    bits b = to_bits(x);
    if constexpr (Skips) b = is_nan(x) ? 0 : b;
    std::size_t const at = std::size_t(b >> fraction);
    sums.lower[copy][at] += std::uint64_t(b & ((bits(1) << low) - 1)) | one;
    if constexpr (split) sums.upper[at] += (b & format<T>::fraction) >> low;
  }

  std::unique_ptr<table> sums_;
  std::uint64_t count_ = 0;
};

}  // namespace tally::detail
