// SPDX-License-Identifier: Apache-2.0
//
// How the answers of rows are told: lines and columns of text, lists in lists, a file.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "array_output.hpp"
#include "report.hpp"
#include "row_input.hpp"

namespace tally::cli {

// Numbers, so many a row of the input; a describe has several of them.
struct column {
  std::string name;
  std::vector<number> values;
};

// A value as it lies in memory.
template <class T>
T read(std::byte const* at) {
  T x;
  std::memcpy(&x, at, sizeof x);
  return x;
}
std::vector<number> numbers_in(std::span<std::byte const> bytes, dtype type);

// Lists in lists, of that shape.
json nested(std::vector<std::uint64_t> const& shape, std::vector<json> all);
json values_of(std::vector<std::uint64_t> const& shape, std::vector<number> const& values);
json bits_of(std::vector<std::uint64_t> const& shape, std::vector<number> const& values);

// Of several types of integers the one with the most bits.
std::string widest_of(std::vector<std::string> const& types);
std::string type_of(std::vector<number> const& values, dtype of_none);

// So many a line, with tabs in between.
std::vector<std::string> lines_of(std::vector<std::string> const& values, std::uint64_t a_line);
std::vector<std::string> lines_of(std::vector<number> const& values, std::uint64_t a_line);

// Results in the file that -o names, or told.
class row_answer {
 public:
  row_answer(arguments const& options, row_input& in) : options_(options), in_(in) {
    found_.keys["axis"] = options.axis ? json(std::int64_t(in.shape().axis())) : json();
  }
  answer& told() { return found_; }
  // Although the elements are rounded.
  void keeps_all_digits() { exact_ = true; }

  void write(std::span<std::byte const> bytes, dtype type,
             std::vector<std::uint64_t> const& shape) {
    array_output out(*options_.output, type, shape);
    out.put(0, bytes);
    out.finish();
    found_.keys["output"] = *options_.output;
    found_.keys["out_dtype"] = std::string(name(type));
  }
  // `type` is what they have where there are none.
  void put(std::vector<number> const& values, dtype type, std::vector<std::uint64_t> const& shape,
           std::uint64_t a_line) {
    if (options_.json) {
      found_.keys["value"] = values_of(shape, values), found_.keys["bits"] = bits_of(shape, values);
      found_.keys["result_dtype"] = type_of(values, type);
    } else if (a_line > 0) {
      found_.lines = lines_of(values, a_line);
    }
  }
  void print(row_call const& call, stopwatch const& watch, bool looks_for_nan = true) {
    std::optional<std::uint64_t> nans;
    if (looks_for_nan) nans = count_nan(options_.where, in_.elements());
    auto about = facts_of(in_.source(), nans);
    about.shape = in_.shape().shape();
    about.ran = call.ran();
    if (exact_) about.text.rounded = false, about.text.beyond = 0;
    if (options_.output && !options_.json)
      print_notes(options_, about, found_), print_time(options_, about.bytes_read, watch.seconds());
    else
      cli::print(options_, about, found_, watch);
  }

 private:
  arguments const& options_;
  row_input& in_;
  answer found_;
  bool exact_ = false;
};

}  // namespace tally::cli
