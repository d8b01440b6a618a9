// SPDX-License-Identifier: Apache-2.0
#include "formats.hpp"

#include <algorithm>

#include "number.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

std::string list(std::span<std::string const> names) {
  constexpr std::size_t most = 30;
  std::string text;
  for (auto const& name : names.first(std::min(most, names.size())))
    text += (text.empty() ? "" : ", ") + quoted(name);
  return text + (names.size() > most ? ", ..." : "");
}

// How --column takes it for a name alone.
std::string as_name(std::string const& name) {
  return to_number(name) ? "'\"" + name + "\"'" : quoted(name);
}

std::optional<std::size_t> index_by_name(std::string const& file, std::string const& one,
                                         std::span<std::string const> names,
                                         std::string_view wanted) {
  auto const found = std::ranges::find(names, wanted);
  if (found == names.end()) return std::nullopt;
  if (std::find(found + 1, names.end(), wanted) != names.end())
    throw error(file + ": two " + one + "s are named " + quoted(wanted) + "; give a number from 1");
  return std::size_t(found - names.begin());
}

}  // namespace

std::size_t choose(std::string const& file, std::string_view kind,
                   std::span<std::string const> names, std::optional<std::string> const& wanted,
                   std::string const& hint) {
  std::string const one(kind);
  if (!wanted && names.size() == 1) return 0;
  if (!wanted)
    throw error(file + ": which " + one + "? --column takes one of " + list(names) +
                ", or its number from 1");
  auto const by_name = index_by_name(file, one, names, *wanted);
  auto const number = to_number(*wanted);
  bool const by_number = number && *number >= 1 && *number <= names.size();
  if (by_name && by_number && *by_name != *number - 1)
    throw error(file + ": " + quoted(*wanted) + " is the name of " + one + " " +
                std::to_string(*by_name + 1) + " and the number of " + quoted(names[*number - 1]) +
                "; --column " + as_name(*wanted) + " or " + as_name(names[*number - 1]) +
                " says which");
  if (by_name) return *by_name;
  if (by_number) return *number - 1;
  if (wanted->size() > 2 && wanted->starts_with('"') && wanted->ends_with('"'))
    if (auto const index = index_by_name(file, one, names, wanted->substr(1, wanted->size() - 2)))
      return *index;
  throw error(file + ": no " + one + " " + quoted(*wanted) + " among " + list(names) +
              (number == 0u ? "; " + one + "s are counted from 1" : "") + hint);
}

}  // namespace tally::io
