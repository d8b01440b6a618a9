// SPDX-License-Identifier: Apache-2.0
#include "decimal_description.hpp"

#include <functional>
#include <map>

#include "columns.hpp"
#include "commands.hpp"
#include "decimal.hpp"
#include "table.hpp"

namespace tally::cli {

void decimal_description::add(io::decimals const& from, std::size_t i) {
  auto const index = count_++;
  if (from.is_missing(i)) {
    ++missing_;
    return;
  }
  from.add_to(sum_, i);
  io::decimals::add_product_to(squares_, from, i, from, i);
  least_.add(from, i, index), greatest_.add(from, i, index);
}

// The variance times n * (n - ddof).
io::decimal_sum decimal_description::distances() const {
  auto all = sum_.square();
  all.negate();
  auto squares = squares_.sum();
  squares.multiply(numbers());
  all.add(squares);
  return all;
}

std::string decimal_description::found(std::string_view aggregate, std::uint64_t ddof) const {
  auto const n = numbers();
  auto const divisor = static_cast<unsigned __int128>(n) * (n - ddof);
  std::map<std::string_view, std::function<std::string()>> const answers = {
      {"sum_of_squares", [&] { return squares_.sum().text(); }},
      {"norm", [&] { return squares_.sum().root(1); }},
      {"variance", [&] { return n > ddof ? distances().quotient(divisor) : "nan"; }},
      {"standard_deviation", [&] { return n > ddof ? distances().root(divisor) : "nan"; }}};
  return answers.at(aggregate)();
}

answer decimal_description::found(std::uint64_t ddof) const {
  answer a;
  auto const add = [&](char const* key, std::string const& text) {
    a.names.push_back(key), a.lines.push_back(text);
    a.keys[key] = text;
  };
  auto const add_extreme = [&](std::string const& key, decimal_extreme const& x) {
    if (x.is_empty()) {
      add(key.c_str(), "nan");
      a.keys[key + "_index"] = json();
      return;
    }
    a.names.push_back(key),
        a.lines.push_back(x.value().text() + " at " + std::to_string(x.index()));
    a.keys[key] = x.value().text(), a.keys[key + "_index"] = x.index();
  };
  a.names = {"count", "nan_count"};
  a.lines = {std::to_string(count_), std::to_string(missing_)};
  add("sum", sum_.text());
  add("mean", numbers() > 0 ? sum_.quotient(numbers()) : "nan");
  add("standard_deviation", found("standard_deviation", ddof));
  a.keys["ddof"] = ddof;
  add_extreme("minimum", least_);
  add_extreme("maximum", greatest_);
  return a;
}

void run_decimal_moment(std::vector<std::string> const& files, arguments const& options) {
  stopwatch const watch;
  auto const& command = *options.command;
  decimal_description all;
  auto const about =
      read_decimals(files, options, [&](auto const& x, auto i, auto) { all.add(x, i); });
  bool const is_nan = all.nan_count() > 0 && !options.skip_nan;
  if (!is_nan && all.count() == all.nan_count() && !(command.options & grows))
    throw empty_array(*options.command, files.front(), all.count());
  auto found = decimal_answer(is_nan ? "nan" : all.found(command.aggregate, options.ddof));
  if (command.options & has_ddof) found.keys["ddof"] = options.ddof;
  print(options, about, found, watch);
}

namespace {

void describe_columns(std::vector<std::string> const& files, std::vector<io::identified> found,
                      arguments const& options, stopwatch const& watch) {
  if (options.each) throw usage_error("--each: needs --column, it is of one column");
  std::vector<decimal_description> all;
  auto const read = read_tables(
      files, std::move(found), true, [&](auto const& names) { all.resize(names.size()); },
      [&](io::table const& in, std::size_t c) {
        if (auto const* const x = in.in_decimal(c))
          for (std::size_t i = 0; i < x->size(); ++i) all[c].add(*x, i);
      });
  auto about = read.about(files);
  std::vector<told_column> told;
  for (std::size_t c = 0; c < all.size(); ++c) {
    auto const& [name, facts, misfit] = read.all[c];
    if (read.all[c].is_text()) continue;
    told.push_back({name, "decimal", all[c].found(options.ddof), facts});
    if (all.size() > 1) continue;
    about.type_name = "decimal", about.shape = {read.rows}, about.nan_count = facts.missing;
    return print(options, about, told[0].found, watch);
  }
  print_columns(options, about, told, read.left_out(), watch);
}

}  // namespace

void run_decimal_description(std::vector<std::string> const& files, arguments const& options) {
  stopwatch const watch;
  auto found = identify(files, options);
  if (asks_for_all_columns(found, options))
    return describe_columns(files, std::move(found), options, watch);
  decimal_description all;
  auto const about =
      read_decimals(files, std::move(found), [&](auto const& x, auto i, auto) { all.add(x, i); });
  if (all.count() == 0) throw empty_array(*options.command, files.front(), 0);
  print(options, about, all.found(options.ddof), watch);
}

}  // namespace tally::cli
