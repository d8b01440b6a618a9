// SPDX-License-Identifier: Apache-2.0
#include "nearest.hpp"

#include <algorithm>
#include <cctype>

namespace tally::cli {
namespace {

struct other_name {
  std::string_view other, ours;
};

// What others call ours: commands, options without their dashes, element types.
constexpr other_name other_names[] = {
    {"var", "variance"},
    {"sd", "std"},
    {"stdev", "std"},
    {"sigma", "std"},
    {"avg", "mean"},
    {"average", "mean"},
    {"minimum", "min"},
    {"smallest", "min"},
    {"maximum", "max"},
    {"largest", "max"},
    {"extent", "min-max"},
    {"range", "peak-to-peak"},
    {"ptp", "peak-to-peak"},
    {"total", "sum"},
    {"add", "sum"},
    {"len", "count"},
    {"length", "count"},
    {"size", "count"},
    {"wc", "count"},
    {"nrow", "count"},
    {"stats", "describe"},
    {"summary", "describe"},
    {"summarize", "describe"},
    {"percentile", "quantile"},
    {"percentiles", "quantile"},
    {"perc", "quantile"},
    {"prefix-sum", "scan"},
    {"running-sum", "scan"},
    {"cumulative-sum", "scan"},
    {"accumulate", "scan"},
    {"top", "top-k"},
    {"nlargest", "top-k"},
    {"l2", "norm"},
    {"inner", "dot"},
    {"vdot", "dot"},
    {"nonzero", "count-nonzero"},
    {"random", "generate"},
    {"rand", "generate"},
    {"schema", "info"},
    {"headers", "info"},
    {"combine", "merge"},
    {"gpus", "devices"},
    {"sep", "--delimiter"},
    {"separator", "--delimiter"},
    {"field", "--column"},
    {"col", "--column"},
    {"na-values", "--missing"},
    {"null", "--missing"},
    {"jobs", "--threads"},
    {"parallel", "--threads"},
    {"gpu", "--device"},
    {"ascending", "--smallest"},
    {"percentile", "-q"},
    {"top", "-k"},
    {"out", "--output"},
    {"double", "float64"},
    {"float", "float32"},
    {"single", "float32"},
    {"half", "float16"},
    {"long", "int64"},
    {"int", "int32"},
    {"short", "int16"},
    {"byte", "uint8"},
    {"f64", "float64"},
    {"f32", "float32"},
    {"f16", "float16"},
    {"i64", "int64"},
    {"i32", "int32"},
    {"i16", "int16"},
    {"i8", "int8"},
};

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

std::string meant(std::string_view name) { return "; did you mean " + std::string(name) + "?"; }

// In small letters, and with - for _.
bool equal(std::string_view word, std::string_view name) {
  return std::ranges::equal(
      word, name, {}, [](char c) { return c == '_' ? '-' : char(std::tolower((unsigned char)c)); });
}

}  // namespace

std::string did_you_mean(std::string_view word, std::vector<std::string> const& candidates,
                         std::string_view otherwise) {
  std::string_view nearest;
  for (auto const& [other, ours] : other_names)
    if (equal(letters(word), other) && std::ranges::count(candidates, ours)) return meant(ours);
  // At most two errors, and fewer than half of the letters.
  auto fewest = std::min<std::size_t>(3, (letters(word).size() + 1) / 2);
  for (auto const& other : candidates) {
    auto const errors = typing_errors(letters(word), letters(other));
    if (errors >= fewest) continue;
    nearest = other;
    fewest = errors;
  }
  if (nearest.empty()) return std::string(otherwise);
  return meant(nearest);
}

}  // namespace tally::cli
