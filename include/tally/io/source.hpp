// SPDX-License-Identifier: Apache-2.0
//
// Arrays that come from files and streams: opened by name, read in order, in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tally/dtype.hpp"

namespace tally::io {

// One array of one element type. Elements come in C order and in this machine's byte order,
// whatever the file's.
class source {
 public:
  virtual ~source() = default;

  dtype type() const { return type_; }
  // Unknown (nullopt) until the end where only reading on tells: text, CSV, a raw stream.
  std::optional<std::uint64_t> count() const { return count_; }
  // One entry a dimension; empty for a scalar, and as long as the count is unknown.
  std::vector<std::uint64_t> const& shape() const { return shape_; }
  // Bytes of input taken so far, headers and text included.
  std::uint64_t bytes_read() const { return bytes_read_; }

  // The next elements: whole, aligned to their size, at most `most` bytes or else one element;
  // empty at the end. Valid until the next call. A mapped file in native order is never copied; the
  // rest passes through a buffer of 1 MiB. Throws where the input turns out to be wrong.
  virtual std::span<std::byte const> next(std::size_t most) = 0;

 protected:
  dtype type_ = dtype::float64;
  std::optional<std::uint64_t> count_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t bytes_read_ = 0;
};

struct open_options {
  // Raw data: the element type. CSV: parse as this (float64). .npy: must agree with the file, and
  // elements "V2" are bfloat16 if this says so.
  std::optional<dtype> type = {};
  // CSV: the column's name, or its number counted from 0.
  std::optional<std::string> column = {};
};

// Opens `path`; "-" is standard input. What it is: .npy by its first bytes; CSV if `column` is
// given or the name ends in .csv; raw, in this machine's byte order, if `type` is given; else, if
// it is standard input or a pipe, float64 numbers separated by whitespace. Files are mapped if they
// can be, CSV apart; streams are read in chunks, whatever name they go by, and cannot be .npy in
// Fortran order.
//
// CSV follows RFC 4180. The first row holds names unless its cell in the wanted column is a number;
// every row has as many fields. An empty cell, NA and nan, in any case, are NaN; integer types have
// none.
//
// Throws tally::error with one line that names the file and what is wrong with it. A mapped file
// that another process cuts short meanwhile ends this process by SIGBUS.
std::unique_ptr<source> open(std::string const& path, open_options const& options = {});

}  // namespace tally::io
