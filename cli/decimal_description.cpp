// SPDX-License-Identifier: Apache-2.0
#include "decimal_description.hpp"

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
  from.add_square_to(squares_, i);
  least_.add(from, i, index), greatest_.add(from, i, index);
}

// The root of (n * the sum of squares - the square of the sum) / (n * (n - ddof)).
std::string decimal_description::deviation(std::uint64_t ddof) const {
  auto const n = count_ - missing_;
  if (n <= ddof) return "nan";
  auto distance = sum_.square();
  distance.negate();
  auto squares = squares_.sum();
  squares.multiply(n);
  distance.add(squares);
  return distance.root(static_cast<unsigned __int128>(n) * (n - ddof));
}

answer decimal_description::found(std::uint64_t ddof) const {
  answer a;
  auto const add = [&](char const* key, std::string const& text) {
    a.names.push_back(key), a.lines.push_back(text);
    a.keys[key] = text;
  };
  auto const add_extreme = [&](std::string const& key, decimal_extreme const& x) {
    a.names.push_back(key), a.lines.push_back(x.text() + " at " + std::to_string(x.index()));
    a.keys[key] = x.text(), a.keys[key + "_index"] = x.index();
  };
  a.names = {"count", "nan_count"};
  a.lines = {std::to_string(count_), std::to_string(missing_)};
  add("sum", sum_.text());
  add("mean", sum_.quotient(count_ - missing_));
  add("standard_deviation", deviation(ddof));
  a.keys["ddof"] = ddof;
  add_extreme("minimum", least_);
  add_extreme("maximum", greatest_);
  return a;
}

void run_decimal_description(std::vector<std::string> const& files, arguments const& options) {
  if (asks_for_all_columns(files, options)) return reduce_columns(files, options);
  stopwatch const watch;
  decimal_description all;
  auto const about =
      read_decimals(files, options, [&](auto const& x, auto i, auto) { all.add(x, i); });
  if (all.count() == all.nan_count())
    throw empty_array(options.command, files.front(), all.count());
  print(options, about, all.found(options.ddof), watch);
}

}  // namespace tally::cli
