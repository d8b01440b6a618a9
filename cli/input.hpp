// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "kept.hpp"
#include "masked_array.hpp"
#include "progress.hpp"
#include "tally/io/source.hpp"

namespace tally::cli {

io::open_options open_options_of(arguments const& options);

// Each file, looked at for what it is.
std::vector<io::identified> identify(std::vector<std::string> const& files,
                                     arguments const& options);

// Several files as one array in the order given.
class input {
 public:
  // Enough for every thread, and little beside the caches.
  static constexpr std::size_t chunk_bytes = std::size_t(8) << 20;

  input(std::vector<std::string> files, arguments const& options);
  // From files that have been looked at.
  input(std::vector<std::string> files, std::vector<io::identified> found,
        arguments const& options);

  std::vector<std::string> const& files() const { return files_; }
  // For messages.
  std::string name() const;
  // Of all elements, if settled(); else of what next() has given last.
  dtype type() const { return type_; }
  // Of all that next() has given.
  dtype whole_type() const;
  // Whether the type is known; of text only at its end, or after settle().
  bool settled() const { return settled_; }
  // What the type can turn out to be, the first that has all elements.
  std::vector<dtype> types() const;
  // Reads ahead for the type, where it is not known: a file twice, of a stream a copy in a
  // temporary file. Before next() alone.
  void settle();
  // Instead, or then: text is read as this.
  void read_as(dtype type);
  // Whether it is text without a type of its own.
  bool is_text() const { return text_; }
  // Unknown while the rest of a stream is. Of all elements, those of other ranks, too.
  std::optional<std::uint64_t> count() const;
  // Whether every file can be read from any place on.
  bool can_be_cut();
  // Where the elements that next() gives begin in the array, if ranks share it out; else 0.
  std::uint64_t first() const { return first_; }
  // Whether that is more than what the beginning of a stream promises.
  bool is_all_there() const;
  // A single file's own; of several, their number of elements.
  std::vector<std::uint64_t> shape() const;
  std::uint64_t bytes_read() const;
  // How many pieces next() has given.
  std::uint64_t chunks() const { return chunks_; }
  // Of what is text, so far.
  io::text_facts facts() const;

  // The next elements, at most `most` bytes; empty at the end. Valid until the next call.
  std::span<std::byte const> next(std::size_t most = chunk_bytes);

  // Of these, as of a source's.
  std::span<std::size_t const> negative_zeros() const {
    return sources_[current_]->negative_zeros();
  }
  std::span<std::size_t const> missing() const {
    if (current_ == sources_.size()) return {};
    return sources_[current_]->missing();
  }
  // How many integers were missing in all that has been read, and where the first and the last.
  struct gaps {
    std::uint64_t count = 0, first = 0, last = 0;
  };
  gaps const& all_missing() const { return gaps_; }
  // Whether some can be missing: where settled, else not before the end.
  bool may_have_gaps() const { return may_have_gaps_; }

  // All elements, in runs from first to last: a file's own where it is mapped, else kept as they
  // come, as far as --memory goes in memory. Valid as long as this is. Where the type is settled.
  std::vector<std::span<std::byte const>> whole();
  // Likewise, in one run, and without what is missing.
  std::span<std::byte const> side_by_side();

 private:
  // All of a source: its own, or so many bytes of kept_.
  struct run {
    std::span<std::byte const> own;
    std::size_t kept = 0;
  };

  void open_all(std::vector<io::identified> found);
  void check_types() const;
  std::span<std::byte const> next_of_current(std::size_t most);
  run all_of_current();
  void share_out(arguments const& options);

  std::vector<std::string> files_;
  std::vector<std::unique_ptr<io::source>> sources_;
  dtype type_, widest_ = dtype::boolean;
  bool settled_ = true, text_ = false, may_have_gaps_ = false;
  gaps gaps_;
  std::optional<std::uint64_t> count_of_ranks_;
  std::uint64_t first_ = 0;
  std::uint64_t told_by_others_ = 0;  // bytes: headers, which the first rank has read
  std::uint64_t given_ = 0;           // elements
  std::uint64_t chunks_ = 0;
  kept kept_;
  std::size_t current_ = 0;
  std::uint64_t shown_ = 0;  // bytes of which the progress knows
  progress progress_;
};

inline any_array array_of(dtype type, std::span<std::byte const> bytes) {
  return {type, bytes.data(), bytes.size() / size_of(type)};
}

}  // namespace tally::cli
