// SPDX-License-Identifier: Apache-2.0
//
// sum, fast-sum, mean, variance, min, max and describe, the element type being known at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "report.hpp"
#include "tally/dtype.hpp"
#include "tally/serial.hpp"
#include "tally/where.hpp"

namespace tally::cli {

// What an answer depends on beside the elements.
struct reduction_settings {
  std::string command;
  dtype type;
  std::uint64_t ddof = 0;
  bool skip_nan = false;
  std::optional<dtype> out_type;
  bool operator==(reduction_settings const&) const = default;

  nan_policy nan() const { return skip_nan ? skip : propagate; }
};

class reduction {
 public:
  virtual ~reduction() = default;

  virtual void add(cpu where, std::span<std::byte const> chunk) = 0;
  // `right` has the same settings; if this needs_order(), it begins where this ends.
  virtual void append(reduction const& right) = 0;
  virtual bool needs_order() const = 0;
  // As if the first element had had that index. Throws if that would change the answer's bits.
  virtual void move_to(std::uint64_t first) = 0;

  virtual std::uint64_t first() const = 0;
  virtual std::uint64_t count() const = 0;
  virtual std::uint64_t nan_count() const = 0;
  // Throws, naming `array`, if it is empty and the command has no answer to that.
  virtual answer result(std::string const& array) const = 0;

  virtual void write(byte_writer& out) const = 0;
  virtual void read(byte_reader& in) = 0;
};

// Throws usage_error if the settings ask for a type that the answer cannot have.
void require_possible_result(reduction_settings const& settings);

// Throws that, too. `first` is the index of the first element.
std::unique_ptr<reduction> make_reduction(reduction_settings const& settings, std::uint64_t first);

}  // namespace tally::cli
