// SPDX-License-Identifier: Apache-2.0
//
// What a random call gave, in a line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tally/tally.hpp"

namespace recording {

// Other bits wherever it is computed: the order of additions is a scan's own. Or cores alone can.
enum class mark { none, ordered, cores };

// All bits that a call gave, in their order, as a number.
class digest {
 public:
  std::uint64_t value() const { return value_; }

  void bits(std::uint64_t x) {
    value_ = (value_ ^ x) * 0xff51afd7ed558ccd;
    value_ ^= value_ >> 32;
  }
  template <tally::element T>
  void take(T x) {
    bits(std::uint64_t(tally::to_bits(x)));
  }
  template <class T>
  void take(std::span<T> all) {
    for (T const& x : all) take(x);
  }
  template <class T>
  void take(std::vector<T> const& all) {
    take(std::span(all));
  }
  template <tally::element T>
  void take(tally::min_max::values<T> const& ends) {
    take(ends.minimum), take(ends.maximum);
  }
  template <tally::element T>
  void take(tally::description<T> const& d) {
    take(d.count), take(d.nan_count), take(d.sum), take(d.mean), take(d.standard_deviation);
    take(d.minimum), take(d.maximum), take(d.minimum_index), take(d.maximum_index);
  }
  template <class State>
    requires requires(State const& s, tally::byte_writer& out) { s.write(out); }
  void take(State const& s) {
    tally::byte_writer out;
    s.write(out);
    for (std::byte const b : out.take()) bits(std::uint64_t(b));
  }

 private:
  std::uint64_t value_ = 14695981039346656037u;
};

struct outcome {
  std::string what;
  digest bits;
  recording::mark mark = mark::none;

  std::string text() const {
    char number[17];
    std::snprintf(number, sizeof number, "%016llx", static_cast<unsigned long long>(bits.value()));
    constexpr char const* marks[] = {"", " ordered", " cores"};
    return what + " " + number + marks[int(mark)];
  }
};

}  // namespace recording
