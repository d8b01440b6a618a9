// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tally::io {

// A whole file in the address space, read-only; nothing (null) where it cannot be mapped. The pages
// are the file's, so a mapping costs no memory that cannot be dropped.
struct mapping {
  std::shared_ptr<std::byte const> data;
  std::size_t size = 0;
};

// The first `size` bytes of an open file.
mapping map_file(int descriptor, std::size_t size);

// A file or stream open for reading.
class input_file {
 public:
  // "-" is standard input. Throws for what cannot be opened, and for a directory.
  explicit input_file(std::string const& path);
  // A part of a mapped file.
  input_file(std::string name, mapping part);
  input_file(input_file&& other) noexcept;
  input_file& operator=(input_file&&) = delete;
  ~input_file();

  std::string const& name() const { return name_; }  // for messages

  // Waits for at least one byte; 0 at the end.
  std::size_t read(std::span<char> into);
  // How many bytes read() has given, and how many it will have in all, if that is known.
  std::uint64_t taken() const { return taken_; }
  std::optional<std::uint64_t> size() const { return size_; }
  // The whole of a regular file that was opened at its beginning.
  mapping map() const;

 private:
  input_file(bool standard_input, std::string const& path);

  std::string name_;
  bool standard_input_;
  int descriptor_;
  bool regular_ = false;
  std::size_t mappable_bytes_ = 0;
  std::uint64_t taken_ = 0;
  std::optional<std::uint64_t> size_;
  mapping part_;
};

// A file that nobody else sees, in the folder TMPDIR or /tmp. It is gone when the process is,
// however that ends.
class temporary_file {
 public:
  temporary_file();
  ~temporary_file();
  temporary_file(temporary_file const&) = delete;

  void write(std::span<std::byte const> bytes);
  // All that has been written.
  mapping map() const;

 private:
  int descriptor_;
  std::size_t size_ = 0;
};

}  // namespace tally::io
