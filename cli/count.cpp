// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "ranks.hpp"
#include "reduction.hpp"
#include "rows.hpp"

namespace tally::cli {

void run_count(arguments const& options) {
  if (asks_for_rows(options)) return count_rows(options);
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    input in(files, options);
    std::optional<std::uint64_t> nans;
    if (options.skip_nan) nans = 0;
    while (nans || !in.is_all_there()) {  // else nobody need read the elements
      auto const chunk = in.next();
      if (chunk.empty()) break;
      if (nans) *nans += count_nan(options.where, array_of(in.type(), chunk)) + in.missing().size();
    }
    if (nans) nans = sum_of_ranks(options, *nans);
    auto const bytes_read = sum_of_ranks(options, in.bytes_read());
    if (!is_first(options)) return;
    auto const count = in.count().value() - nans.value_or(0);
    auto about = facts_of(in, nans);
    about.bytes_read = bytes_read;
    if (in.is_text() || about.text.missing > 0)
      about.nan_count = about.text.missing;  // whoever reads text sees them
    print(options, about, answer_with(number(count)), watch);
  });
}

}  // namespace tally::cli
