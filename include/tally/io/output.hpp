// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tally/dtype.hpp"
#include "tally/error.hpp"

namespace tally::io {

// Nobody reads any more what is written to a pipe.
struct closed_pipe : error {
  using error::error;
};

// A file that appears whole or not at all: written under a temporary name beside `path`, renamed by
// commit(), removed if it is never committed. It takes over the permissions of the file that it
// replaces. What `path` names already and is no regular file (a pipe, /dev/null) is written to as
// it is. Every failure throws tally::error naming `path`, a closed pipe closed_pipe; a process that
// does not ignore SIGXFSZ and SIGPIPE is killed instead at a limit or a closed pipe.
class output_file {
 public:
  explicit output_file(std::string path);
  // The same file, begun by another process, which told its temporary() name and commits it after
  // this one has: here that only ends the writing.
  output_file(std::string path, std::string temporary);
  ~output_file();
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  // Behind everything written so far.
  void write(std::span<std::byte const> bytes);
  // At any offset of a regular file; elsewhere only where write() would.
  void write_at(std::uint64_t offset, std::span<std::byte const> bytes);
  // So many bytes will be written: throws where the disk has no room for them, if it can tell.
  void reserve(std::uint64_t bytes);
  // Until commit(): whether it is a regular file, and what it is called.
  bool takes_any_offset() const { return !temporary_.empty(); }
  std::string const& temporary() const { return temporary_; }
  void commit();

 private:
  std::string path_, target_, temporary_;
  int descriptor_ = -1, unfinished_ = -1;
  bool renames_ = true;
  std::uint64_t end_ = 0;

  void open_temporary(unsigned mode);
};

// For a signal handler that is about to end the process: removes what output_files that are not
// committed have written. Async-signal-safe; of more than 16 at once it knows 16.
void remove_unfinished_outputs() noexcept;

// The header of a version 1.0 .npy file, C order, native byte order, 64-byte aligned. bfloat16,
// which .npy does not know, is written as two bytes without a meaning ("V2").
std::vector<std::byte> npy_header(dtype type, std::span<std::uint64_t const> shape);

}  // namespace tally::io
