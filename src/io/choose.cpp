// SPDX-License-Identifier: Apache-2.0
#include "choose.hpp"

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

}  // namespace

std::size_t choose(std::string const& file, std::string_view kind,
                   std::span<std::string const> names, std::optional<std::string> const& wanted,
                   std::string const& hint) {
  std::string const one(kind);
  if (!wanted && names.size() == 1) return 0;
  if (!wanted)
    throw error(file + ": which " + one + "? --column takes one of " + list(names) +
                ", or its number from 1");
  auto const found = std::ranges::find(names, *wanted);
  if (found != names.end() && std::find(found + 1, names.end(), *wanted) != names.end())
    throw error(file + ": two " + one + "s are named " + quoted(*wanted) +
                "; give a number from 1");
  if (found != names.end()) return std::size_t(found - names.begin());
  auto const number = to_number(*wanted);
  if (number && *number >= 1 && *number <= names.size()) return *number - 1;
  throw error(file + ": no " + one + " " + quoted(*wanted) + " among " + list(names) +
              (number == 0u ? "; " + one + "s are counted from 1" : "") + hint);
}

}  // namespace tally::io
