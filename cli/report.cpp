// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "standard_output.hpp"
#include "tally/devices.hpp"

namespace tally::cli {
namespace {

json common_keys(arguments const& options, facts const& about, double seconds) {
  json keys = {{"schema", 1}, {"command", options.command}, {"inputs", about.inputs}};
  keys["dtype"] = name(about.type);
  keys["shape"] = about.shape;
  keys["count"] = about.count;
  keys["nan_count"] = about.nan_count ? json(*about.nan_count) : json();
  keys["device"] = about.device;
  keys["threads"] = threads_of(options.where);
  keys["seconds"] = seconds;
  keys["bytes_read"] = about.bytes_read;
  keys["gb_per_s"] = double(about.bytes_read) / seconds / 1e9;
  return keys;
}

std::string aligned(answer const& found) {
  std::size_t width = 0;
  for (auto const& name : found.names) width = std::max(width, name.size());
  std::string text;
  for (std::size_t i = 0; i < found.lines.size(); ++i) {
    if (width) text += fmt::format("{:<{}}  ", found.names[i], width);
    text += found.lines[i] + "\n";
  }
  return text;
}

std::string one_line(std::string const& file, answer const& found) {
  std::string text = file;
  for (std::size_t i = 0; i < found.lines.size(); ++i) {
    text += '\t';
    if (!found.names.empty()) text += found.names[i] + ' ';
    text += found.lines[i];
  }
  return text + '\n';
}

}  // namespace

facts facts_of(input const& in, std::optional<std::uint64_t> nan_count) {
  return {in.files(), in.type(), in.shape(), in.count().value(), nan_count, in.bytes_read()};
}

std::string told_name(std::string const& input) { return input == "-" ? "standard input" : input; }

error empty_array(std::string const& command, std::string const& array, std::uint64_t count) {
  return error(command + ": " + told_name(array) + " is empty" +
               (count ? " without its NaNs" : ""));
}

void print(arguments const& options, facts const& about, answer const& found,
           stopwatch const& watch) {
  double const seconds = watch.seconds();
  std::string text;
  if (options.json) {
    json keys = common_keys(options, about, seconds);
    keys.update(found.keys);
    // File names need not be UTF-8, JSON is.
    text = keys.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  } else {
    text = options.each ? one_line(about.inputs.front(), found) : aligned(found);
  }
  write_standard_output(text);
  print_time(options, about.bytes_read, seconds);
}

void print_time(arguments const& options, std::uint64_t bytes, double seconds) {
  if (!options.time) return;
  auto const line = fmt::format("{:.3g} s, {:.3g} GB/s\n", seconds, double(bytes) / seconds / 1e9);
  std::fputs(line.c_str(), stderr);
}

}  // namespace tally::cli
