// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "rows.hpp"

namespace tally {
namespace detail {

#define TALLY_ROW(O, T) row<O, T>(),
#define TALLY_ROWS(ELEMENTS, O) TALLY_EACH_##ELEMENTS(TALLY_ROW, O)

std::span<aggregate_row const> line_rows() {
  static constexpr aggregate_row rows[] = {TALLY_REDUCTIONS(TALLY_ROWS)};
  return rows;
}

}  // namespace detail

namespace {

using detail::aggregate_row;

struct table {
  std::vector<aggregate_info> infos;
  std::vector<std::vector<aggregate_row const*>> rows;  // of each; those of the lines come first

  table() {
    for (auto const part : {detail::line_rows(), detail::rounded_rows(), detail::integer_sum_rows(),
                            detail::wide_dot_rows()})
      for (auto const& row : part)
        if (row.name) add(row);
  }
  void add(aggregate_row const& row) {
    auto const i =
        std::size_t(std::ranges::find(infos, row.name, &aggregate_info::name) - infos.begin());
    if (i == infos.size()) {
      infos.push_back({row.name, row.summary, row.of_pairs, row.takes_ddof, {}});
      rows.emplace_back();
    }
    auto& elements = infos[i].elements;
    if (!std::ranges::count(elements, row.elements)) elements.push_back(row.elements);
    rows[i].push_back(&row);
  }
};

table const& the_table() {
  static table const all;
  return all;
}

std::string listed(auto const& all, auto&& text_of) {
  std::string text;
  for (auto const& one : all) text += (text.empty() ? "" : ", ") + std::string(text_of(one));
  return text;
}
std::string names_of(std::vector<dtype> const& types) {
  return listed(types, [](dtype t) { return name(t); });
}
std::string quoted(std::string_view name) { return "aggregate '" + std::string(name) + "'"; }

std::size_t index_of(std::string_view name) {
  auto const& all = the_table().infos;
  auto const found = std::ranges::find(all, name, &aggregate_info::name);
  if (found == all.end())
    throw error(quoted(name) + ": there are " + listed(all, [](auto const& i) { return i.name; }));
  return std::size_t(found - all.begin());
}

// The type of a row's only result.
std::optional<dtype> type_of(aggregate_row const& row) {
  auto const results = row.results();
  return results.size() == 1 ? std::optional(results.begin()->value.type) : std::nullopt;
}

}  // namespace

any_number any_number::at(dtype type, void const* memory) {
  return visit(type, [&]<class T>(std::type_identity<T>) {
    bits_of<T> bits;
    std::memcpy(&bits, memory, sizeof bits);
    return any_number(type, bits);
  });
}

void any_number::store(void* memory) const {
  visit(type, [&]<class T>(std::type_identity<T>) {
    bits_of<T> const low(bits);
    std::memcpy(memory, &low, sizeof low);
  });
}

any_number const& any_result::operator[](std::string_view name) const {
  auto const found = std::ranges::find(*this, name, &named_number::name);
  if (found == end())
    throw error("result '" + std::string(name) + "': there are " +
                listed(*this, [](auto const& r) { return r.name; }));
  return found->value;
}

any_number const& any_result::value() const {
  if (size_ != 1)
    throw error("result: not one value, but " +
                listed(*this, [](auto const& r) { return r.name; }));
  return numbers_[0].value;
}

std::span<aggregate_info const> aggregates() { return the_table().infos; }

any_aggregate::any_aggregate(std::string_view name, aggregate_options options)
    : index_(index_of(name)), options_(options) {
  if (options.ddof && !info().takes_ddof)
    throw error(quoted(name) + ": takes no ddof, which is " + std::to_string(options.ddof));
}

aggregate_info const& any_aggregate::info() const { return the_table().infos[index_]; }

std::vector<dtype> any_aggregate::result_types(dtype elements) const {
  std::vector<dtype> types;
  for (auto const* const row : the_table().rows[index_])
    if (row->elements == elements && !row->wide)
      if (auto const type = type_of(*row)) types.push_back(*type);
  return types;
}

bound_aggregate any_aggregate::on(dtype elements) const {
  for (auto const* const row : the_table().rows[index_])
    if (row->elements == elements && row->wide == options_.wide &&
        (!options_.as || options_.as == type_of(*row)))
      return {row, options_};
  std::string const of = std::string(info().name) + " of " + std::string(name(elements));
  if (!std::ranges::count(info().elements, elements))
    throw error("there is no " + of + ": it takes " + names_of(info().elements));
  if (options_.wide) throw error("wide: the " + of + " is no exact integer");
  auto const types = result_types(elements);
  throw error("as = " + std::string(name(*options_.as)) + ": the " + of +
              (types.empty() ? " has results of its own types" : " can be " + names_of(types)));
}

aggregate_info const& bound_aggregate::info() const {
  return the_table().infos[index_of(row_->name)];
}
dtype bound_aggregate::elements() const { return row_->elements; }
any_result bound_aggregate::results() const { return row_->results(); }
bool bound_aggregate::has_kernel() const { return row_->on_gpu; }

bool bound_aggregate::answers_nothing() const {
  try {
    any_reducer(*this).result();
    return true;
  } catch (error const&) {
    return false;
  }
}

namespace detail {

void require_type(std::string_view call, char const* argument, dtype given, dtype wanted) {
  if (given != wanted)
    throw error(std::string(call) + ": " + argument + " holds " + std::string(name(given)) +
                ", not " + std::string(name(wanted)));
}

any_input input_for(aggregate_row const& row, any_array const& in) {
  if (row.of_pairs) throw error(std::string(row.name) + ": takes two arrays, not one");
  require_type(row.name, "in", in.type, row.elements);
  return {in.data, nullptr, in.size};
}
any_input input_for(aggregate_row const& row, any_array const& a, any_array const& b) {
  if (!row.of_pairs) throw error(std::string(row.name) + ": takes one array, not two");
  require_type(row.name, "a", a.type, row.elements);
  require_type(row.name, "b", b.type, row.elements);
  if (a.size != b.size)
    throw error(std::string(row.name) + ": a has " + std::to_string(a.size) + " elements, b has " +
                std::to_string(b.size));
  return {a.data, b.data, a.size};
}

}  // namespace detail
}  // namespace tally
