// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input_file.hpp"

namespace tally::io {

// What one read, and one buffer of converted elements, holds: it stays in a core's cache.
inline constexpr std::size_t buffer_bytes = std::size_t(1) << 20;

// Longer headers, numbers and CSV fields are errors, so that no input can fill the memory.
inline constexpr std::size_t longest_token = std::size_t(1) << 20;

// A stream in chunks: the bytes read but not yet taken can be looked at, and more read behind them.
// What unread() and peek() return is valid until the next more() or peek().
class reader {
 public:
  explicit reader(input_file file, std::size_t chunk = buffer_bytes);

  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Reads on, up to a chunk; false at the end of the stream.
  bool more() { return read_on(chunk_); }
  // The next n bytes, fewer only at the end of the stream. Reads no byte beyond them.
  std::string_view peek(std::size_t n);
  void take(std::size_t n) { begin_ += n, taken_ += n; }

  std::uint64_t taken() const { return taken_; }
  input_file const& file() const { return file_; }
  std::string const& name() const { return file_.name(); }

 private:
  bool read_on(std::size_t most);

  input_file file_;
  std::size_t chunk_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace tally::io
