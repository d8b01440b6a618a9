// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tally/io/decimals.hpp"
#include "tally/io/source.hpp"

namespace tally::io {

// The numbers of the text or column that open() would read, in decimal.
class decimal_source {
 public:
  // Throws as open() does, and of what is no text.
  explicit decimal_source(identified file);
  decimal_source(std::string const& path, open_options const& options);
  decimal_source(decimal_source&&) noexcept;
  ~decimal_source();

  // The next of them; null at the end. Valid until the next call.
  decimals const* next();
  std::uint64_t bytes_read() const;
  std::string const& row_name() const;  // text_facts::row_name

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tally::io
