// SPDX-License-Identifier: Apache-2.0
//
// Arrays whose elements lie as bytes in a file: what .npy and raw have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reader.hpp"
#include "tally/io/source.hpp"

namespace tally::io {

struct array_layout {
  dtype type;
  bool swapped = false;  // the other byte order than this machine's
  bool fortran = false;
  std::optional<std::vector<std::uint64_t>> shape = {};  // absent: as far as the data goes
};

// The array that starts at the reader's next byte and ends where its file ends: mapped if it can
// be, else read in chunks. Throws if there are fewer or more bytes than the shape says; of a
// stream, at its end.
std::unique_ptr<source> open_array(reader input, array_layout layout);
std::unique_ptr<source> open_mapped_array(std::string name, mapping file, std::uint64_t offset,
                                          array_layout layout);
// All that is left of a stream, read before its first element is given.
std::unique_ptr<source> open_kept_array(reader input, array_layout layout);
std::unique_ptr<source> open_streamed_array(reader input, array_layout layout);

// The number of elements of `shape`, unless their bytes need more than 63 bits.
std::optional<std::uint64_t> element_count(std::vector<std::uint64_t> const& shape, dtype type);

// How many elements fit into `bytes`, but at least one.
std::size_t whole_elements(std::size_t bytes, std::size_t size);

[[noreturn]] void fail_wrong_size(std::string const& name, array_layout const& layout,
                                  std::uint64_t expected, std::string const& found);
[[noreturn]] void fail_partial_element(std::string const& name, dtype type, std::uint64_t found);

// Reverses the bytes of every element, in place.
void swap_bytes(std::span<std::byte> elements, std::size_t size);

// Throws if a byte is neither 0 nor 1: no other value is a bool.
void check_bools(std::string const& name, std::span<std::byte const> elements);

}  // namespace tally::io
