// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "commands.hpp"
#include "report.hpp"
#include "state.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

std::string to_text(reduction_settings const& s) {
  return std::string(s.command->name) + " of " + std::string(name(s.type)) +
         (s.skip_nan ? ", NaN skipped" : "") + (s.ddof ? ", ddof " + std::to_string(s.ddof) : "") +
         (s.out_type ? ", as " + std::string(name(*s.out_type)) : "");
}

// Text of integers and text of decimals have states of different types.
std::string way_out(reduction_settings a, reduction_settings const& b) {
  a.type = b.type;
  return a == b ? "; text that is saved with --dtype is of that type" : "";
}

std::vector<saved_state> load_all(std::vector<std::string> const& files) {
  std::vector<saved_state> states;
  for (auto const& file : files) {
    auto const& s = states.emplace_back(load_state(file));
    auto const& front = states.front();
    if (s.settings != front.settings)
      throw error("states of different kinds: " + front.file + " is a " + to_text(front.settings) +
                  ", " + file + " is a " + to_text(s.settings) +
                  way_out(s.settings, front.settings));
  }
  return states;
}

std::uint64_t end_of(saved_state const& s) { return s.value.first() + s.value.count(); }

// In order. Those that nobody has placed begin where the one given before them ends.
void put_in_order(std::vector<saved_state>& states) {
  std::uint64_t end = 0;
  for (auto& s : states) {
    try {
      if (s.place == placement::unknown) s.value.move_to(end);
    } catch (error const&) {
      throw error(s.file + ": cannot become the part that begins at index " + std::to_string(end) +
                  "; save it with --first-index " + std::to_string(end));
    }
    end = end_of(s);
  }
  std::ranges::stable_sort(states, {}, [](saved_state const& s) { return s.value.first(); });
}

// Of states in order.
void require_no_overlap(std::vector<saved_state> const& states) {
  saved_state const* left = nullptr;
  for (auto const& right : states) {
    if (right.place != placement::run || right.value.count() == 0) continue;
    auto const to_text = [](saved_state const& s) {
      return std::to_string(s.value.first()) + " to " + std::to_string(end_of(s) - 1);
    };
    if (left && right.value.first() < end_of(*left))
      throw error(left->file + " is of the indices " + to_text(*left) + ", " + right.file + " of " +
                  to_text(right) + ": what both have would count twice");
    left = &right;
  }
}

// Of states in order, as one.
placement place_of(std::vector<saved_state> const& states) {
  auto const is = [](placement p) { return [p](saved_state const& s) { return s.place == p; }; };
  if (std::ranges::any_of(states, is(placement::unknown))) return placement::unknown;
  auto const adjoin = [](auto const& left, auto const& right) {
    return right.value.first() == end_of(left);
  };
  bool const together = std::ranges::adjacent_find(states, std::not_fn(adjoin)) == states.end();
  return together && std::ranges::all_of(states, is(placement::run)) ? placement::run
                                                                     : placement::scattered;
}

// Of states in order: into the first of them.
reduction& merge_all(std::vector<saved_state>& states) {
  auto& total = states.front().value;
  for (std::size_t i = 1; i < states.size(); ++i) {
    auto const& left = states[i - 1];
    auto const& right = states[i];
    auto const end = end_of(left);
    if (total.is_ordered() && right.value.first() != end)
      throw error(left.file + " ends at index " + std::to_string(end) + ", " + right.file +
                  " begins at " + std::to_string(right.value.first()) + ": a " +
                  std::string(right.settings.command->name) +
                  " needs parts that adjoin, saved with the right --first-index");
    total.append(right.value);
  }
  return total;
}

}  // namespace

void run_merge(arguments const& given) {
  stopwatch const watch;
  auto states = load_all(given.files);
  std::uint64_t bytes = 0;
  for (auto const& s : states) bytes += s.bytes;
  put_in_order(states);
  require_no_overlap(states);
  auto const place = place_of(states);
  auto const& total = merge_all(states);
  auto const& settings = states.front().settings;
  if (given.save_state) save_state(*given.save_state, settings, place, total);
  facts const about{.inputs = given.files,
                    .type = settings.type,
                    .shape = {total.count()},
                    .count = total.count(),
                    .nan_count = total.nan_count(),
                    .bytes_read = bytes};
  print(given, about, answer_of(settings, total, states.front().file), watch);
  if (settings.command->options & leaves_nan_out) return;
  if (total.nan_count() > 0 && !settings.skip_nan && !given.json)
    tell(std::to_string(total.nan_count()) + " of " + std::to_string(total.count()) +
         " are NaN or missing; states saved with --skip-nan leave them out");
}

}  // namespace tally::cli
