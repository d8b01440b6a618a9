// SPDX-License-Identifier: Apache-2.0
#include "../../src/io/formats.hpp"
#include "files.hpp"

namespace tally::fuzz {

// The first byte says which column, and as which type it is read: in one piece, and in small ones.
// Not by io::open, which would clear a megabyte for each input.
void read_csv(bytes content) {
  if (content.empty()) return;
  auto const choice = unsigned(content[0]);
  io::open_options options{.type = std::nullopt,
                           .column = choice % 4 == 3 ? "x" : std::to_string(choice % 4)};
  if (choice / 4 % 16 < dtype_names.size()) options.type = dtype(choice / 4 % 16);
  auto const file = in_memory(content.subspan(1));
  auto const read = [&](std::size_t chunk, std::size_t at_once) {
    auto const open = [&] {
      return io::open_csv(io::reader(io::input_file(file.path()), chunk), options);
    };
    return all_of(open, at_once);
  };
  require(read(content.size(), 1 << 16) == read(7, 24));
}

}  // namespace tally::fuzz
