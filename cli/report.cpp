// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "ranks.hpp"
#include "rows.hpp"
#include "standard_output.hpp"
#include "tally/devices.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::cli {
namespace {

std::string type_name_of(facts const& about) {
  return about.type_name.empty() ? std::string(name(about.type)) : about.type_name;
}

json common_keys(arguments const& options, facts const& about, double seconds) {
  json keys = {{"schema", 1}, {"command", options.command->name}, {"inputs", about.inputs}};
  keys["dtype"] = type_name_of(about);
  keys["shape"] = about.shape;
  keys["count"] = about.count;
  keys["nan_count"] = about.nan_count ? json(*about.nan_count) : json();
  keys["device"] = about.ran.device;
  keys["threads"] = threads_of(options.where);
  keys["ranks"] = ranks_of(options);
  keys["seconds"] = seconds;
  keys["bytes_read"] = about.bytes_read;
  keys["gb_per_s"] = double(about.bytes_read) / seconds / 1e9;
  return keys;
}

// Up to which power of two a type has all integers, if it is a floating one.
int digits_of(dtype type) {
  return visit(type, []<class T>(std::type_identity<T>) {
    if constexpr (floating<T>)
      return format<T>::precision;
    else
      return 64;
  });
}

// Whether it looks at no numbers, or at no more than whether they are zero.
bool counts_alone(std::string_view command) {
  constexpr std::string_view all[] = {"count", "info"};
  return std::ranges::count(all, command) > 0;
}
bool counts(std::string_view command) {
  constexpr std::string_view all[] = {"count-nonzero", "any-of", "all-of"};
  return counts_alone(command) || std::ranges::count(all, command) > 0;
}

// Why it is not a GPU that runs it, where there is one.
std::string_view why_cores(arguments const& options) {
  if (!options.gpus.empty()) return "; a GPU has no memory for it, or integers are missing";
  if (options.device == "cpu" || !no_gpu_because().empty()) return "";
  return "; cores read it where it is, a GPU would have to have it copied there first";
}

// What ran the call, and how.
std::string plan_of(arguments const& options, facts const& about) {
  auto const cores = explain_cpu();  // asked for a GPU's call, too: the next one's begins here
  if (about.ran.device != "cpu") return about.ran.device + about.ran.plan;
  int const threads = threads_of(options.where);
  auto const ranks = options.ranks ? fmt::format("{} ranks, the first by ", ranks_of(options)) : "";
  return fmt::format("{}{} ({}){}{}{}", ranks,
                     threads == 1 ? "1 thread" : fmt::format("up to {} threads", threads),
                     this_cpu().instruction_set, cores.empty() ? "" : ": ", cores,
                     why_cores(options));
}

void print_plan(arguments const& options, facts const& about) {
  if (!options.verbose) return;
  auto const chunks = about.chunks == 0   ? ""
                      : about.chunks == 1 ? " in one chunk,"
                                          : fmt::format(" in {} chunks,", about.chunks);
  tell(fmt::format("{} of {} {}{} on {}", options.command->name, about.count, type_name_of(about),
                   chunks, plan_of(options, about)));
}

std::string rounding_note(std::string const& whose, dtype type, std::string_view way) {
  return fmt::format("tally: {}integers beyond 2^{} are rounded to {}{}\n", whose, digits_of(type),
                     name(type), way);
}

std::string range_note(std::string const& whose, facts const& about, io::text_facts const& text,
                       std::string_view way) {
  if (!is_floating(about.type) || text.beyond == 0) return {};
  return fmt::format("tally: {}{} of {} beyond the range of {}, taken as infinite or 0{}\n", whose,
                     text.beyond, about.count, name(about.type), way);
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
  std::string text = printable(file);
  for (std::size_t i = 0; i < found.lines.size(); ++i) {
    text += '\t';
    if (!found.names.empty()) text += found.names[i] + ' ';
    text += found.lines[i];
  }
  return text + '\n';
}

}  // namespace

facts facts_of(input const& in, std::optional<std::uint64_t> nan_count) {
  return {.inputs = in.files(),
          .type = in.whole_type(),
          .shape = in.shape(),
          .count = in.count().value(),
          .nan_count = nan_count,
          .bytes_read = in.bytes_read(),
          .chunks = in.chunks(),
          .text = in.facts()};
}

std::string printable(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    auto const c = (unsigned char)name[i],
               next = (unsigned char)(i + 1 < name.size() ? name[i + 1] : 0);
    bool const c1 = c == 0xc2 && next >= 0x80 && next < 0xa0;
    if (c < ' ' || c == 0x7f || c1)
      out += fmt::format("\\x{:02x}", c);
    else
      out += char(c);
    if (c1) out += fmt::format("\\x{:02x}", next), ++i;
  }
  return out;
}

std::string told_name(std::string const& input) { return input == "-" ? "standard input" : input; }

error empty_array(command const& what, std::string const& array, std::uint64_t count) {
  return error(std::string(what.name) + ": " + told_name(array) + " is empty" +
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
  print_notes(options, about, found);
  print_time(options, about.bytes_read, seconds);
}

void print_notes(arguments const& options, facts const& about, answer const& found) {
  print_plan(options, about);
  auto const& text = about.text;
  auto const can = options.command->options;
  std::string notes;
  if (!options.skip_nan && !options.json && (can & skips_nan) && !(can & leaves_nan_out)) {
    auto const nans = about.nan_count.value_or(0);
    if (text.missing > 0)
      notes = fmt::format("tally: {} of {} missing; --skip-nan leaves them out\n", text.missing,
                          about.count);
    else if (nans > 0)
      notes =
          fmt::format("tally: {} of {} are NaN; --skip-nan leaves them out\n", nans, about.count);
  }
  if (!text.row_name.empty())
    notes += fmt::format(
        "tally: rows have a field more than the first one: {} is taken for the name of a row, not "
        "for a number; quotes keep a number with a comma together\n",
        text.row_name);
  bool const keeps = (can & (adds_decimals | takes_decimals)) && !asks_for_rows(options);
  auto const way = keeps ? "; --decimal keeps them" : "";
  bool const is_nan = !found.lines.empty() &&
                      std::ranges::count(found.lines, "nan") == std::ptrdiff_t(found.lines.size());
  bool const elements = is_floating(about.type) && text.rounded;
  if ((elements || found.rounded) && !is_nan && !counts(options.command->name))
    notes += rounding_note("", elements ? about.type : dtype::float64, way);
  if (!counts_alone(options.command->name)) notes += range_note("", about, text, way);
  for (auto const& [name, facts] : about.columns) {
    auto const whose = "column '" + name + "': ";
    if (facts.rounded) notes += rounding_note(whose, dtype::float64, way);
    notes += range_note(whose, about, facts, way);
  }
  std::fputs(notes.c_str(), stderr);
}

void print_time(arguments const& options, std::uint64_t bytes, double seconds) {
  if (!options.time) return;
  auto const line = fmt::format("{:.3g} s, {:.3g} GB/s\n", seconds, double(bytes) / seconds / 1e9);
  std::fputs(line.c_str(), stderr);
}

}  // namespace tally::cli
