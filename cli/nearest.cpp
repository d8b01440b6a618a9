// SPDX-License-Identifier: Apache-2.0
#include "nearest.hpp"

#include <algorithm>

namespace tally::cli {
namespace {

std::size_t typing_errors(std::string_view a, std::string_view b) {
  // away[i][j]: from the first i letters of a to the first j of b.
  std::vector<std::vector<std::size_t>> away(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        away[i][j] = i + j;
        continue;
      }
      away[i][j] = std::min(
          {away[i - 1][j] + 1, away[i][j - 1] + 1, away[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        away[i][j] = std::min(away[i][j], away[i - 2][j - 2] + 1);
    }
  }
  return away[a.size()][b.size()];
}

// Of an option, without the dashes in front.
std::string_view letters(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::string did_you_mean(std::string_view word, std::vector<std::string> const& candidates,
                         std::string_view otherwise) {
  std::string_view nearest;
  auto fewest = std::min<std::size_t>(3, letters(word).size() / 2 + 1);  // two errors at most
  for (auto const& other : candidates) {
    auto const errors = typing_errors(letters(word), letters(other));
    if (errors >= fewest) continue;
    nearest = other;
    fewest = errors;
  }
  if (nearest.empty()) return std::string(otherwise);
  return "; did you mean " + std::string(nearest) + "?";
}

}  // namespace tally::cli
