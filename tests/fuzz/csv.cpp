// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

namespace tally::fuzz {

// The first byte says which column, and as which type it is read.
void read_csv(bytes content) {
  if (content.empty()) return;
  auto const choice = unsigned(content[0]);
  auto const file = content.subspan(1);
  io::open_options options{.type = std::nullopt,
                           .column = choice % 4 == 3 ? "x" : std::to_string(choice % 4)};
  if (choice / 4 % 16 < dtype_names.size()) options.type = dtype(choice / 4 % 16);
  auto const whole = read_file(file, options);
  if (file.empty() || file.size() > longest_stream) return;
  require(read_stream(file, options) == whole);
}

}  // namespace tally::fuzz
