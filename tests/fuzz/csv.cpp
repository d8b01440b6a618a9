// SPDX-License-Identifier: Apache-2.0
#include "../../src/io/formats.hpp"
#include "files.hpp"

namespace tally::fuzz {

// The first byte says which column, and as which type it is read; the second what is between
// fields, and whether there is a header. In one piece by one thread, and in small pieces by
// several. Not by io::open, which would clear a megabyte for each input.
void read_csv(bytes content) {
  if (content.size() < 2) return;
  auto const choice = unsigned(content[0]), dialect = unsigned(content[1]);
  io::open_options options;
  options.column = choice % 4 == 3 ? "x" : std::to_string(choice % 4 + 1);
  if (choice / 4 % 16 < dtype_names.size()) options.type = dtype(choice / 4 % 16);
  if (dialect % 3 < 2) options.header = dialect % 3 == 1;
  options.delimiter = ",;\t "[dialect / 3 % 4];
  auto const file = in_memory(content.subspan(2));
  auto const read = [&](std::size_t chunk, int threads, std::size_t at_once) {
    options.where.threads = threads;
    return numbers_of(
        [&] {
          return io::open_text(
              {io::reader(io::input_file(file.path()), chunk), io::content::csv, options});
        },
        at_once);
  };
  require(read(content.size(), 1, 1 << 16) == read(7, 3, 24));
}

}  // namespace tally::fuzz
