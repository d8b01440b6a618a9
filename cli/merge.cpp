// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands.hpp"
#include "report.hpp"
#include "state.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

std::string to_text(reduction_settings const& s) {
  return s.command + " of " + std::string(name(s.type)) + (s.skip_nan ? ", NaN skipped" : "") +
         (s.ddof ? ", ddof " + std::to_string(s.ddof) : "") +
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

// Those that nobody has placed begin where the one given before them ends.
void place(std::vector<saved_state>& states) {
  std::uint64_t end = 0;
  for (auto& s : states) {
    try {
      if (!s.placed) s.value.move_to(end);
    } catch (error const&) {
      throw error(s.file + ": cannot become the part that begins at index " + std::to_string(end) +
                  "; save it with --first-index " + std::to_string(end));
    }
    end = s.value.first() + s.value.count();
  }
}

// Into the first of them.
any_reducer& merge_all(std::vector<saved_state>& states) {
  std::ranges::stable_sort(states, {}, [](saved_state const& s) { return s.value.first(); });
  auto& total = states.front().value;
  for (std::size_t i = 1; i < states.size(); ++i) {
    auto const& left = states[i - 1];
    auto const& right = states[i];
    auto const end = left.value.first() + left.value.count();
    if (total.is_ordered() && right.value.first() != end)
      throw error(left.file + " ends at index " + std::to_string(end) + ", " + right.file +
                  " begins at " + std::to_string(right.value.first()) + ": a " +
                  right.settings.command +
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
  bool const placed = std::ranges::all_of(states, &saved_state::placed);
  place(states);
  auto const& total = merge_all(states);
  auto const& settings = states.front().settings;
  if (given.save_state) save_state(*given.save_state, settings, placed, total);
  facts const about{.inputs = given.files,
                    .type = settings.type,
                    .shape = {total.count()},
                    .count = total.count(),
                    .nan_count = total.nan_count(),
                    .bytes_read = bytes};
  print(given, about, answer_of(settings, total, states.front().file), watch);
}

}  // namespace tally::cli
