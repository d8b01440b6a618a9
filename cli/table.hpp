// SPDX-License-Identifier: Apache-2.0
//
// describe and info of all columns of CSV files.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "tally/io/source.hpp"

namespace tally::cli {

// Whether no column is asked for, of files that have some.
bool asks_for_all_columns(std::vector<io::identified> const& files, arguments const& options);

// The command's reduction of each column of numbers, a line for each; of a single column, as of any
// other array.
void reduce_columns(std::vector<std::string> const& files, std::vector<io::identified> found,
                    arguments const& options);
// Which columns there are, and of what type.
void list_columns(std::string const& file, std::vector<io::identified> found,
                  arguments const& options);

}  // namespace tally::cli
