// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "table.hpp"

namespace tally {
namespace detail {

#define TALLY_ENTRY(O, T) entry<O, T>(),
#define TALLY_ENTRIES(ELEMENTS, O) TALLY_EACH_##ELEMENTS(TALLY_ENTRY, O)

std::span<aggregate_entry const> line_entries() {
  static constexpr aggregate_entry entries[] = {TALLY_REDUCTIONS(TALLY_ENTRIES)};
  return entries;
}

}  // namespace detail

namespace {

using detail::aggregate_entry;

struct table {
  std::vector<aggregate_info> infos;
  std::vector<std::vector<aggregate_entry const*>>
      entries;  // of each; those of the lines come first

  table() {
    for (auto const part : {detail::line_entries(), detail::rounded_entries(),
                            detail::integer_sum_entries(), detail::wide_dot_entries()})
      for (auto const& entry : part)
        if (entry.name) add(entry);
  }
  void add(aggregate_entry const& entry) {
    auto const i =
        std::size_t(std::ranges::find(infos, entry.name, &aggregate_info::name) - infos.begin());
    if (i == infos.size()) {
      infos.push_back({entry.name, entry.summary, entry.of_pairs, entry.takes_ddof, {}});
      entries.emplace_back();
    }
    auto& elements = infos[i].elements;
    if (!std::ranges::count(elements, entry.elements)) elements.push_back(entry.elements);
    entries[i].push_back(&entry);
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

// The type of an entry's only result.
std::optional<dtype> type_of(aggregate_entry const& entry) {
  auto const results = entry.results();
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
  for (auto const* const entry : the_table().entries[index_])
    if (entry->elements == elements && !entry->wide)
      if (auto const type = type_of(*entry)) types.push_back(*type);
  return types;
}

bound_aggregate any_aggregate::on(dtype elements) const {
  for (auto const* const entry : the_table().entries[index_])
    if (entry->elements == elements && entry->wide == options_.wide &&
        (!options_.as || options_.as == type_of(*entry)))
      return {entry, options_};
  std::string const of = std::string(info().name) + " of " + std::string(name(elements));
  if (!std::ranges::count(info().elements, elements))
    throw error("there is no " + of + ": it takes " + names_of(info().elements));
  if (options_.wide) throw error("wide: the " + of + " is no exact integer");
  auto const types = result_types(elements);
  throw error("as = " + std::string(name(*options_.as)) + ": the " + of +
              (types.empty() ? " has results of its own types" : " can be " + names_of(types)));
}

aggregate_info const& bound_aggregate::info() const {
  return the_table().infos[index_of(entry_->name)];
}
dtype bound_aggregate::elements() const { return entry_->elements; }
any_result bound_aggregate::results() const { return entry_->results(); }
std::size_t bound_aggregate::result_bytes() const { return entry_->result_bytes; }
std::span<number_place const> bound_aggregate::numbers() const { return entry_->numbers(); }
bool bound_aggregate::has_kernel() const { return entry_->on_gpu; }
bool bound_aggregate::any_order() const { return entry_->any_order; }

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

any_input input_for(aggregate_entry const& entry, any_array const& in) {
  if (entry.of_pairs) throw error(std::string(entry.name) + ": takes two arrays, not one");
  require_type(entry.name, "in", in.type, entry.elements);
  return {in.data, nullptr, in.size};
}
any_input input_for(aggregate_entry const& entry, any_array const& a, any_array const& b) {
  if (!entry.of_pairs) throw error(std::string(entry.name) + ": takes one array, not two");
  require_type(entry.name, "a", a.type, entry.elements);
  require_type(entry.name, "b", b.type, entry.elements);
  if (a.size != b.size)
    throw error(std::string(entry.name) + ": a has " + std::to_string(a.size) +
                " elements, b has " + std::to_string(b.size));
  return {a.data, b.data, a.size};
}

}  // namespace detail
}  // namespace tally
