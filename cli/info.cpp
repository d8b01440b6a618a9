// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "input.hpp"
#include "report.hpp"
#include "table.hpp"

namespace tally::cli {

void run_info(arguments const& options) {
  for (auto const& file : options.files) {
    stopwatch const watch;
    auto found = identify({file}, options);
    if (asks_for_all_columns(found, options)) {
      list_columns(file, std::move(found), options);
      continue;
    }
    input in({file}, std::move(found), options);
    bool const is_text = !in.settled();
    if (!in.count()) in.settle();
    while (!in.is_all_there() && !in.next().empty()) continue;
    auto const count = in.count().value();
    auto const bytes = is_text ? in.bytes_read() : count * size_of(in.type());
    answer const told{.lines = {file, std::string(name(in.type())),
                                fmt::format("{}", fmt::join(in.shape(), " x ")),
                                fmt::format("{}", count), fmt::format("{}", bytes)},
                      .names = {"file", "dtype", "shape", "count", "bytes"},
                      .keys = {{"bytes", bytes}}};
    print(options, facts_of(in, std::nullopt), told, watch);
  }
}

}  // namespace tally::cli
