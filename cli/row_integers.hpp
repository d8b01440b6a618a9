// SPDX-License-Identifier: Apache-2.0
//
// Results of rows that have every digit, where no element has them all.
#pragma once

#include <string>
#include <vector>

#include "reduction.hpp"
#include "row_answer.hpp"

namespace tally::cli {

// One of them, and the name of the first type that has all of its digits.
struct told_integer {
  std::string text, type;
};
// As elements of a file.
std::vector<std::byte> as_elements(std::vector<told_integer> const& values, dtype type);

// Products of integers, a row after the other, as of an array.
void put_products(row_answer& to, arguments const& options, row_input const& in,
                  reduction_settings const& settings);

// Sums of a text's integers that are read as float64, as no integer of 64 bits has them all:
// whether they are. Throws where the text cannot be read once more.
bool put_large_sums(row_answer& to, arguments const& options, row_input& in);

}  // namespace tally::cli
