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
// be, else read in chunks, or whole before its first element is given, in Fortran's order. Throws
// if there are fewer or more bytes than the shape says; of a stream, at its end.
std::unique_ptr<source> open_array(reader input, array_layout layout);

// The number of elements of `shape`, unless their bytes need more than 63 bits.
std::optional<std::uint64_t> element_count(std::vector<std::uint64_t> const& shape, dtype type);

}  // namespace tally::io
