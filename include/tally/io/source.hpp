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
#include <string_view>
#include <vector>

#include "tally/dtype.hpp"
#include "tally/io/decimal_sum.hpp"
#include "tally/where.hpp"

namespace tally::io {

// What there was to be said of numbers that were text.
struct text_facts {
  std::uint64_t missing = 0;   // fields that say that there is no number
  std::uint64_t decimals = 0;  // numbers that are no integers; only where no type was asked for
  std::uint64_t beyond = 0;    // the range of the floating type: infinite there, or zero
  decimal_sum large = {};      // the exact sum of the integers from 2^53 on that became float64
  bool negative = false;       // whether an integer was
  // Whether a number is so large that the floating type has no fractions there, and it has not the
  // number either; where the type is none, float64. Not where somebody asked for the type.
  bool rounded = false;
  std::string row_name = {};  // the first, in quotes for a message, where rows have names in front

  void add(text_facts const& other);
};

// The first field of a column that is no number, in quotes for a message.
struct misfit {
  std::uint64_t line = 0;
  std::string text = {};
};

// One array of one element type. Elements come in C order and in this machine's byte order,
// whatever the file's.
class source {
 public:
  virtual ~source() = default;

  // Unless settled(), of what next() has given last: a text is int64 as far as its numbers are
  // such, or uint64, or float64, and what they are in all is the widest of these.
  dtype type() const { return type_; }
  // False for text without a type to read it as, until its end.
  bool settled() const { return settled_; }
  // Unknown (nullopt) until the end where only reading on tells: text, CSV, a raw stream.
  std::optional<std::uint64_t> count() const { return count_; }
  // Whether so many elements are known to be there; of a stream, only at its end.
  bool is_all_there() const { return count_.has_value() && !promised_; }
  // One entry a dimension; empty for a scalar, and as long as the count is unknown.
  std::vector<std::uint64_t> const& shape() const { return shape_; }
  // Bytes of the file or stream taken so far, headers and text included; of what is compressed, as
  // it is stored, and of a .npz, those of the array's own file. What is kept has been taken.
  std::uint64_t bytes_read() const { return bytes_read_; }
  // How many there are in all, if it is a file.
  std::optional<std::uint64_t> file_bytes() const { return file_bytes_; }
  // Of the integers that next() gave last from a text, the indices of those written -0: zero, but
  // the negative one if they become float64.
  std::span<std::size_t const> negative_zeros() const { return negative_zeros_; }
  // The indices of those of these integers that are missing: zeros stand in their place.
  std::span<std::size_t const> missing() const { return missing_; }
  // Of text: of what has been read so far.
  text_facts const& facts() const { return facts_; }

  // Where it is not settled, and before next(): reads ahead to find the type. A stream is kept for
  // that in memory or, if it is long, in a temporary file.
  virtual void settle() {}
  // Then, or instead: what to read the numbers as. Of integers some may be missing.
  virtual void read_as(dtype) {}

  // The next elements: whole, aligned to their size, at most `most` bytes or else one element;
  // empty at the end. Valid until the next call. A mapped file in native order is never copied; the
  // rest passes through buffers of some MiB. Throws where the input turns out to be wrong.
  virtual std::span<std::byte const> next(std::size_t most) = 0;

  // Goes on with so many elements from `first` on, and has no others: they are what count() says
  // then. False, and all is as it was, where only reading on gets there. Before next().
  virtual bool keep_only([[maybe_unused]] std::uint64_t first,
                         [[maybe_unused]] std::uint64_t count) {
    return false;
  }

 protected:
  dtype type_ = dtype::float64;
  bool settled_ = true;
  bool promised_ = false;  // the count is what a header says
  std::optional<std::uint64_t> count_, file_bytes_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t bytes_read_ = 0;
  text_facts facts_;
  std::vector<std::size_t> negative_zeros_, missing_;
};

struct open_options {
  // Text and CSV: read as this. Raw data: the element type. .npy: must agree with the file, and
  // elements "V2" are bfloat16 if this says so.
  std::optional<dtype> type = {};
  // The column of a CSV file, or the array of a .npz: its name, or its number counted from 1; in
  // quotes a name.
  std::optional<std::string> column = {};
  // Bytes are elements, whatever they look like.
  bool raw = false;
  // CSV: what separates fields (a comma; a tab, where the name ends in .tsv), and whether the first
  // row holds names.
  std::optional<char> delimiter = {};
  std::optional<bool> header = {};
  // Words for "no number" in text, beside the usual ones: spelt like this, be they numbers.
  std::vector<std::string> missing = {};
  // Who parses text.
  cpu where = {};
};

struct opened;

// A file or stream that is open, and what it is. `path` "-" is standard input. Raw, if that is
// said; compressed by gzip, zstd, bzip2 or xz, .npy or .npz by its first bytes, whatever its name;
// CSV if a column, a delimiter or a header is spoken of, the name ends in .csv or .tsv (.gz or the
// like behind it does not count), or its first line is names between commas; else text, numbers
// separated by white space, if its first bytes are text; else raw, in this machine's byte order, of
// `type`. What is in another format that is known, in UTF-16, or text but for some bytes is an
// error unless it is said to be raw, as is an empty file whose name says that it is not.
class identified {
 public:
  explicit identified(std::string const& path, open_options const& options = {});
  identified(identified&&) noexcept;
  ~identified();
  bool is_csv() const;
  bool is_npz() const;
  opened take() &&;

 private:
  std::unique_ptr<opened> found_;
};

// Opens it. Files are mapped if they can be; streams are read in chunks, whatever name they go by,
// or kept like text if they are .npz, or .npy in Fortran order. What a .npz says of its arrays'
// CRC-32 is checked.
//
// CSV follows RFC 4180, and lines may end in CR, too. The first row holds names, unless options say
// that it does not; where no field has a letter, all are numbers or words for none, or the first is
// a date, they have to say. Every row has as many fields, or all have one more than the first: a
// name in front. The usual words for "no number" are an empty field, NA, N/A, #N/A, null, None and
// -, in any case, and nan as C libraries write it: NaN, or an integer that is missing where nobody
// has asked for a type of integers.
//
// Throws tally::error with one line that names the file and what is wrong with it, options that say
// nothing of such a file among it. A mapped file that another process cuts short meanwhile ends
// this process by SIGBUS.
std::unique_ptr<source> open(identified file);
std::unique_ptr<source> open(std::string const& path, open_options const& options = {});

// The names of the arrays of a .npz, and nothing of what else it holds.
std::vector<std::string> arrays_of(identified file);

// Whether a file's name ends so, in upper or lower case; `suffix` is in lower case.
bool ends_in(std::string_view name, std::string_view suffix);

// A sum in decimal: of the text or column that open() would read.
struct decimal_total {
  decimal_sum sum;
  std::uint64_t count = 0, missing = 0, bytes_read = 0;
  std::string row_name = {};  // as in text_facts
};
decimal_total sum_decimals(std::string const& path, open_options const& options = {});

}  // namespace tally::io
