// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "progress.hpp"
#include "tally/dynamic.hpp"
#include "tally/io/source.hpp"

namespace tally::cli {

// Several files as one array in the order given.
class input {
 public:
  // Enough for every thread, and little beside the caches.
  static constexpr std::size_t chunk_bytes = std::size_t(8) << 20;

  input(std::vector<std::string> files, arguments const& options);

  std::vector<std::string> const& files() const { return files_; }
  // For messages.
  std::string name() const;
  dtype type() const { return sources_.front()->type(); }
  // Unknown while the rest of a stream is.
  std::optional<std::uint64_t> count() const;
  // A single file's own; of several, their number of elements.
  std::vector<std::uint64_t> shape() const;
  std::uint64_t bytes_read() const;

  // The next elements, at most `most` bytes; empty at the end. Valid until the next call.
  std::span<std::byte const> next(std::size_t most = chunk_bytes);

  // All elements, in runs from first to last: mapped where that is possible, else in memory. Valid
  // as long as this is.
  std::vector<std::span<std::byte const>> whole();

 private:
  std::vector<std::string> files_;
  std::vector<std::unique_ptr<io::source>> sources_;
  std::vector<std::vector<std::byte>> kept_;
  std::size_t current_ = 0;
  progress progress_;
};

inline any_array array_of(dtype type, std::span<std::byte const> bytes) {
  return {type, bytes.data(), bytes.size() / size_of(type)};
}

}  // namespace tally::cli
