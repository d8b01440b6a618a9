// SPDX-License-Identifier: Apache-2.0
#include "reduction.hpp"

#include <algorithm>

#include "commands.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

answer answer_with(number value) {
  return {.lines = {value.text()},
          .keys = {{"value", value.to_json()},
                   {"bits", value.hexadecimal()},
                   {"result_dtype", name(value.type())}}};
}

// Behind which of several results the divisor is told.
constexpr std::string_view ddofs_result = "standard_deviation";

void add_number(answer& to, std::string const& key, number value) {
  to.keys[key] = value.to_json();
  if (is_floating(value.type())) to.keys[key + "_bits"] = value.hexadecimal();
}

// Several numbers, a line each; but an index stands in the line of what is there. The elements are
// counted by the command itself, those with NaN, too, where the aggregate leaves them out.
answer list_of(reduction_settings const& s, bool takes_ddof, any_result const& found,
               std::uint64_t count, std::uint64_t nan_count) {
  answer a;
  for (auto const& [result_name, value] : found) {
    std::string const key = result_name;
    if (key == "count" || key == "nan_count") {
      a.names.push_back(key);
      a.lines.push_back(std::to_string(key == "count" ? count : nan_count));
    } else if (key.ends_with("_index")) {
      a.lines.back() += " at " + number(value).text();
      a.keys[key] = number(value).to_json();
    } else {
      a.names.push_back(key);
      a.lines.push_back(number(value).text());
      add_number(a, key, number(value));
    }
    if (takes_ddof && key == ddofs_result) a.keys["ddof"] = s.ddof;
  }
  return a;
}

any_aggregate named(reduction_settings const& s, std::optional<dtype> as) {
  any_aggregate const plain(command_named(s.command)->aggregate);
  return {plain.info().name, {.ddof = plain.info().takes_ddof ? s.ddof : 0, .as = as}};
}

}  // namespace

bound_aggregate aggregate_of(reduction_settings const& s) {
  auto const natural = named(s, std::nullopt);
  auto const types = natural.result_types(s.type);
  if (s.out_type && !types.empty() && !std::ranges::count(types, *s.out_type))
    throw usage_error("--out-dtype: the " + s.command + " of " + std::string(name(s.type)) +
                      " cannot be " + std::string(name(*s.out_type)));
  return named(s, s.out_type).on(s.type);
}

std::optional<bound_aggregate> index_of(reduction_settings const& s) {
  auto const index = command_named(s.command)->index;
  if (index.empty()) return std::nullopt;
  return any_aggregate(index).on(s.type);
}

any_reducer make_reduction(reduction_settings const& s, std::uint64_t first) {
  return any_reducer(aggregate_of(s), {.nan = s.nan()}, first);
}

answer answer_of(reduction_settings const& s, any_result const& found,
                 std::optional<any_result> const& index, std::uint64_t count,
                 std::uint64_t nan_count) {
  bool const takes_ddof = named(s, std::nullopt).info().takes_ddof;
  if (found.size() > 1) return list_of(s, takes_ddof, found, count, nan_count);
  auto a = answer_with(number(found.value()));
  if (index) a.keys["index"] = number(index->value()).to_json();
  if (takes_ddof) a.keys["ddof"] = s.ddof;
  return a;
}

answer answer_of(reduction_settings const& s, any_reducer const& total, std::string const& array) {
  if (!total.has_result()) throw empty_array(s, array, total.count());
  std::optional<any_result> index;
  if (auto const op = index_of(s)) index = total.result(*op);
  return answer_of(s, total.result(), index, total.count(), total.nan_count());
}

error empty_array(reduction_settings const& s, std::string const& array, std::uint64_t count) {
  return error(s.command + ": " + array + " is empty" + (count ? " without its NaNs" : ""));
}

}  // namespace tally::cli
