// SPDX-License-Identifier: Apache-2.0
//
// --decimal: text is decimals, and so is the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "input.hpp"
#include "report.hpp"
#include "tally/io/decimal_source.hpp"

namespace tally::cli {

void run_decimal(arguments const& options);  // reductions
void run_decimal_scan(arguments const& options);
void run_decimal_quantile(arguments const& options);  // and the median
void run_decimal_top_k(arguments const& options);
void run_decimal_dot(arguments const& options);

// Throws where there are options that an answer in decimal is not for.
void require_decimal(arguments const& options);

facts facts_of_decimals(std::vector<std::string> const& files);

// Calls take(numbers, i, index) for each number of the files as one array: numbers[i], which can be
// missing, has that index in it.
template <class F>
facts read_decimals(std::vector<std::string> const& files, std::vector<io::identified> found,
                    F take) {
  auto about = facts_of_decimals(files);
  for (auto& file : found) {
    io::decimal_source in(std::move(file));
    for (auto* part = in.next(); part; part = in.next())
      for (std::size_t i = 0; i < part->size(); ++i) {
        about.text.missing += part->is_missing(i);
        take(*part, i, about.count++);
      }
    about.bytes_read += in.bytes_read();
    if (about.text.row_name.empty()) about.text.row_name = in.row_name();
  }
  about.nan_count = about.text.missing;
  about.shape = {about.count};
  return about;
}
template <class F>
facts read_decimals(std::vector<std::string> const& files, arguments const& options, F take) {
  return read_decimals(files, identify(files, options), take);
}

// One number, or nan.
answer decimal_answer(std::string const& text);

}  // namespace tally::cli
