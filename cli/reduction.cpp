// SPDX-License-Identifier: Apache-2.0
#include "reduction.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "ranks.hpp"
#include "rounding.hpp"
#include "tally/error.hpp"
#include "tally/io/number.hpp"

namespace tally::cli {
namespace {

// Behind which of several results the divisor is told.
constexpr std::string_view ddofs_result = "standard_deviation";

void add_number(answer& to, std::string const& key, number value) {
  to.names.push_back(key);
  to.lines.push_back(value.text());
  to.keys[key] = value.to_json();
  if (value.is_floating()) to.keys[key + "_bits"] = value.bits();
}

// What of several numbers is an answer of another command, as a sum is, is shown as there.
number shown(reduction_settings const& s, named_number const& result, ask const& others) {
  auto const* const own = command_named(result.name);
  if (!own || !(own->options & grows)) return number(result.value);
  reduction_settings const its{.command = own, .type = s.type, .out_type = std::nullopt};
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
  auto const& command = *s.command;
  bool const other = !is_floating(s.type) && !command.of_integers.empty();
  any_aggregate const plain(other ? command.of_integers : command.aggregate);
  if (plain.info().takes_ddof) options.ddof = s.ddof;
  return {plain.info().name, options};
}

dtype wider(dtype type) { return size_of(type) == 2 ? dtype::float32 : dtype::float64; }

// How the result is shown where --out-dtype does not say: what can be far beyond the elements in
// full if it is an integer, else in a wider type.
aggregate_options natural(reduction_settings const& s) {
  auto const types = named(s).result_types(s.type);
  if (!(s.command->options & grows)) return {};
  aggregate_options shown;
  shown.wide = !is_floating(types.front());
  if (is_floating(s.type) && types.size() > 1) shown.as = wider(s.type);
  return shown;
}

// The type of what an aggregate makes of a NaN: its own NaN, an index, or, as a NaN is not zero,
// what it makes of other numbers.
dtype type_among_floats(bound_aggregate const& op) {
  auto const& [name, summary, of_pairs, takes_ddof, elements] = op.info();
  if (op.results().size() > 1 || !std::ranges::count(elements, dtype::float64))
    return dtype::float64;
  return any_aggregate(name).on(dtype::float64).results().value().type;
}

// With so many ones more.
any_result with_ones(any_reducer total, dtype type, std::uint64_t count) {
  constexpr std::uint64_t most = 65536;
  std::vector<std::byte> ones(std::size_t(std::min(count, most)) * size_of(type));
  for (std::size_t i = 0; i < ones.size(); i += size_of(type)) any_number(type, 1).store(&ones[i]);
  for (; count > 0; count -= std::min(count, most))
    total.add(cpu{}, {type, ones.data(), std::min(count, most)});
  return total.result();
}

// The answer where integers are missing and not to be left out: what floats would have with a NaN
// in their place.
answer spoilt(reduction_settings const& s, any_reducer const& total, std::uint64_t first) {
  auto const op = aggregate_of(s);
  auto const results = op.results();
  number const index{std::int64_t(first)};
  auto const type = type_among_floats(op);
  if (type == dtype::int64) return answer_with(index);
  if (!is_floating(type)) return answer_with(number(with_ones(total, s.type, total.nan_count())));
  answer a;
  if (results.size() == 1)
    a = answer_with(number::missing(s.out_type.value_or(results.value().type)));
  else
    for (auto const& result : results)
      add_number(a, result.name, number::missing(result.value.type));
  if (!s.command->index.empty()) a.keys["index"] = index.to_json();
  if (op.info().takes_ddof) a.keys["ddof"] = s.ddof;
  return a;
}

// The value of an integer in decimal, if it has no more than 256 bits.
std::optional<wide_integer> to_wide(std::string_view text) {
  wide_integer value;
  bool const negative = text.starts_with('-');
  for (char const c : text.substr(negative)) {
    unsigned __int128 carry = std::uint64_t(c - '0');
    for (auto& limb : value.limb) {
      carry += static_cast<unsigned __int128>(limb) * 10;
      limb = std::uint64_t(carry);
      carry >>= 64;
    }
    if (carry != 0) return std::nullopt;
  }
  bool carry = negative;
  for (auto& limb : value.limb) {
    limb = (negative ? ~limb : limb) + carry;
    carry = carry && limb == 0;
  }
  if (value.is_negative() != negative) return std::nullopt;
  return value;
}

// Rounded once, if it is asked for as a floating type.
answer answer_with_product(reduction_settings const& s, std::string const& digits) {
  if (s.out_type) {
    any_number value(*s.out_type, 0);
    io::parse_number(digits, value.type, reinterpret_cast<std::byte*>(&value.bits));
    return answer_with(number(value));
  }
  if (digits.ends_with("inf"))
    throw error(std::string(s.command->name) + ": the product has more than " +
                std::to_string(integer_product::most_digits) +
                " digits; --out-dtype float64 rounds it");
  return answer_with(digits, named(s).result_types(s.type).front());
}

}  // namespace

bool is_wrapped(std::optional<dtype> type) { return type == dtype::int64 || type == dtype::uint64; }

answer answer_with(number value) {
  return {
      .lines = {value.text()},
      .keys = {
          {"value", value.to_json()}, {"bits", value.bits()}, {"result_dtype", value.type_name()}}};
}

answer answer_with(std::string const& integer, std::optional<dtype> type) {
  if (auto const value = to_wide(integer))
    return answer_with(type ? number(*type, *value) : number(*value));
  return {.lines = {integer},
          .keys = {{"value", integer}, {"bits", json()}, {"result_dtype", "integer"}}};
}

reduction_settings reduction_settings_of(arguments const& options, dtype type) {
  bool const leaves_out = options.command->options & leaves_nan_out;
  return {.command = options.command,
          .type = type,
          .ddof = options.ddof,
          .skip_nan = options.skip_nan || leaves_out,
          .out_type = options.out_type};
}

bound_aggregate aggregate_of(reduction_settings const& s) {
  if (!s.out_type) return named(s, natural(s)).on(s.type);
  if (has_all_digits(s) && is_floating(*s.out_type)) return named(s).on(s.type);
  auto const types = named(s).result_types(s.type);
  if (is_wrapped(s.out_type) && std::ranges::any_of(types, is_wrapped)) return named(s).on(s.type);
  if (!types.empty() && !std::ranges::count(types, *s.out_type))
    throw usage_error("--out-dtype: the " + std::string(s.command->name) + " of " +
                      std::string(name(s.type)) + " cannot be " + std::string(name(*s.out_type)));
  return named(s, {.as = s.out_type}).on(s.type);
}

bool has_all_digits(reduction_settings const& s) {
  return s.command->options & multiplies_integers && !is_floating(s.type) &&
         !is_wrapped(s.out_type);
}

reduction::reduction(reduction_settings const& s, std::uint64_t first)
    : any_reducer(aggregate_of(s), {.nan = s.nan()}, first) {
  if (has_all_digits(s)) product_.emplace();
}

void reduction::add(cpu where, masked_array const& x) {
  any_reducer::add(where, x.all, x.missing);
  if (product_) product_->add(x);
}

void reduction::append(reduction const& right) {
  any_reducer::append(right);
  if (product_) product_->append(*right.product_);
}

void reduction::gather(arguments const& options, reduction_settings const& settings) {
  if (!options.ranks) return;
  byte_writer out;
  write(out);
  auto const all = cli::gather(options, out.take());
  if (!is_first(options)) return;
  for (std::size_t r = 1; r < all.size(); ++r) {
    reduction next(settings, 0);
    byte_reader in(all[r]);
    next.read(in);
    append(next);
  }
}

void reduction::write(byte_writer& out) const {
  any_reducer::write(out);
  if (product_) product_->write(out);
}

void reduction::read(byte_reader& in) {
  any_reducer::read(in);
  if (product_) product_->read(in);
}

answer answer_of(reduction_settings const& s, any_result const& found, ask const& others,
                 std::uint64_t count, std::uint64_t nan_count) {
  bool const takes_ddof = named(s).info().takes_ddof;
  if (found.size() > 1) return list_of(s, takes_ddof, found, others, count, nan_count);
  bool const wrapped = is_wrapped(s.out_type) && is_wrapped(found.value().type);
  auto a =
      answer_with(wrapped ? number(any_number(*s.out_type, found.value().bits)) : number(found));
  if (auto const index = s.command->index; !index.empty())
    a.keys["index"] = number(others(any_aggregate(index).on(s.type))).to_json();
  if (takes_ddof) a.keys["ddof"] = s.ddof;
  return a;
}

answer answer_of_nothing(reduction_settings const& s, std::string const& array,
                         std::uint64_t count) {
  if (count == 0 || !(s.command->options & leaves_nan_out))
    throw empty_array(*s.command, array, count);
  auto const nothing = [](bound_aggregate const& op) { return op.results(); };
  return answer_of(s, nothing(aggregate_of(s)), nothing, count, count);
}

answer answer_of(reduction_settings const& s, reduction const& total, std::string const& array) {
  if (!total.has_result()) return answer_of_nothing(s, array, total.count());
  if (auto const first = total.first_missing(); first && !s.skip_nan)
    return spoilt(s, total, *first);
  if (total.product()) return answer_with_product(s, total.product()->text());
  auto const others = [&](bound_aggregate const& op) { return total.result(op); };
  auto const found = total.result();
  auto a = answer_of(s, found, others, total.count(), total.nan_count());
  if (s.out_type) return a;
  auto const aggregate = named(s).info().name;
  for (auto const& result : found)
    a.rounded |= is_rounded(s, found.size() > 1 ? result.name : aggregate, result.value, others,
                            total.count() - total.nan_count());
  return a;
}

}  // namespace tally::cli
