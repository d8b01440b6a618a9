// SPDX-License-Identifier: Apache-2.0
#include "reduction.hpp"

#include <algorithm>

#include "commands.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

// Behind which of several results the divisor is told.
constexpr std::string_view ddofs_result = "standard_deviation";

void add_number(answer& to, std::string const& key, number value) {
  to.names.push_back(key);
  to.lines.push_back(value.text());
  to.keys[key] = value.to_json();
  if (value.is_floating()) to.keys[key + "_bits"] = value.hexadecimal();
}

// What of several numbers is an answer of another command, as a sum is, is shown as there.
number shown(reduction_settings const& s, named_number const& result, ask const& others) {
  auto const* const own = command_named(result.name);
  if (!own || !(own->options & grows)) return number(result.value);
  reduction_settings const its{
      .command = std::string(own->name), .type = s.type, .out_type = std::nullopt};
  return number(others(aggregate_of(its)));
}

// Whether a command of this name would.
bool answers_nothing(reduction_settings const& s, std::string const& name) {
  auto const* const own = command_named(name);
  return own && !own->aggregate.empty() &&
         any_aggregate(own->aggregate).on(s.type).answers_nothing();
}

// Several numbers, a line each; but an index stands in the line of what is there. The elements are
// counted by the command itself, those with NaN, too, where the aggregate leaves them out: if those
// are all, what needs an element is NaN, and nowhere.
answer list_of(reduction_settings const& s, bool takes_ddof, any_result const& found,
               ask const& others, std::uint64_t count, std::uint64_t nan_count) {
  answer a;
  bool const nothing = s.skip_nan && count == nan_count;
  for (auto const& result : found) {
    std::string const key = result.name;
    if (key == "count" || key == "nan_count") {
      a.names.push_back(key);
      a.lines.push_back(std::to_string(key == "count" ? count : nan_count));
    } else if (nothing && !answers_nothing(s, key)) {
      if (!key.ends_with("_index")) a.names.push_back(key), a.lines.push_back("nan");
      a.keys[key] = key.ends_with("_index") ? json() : json("nan");
      if (is_floating(result.value.type)) a.keys[key + "_bits"] = json();
    } else if (key.ends_with("_index")) {
      a.lines.back() += " at " + number(result.value).text();
      a.keys[key] = number(result.value).to_json();
    } else {
      add_number(a, key, shown(s, result, others));
    }
    if (takes_ddof && key == ddofs_result) a.keys["ddof"] = s.ddof;
  }
  return a;
}

any_aggregate named(reduction_settings const& s, aggregate_options options = {}) {
  auto const& command = *command_named(s.command);
  bool const other = !is_floating(s.type) && !command.of_integers.empty();
  any_aggregate const plain(other ? command.of_integers : command.aggregate);
  if (plain.info().takes_ddof) options.ddof = s.ddof;
  return {plain.info().name, options};
}

// Integers modulo 2^64 can be had with a sign and without one.
bool is_wrapped(std::optional<dtype> type) { return type == dtype::int64 || type == dtype::uint64; }

dtype wider(dtype type) { return size_of(type) == 2 ? dtype::float32 : dtype::float64; }

// How the result is shown where --out-dtype does not say: what can be far beyond the elements in
// full if it is an integer, else in a wider type.
aggregate_options natural(reduction_settings const& s) {
  auto const types = named(s).result_types(s.type);
  if (!(command_named(s.command)->options & grows)) return {};
  aggregate_options shown;
  shown.wide = !is_floating(types.front());
  if (is_floating(s.type) && types.size() > 1) shown.as = wider(s.type);
  return shown;
}

}  // namespace

answer answer_with(number value) {
  return {.lines = {value.text()},
          .keys = {{"value", value.to_json()},
                   {"bits", value.hexadecimal()},
                   {"result_dtype", value.type_name()}}};
}

bound_aggregate aggregate_of(reduction_settings const& s) {
  if (!s.out_type) return named(s, natural(s)).on(s.type);
  auto const types = named(s).result_types(s.type);
  if (is_wrapped(s.out_type) && std::ranges::any_of(types, is_wrapped)) return named(s).on(s.type);
  if (!types.empty() && !std::ranges::count(types, *s.out_type))
    throw usage_error("--out-dtype: the " + s.command + " of " + std::string(name(s.type)) +
                      " cannot be " + std::string(name(*s.out_type)));
  return named(s, {.as = s.out_type}).on(s.type);
}

any_reducer make_reduction(reduction_settings const& s, std::uint64_t first) {
  return any_reducer(aggregate_of(s), {.nan = s.nan()}, first);
}

answer answer_of(reduction_settings const& s, any_result const& found, ask const& others,
                 std::uint64_t count, std::uint64_t nan_count) {
  bool const takes_ddof = named(s).info().takes_ddof;
  if (found.size() > 1) return list_of(s, takes_ddof, found, others, count, nan_count);
  bool const wrapped = is_wrapped(s.out_type) && is_wrapped(found.value().type);
  auto a =
      answer_with(wrapped ? number(any_number(*s.out_type, found.value().bits)) : number(found));
  if (auto const index = command_named(s.command)->index; !index.empty())
    a.keys["index"] = number(others(any_aggregate(index).on(s.type))).to_json();
  if (takes_ddof) a.keys["ddof"] = s.ddof;
  return a;
}

answer answer_of_nothing(reduction_settings const& s, std::string const& array,
                         std::uint64_t count) {
  if (count == 0 || !(command_named(s.command)->options & leaves_nan_out))
    throw empty_array(s.command, array, count);
  auto const nothing = [](bound_aggregate const& op) { return op.results(); };
  return answer_of(s, nothing(aggregate_of(s)), nothing, count, count);
}

answer answer_of(reduction_settings const& s, any_reducer const& total, std::string const& array) {
  if (!total.has_result()) return answer_of_nothing(s, array, total.count());
  auto const others = [&](bound_aggregate const& op) { return total.result(op); };
  return answer_of(s, total.result(), others, total.count(), total.nan_count());
}

}  // namespace tally::cli
