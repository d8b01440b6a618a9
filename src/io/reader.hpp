// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.hpp"
#include "tally/where.hpp"

namespace tally::io {

// What one read, and one buffer of converted elements, holds: it stays in a core's cache.
inline constexpr std::size_t buffer_bytes = std::size_t(1) << 20;

// Longer headers, and longer numbers and rows of text, are errors, so that no input can fill the
// memory.
inline constexpr std::size_t longest_header = std::size_t(1) << 20;
inline constexpr std::size_t longest_row = std::size_t(1) << 24;

// What undoes a compression.
class decoder {
 public:
  virtual ~decoder() = default;
  // Takes bytes from the front of `in`, and returns how many it has put to `out`: 0 only if it
  // needs more input. Throws std::runtime_error, which says what is wrong, for what was not
  // compressed so.
  virtual std::size_t decode(std::span<char const>& in, std::span<char> out) = 0;
  // Whether the input may end here.
  virtual bool is_complete() const = 0;
};

inline constexpr char damaged[] = "what is compressed is damaged",
                      wrong_crc[] = "is damaged: its CRC-32 is not what the archive says";

// How many bytes of a beginning tell how it is compressed.
inline constexpr std::size_t enough_to_tell_compression = 10;
// What undoes the compression of a file that begins so, by gzip, zstd, bzip2 or xz; null if it is
// not compressed. Files one behind the other are their contents one behind the other.
std::unique_ptr<decoder> decoder_for(std::string_view beginning);
// Without a header, as in a .zip file; it takes no byte behind its end. What it makes has to have
// this CRC-32.
std::unique_ptr<decoder> decode_deflate(std::uint32_t crc);

// CRC-32 as .zip files have it, by several threads.
std::uint32_t crc_of(std::span<std::byte const> bytes, cpu where);

// A stream in chunks: the bytes read but not yet taken can be looked at, and more read behind them.
// What peek() returns is valid until the next peek().
class reader {
 public:
  explicit reader(input_file file, std::size_t chunk = buffer_bytes);

  // The next n bytes, fewer only at the end of the stream. Reads no byte beyond them.
  std::string_view peek(std::size_t n);
  void take(std::size_t n) { begin_ += n, taken_ += n; }

  // What is unread, and what follows it, is from here on what `by` makes of it.
  void decode(std::unique_ptr<decoder> by);

  std::uint64_t taken() const { return taken_; }
  std::size_t chunk() const { return chunk_; }
  // Nothing where what is read is not what the file holds.
  mapping map() const { return decoder_ ? mapping{} : file_.map(); }
  // What is left, taken into memory if it is little, else into a temporary file.
  mapping keep_rest();
  // Bytes that the file has given, but for those that can still be looked at; and its size.
  std::uint64_t file_taken() const { return decoder_ ? file_.taken() : taken_; }
  std::optional<std::uint64_t> file_bytes() const { return file_.size(); }
  std::string const& name() const { return file_.name(); }

 private:
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  bool read_on(std::size_t most);
  std::size_t read(std::span<char> into);

  input_file file_;
  std::unique_ptr<decoder> decoder_;
  std::vector<char> encoded_;  // whose elements stay where they are when this is moved
  std::span<char const> encoded_rest_;
  std::size_t chunk_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace tally::io
