// SPDX-License-Identifier: Apache-2.0
#include "../../src/io/formats.hpp"
#include "files.hpp"
#include "tally/io/decimal_source.hpp"

namespace tally::fuzz {

// The first byte says as which type it is read, and whether its sum in decimal is, too.
void read_text(bytes content) {
  if (content.empty()) return;
  auto const choice = unsigned(content[0]);
  io::open_options options;
  if (choice % 16 < dtype_names.size()) options.type = dtype(choice % 16);
  auto const file = in_memory(content.subspan(1));
  auto const read = [&](std::size_t chunk, int threads, std::size_t at_once) {
    options.where.threads = threads;
    return numbers_of(
        [&] {
          return io::open_text(
              {io::reader(io::input_file(file.path()), chunk), io::content::text, options});
        },
        at_once);
  };
  require(read(content.size(), 1, 1 << 16) == read(5, 2, 24));
  if (choice < 128) return;
  try {
    auto const total = io::sum_decimals(file.path());
    io::decimal_sum sum;
    io::decimal_source numbers(file.path(), {});
    while (auto const* some = numbers.next())
      for (std::size_t i = 0; i < some->size(); ++i)
        if (!some->is_missing(i)) some->add_to(sum, i);
    require(sum.text() == total.sum.text());
    if (total.count > 0) total.sum.quotient(total.count);
  } catch (error const&) {
  }
}

}  // namespace tally::fuzz
