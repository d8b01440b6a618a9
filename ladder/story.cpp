// SPDX-License-Identifier: Apache-2.0
#include "ladder/story.hpp"

#include <algorithm>
#include <utility>

namespace ladder {

namespace {

std::string_view without_margin(std::string_view line) {
  line.remove_prefix(std::min<std::size_t>(line.find_first_not_of("/ "), line.size()));
  return line;
}

// The text behind the label that a line begins with.
std::pair<std::string*, std::string_view> labelled(story& s, std::string_view text) {
  std::pair<std::string_view, std::string*> const labels[] = {{"Change:", &s.change},
                                                              {"Predict:", &s.predict},
                                                              {"Measured:", &s.measured},
                                                              {"Bytes:", &s.bytes},
                                                              {"GPU only:", &s.gpu_only}};
  for (auto const& [label, to] : labels)
    if (text.starts_with(label)) return {to, without_margin(text.substr(label.size()))};
  return {nullptr, text};
}

// "Rung 3: the title." without what is in front of it, and its full stop.
std::string title_of(std::string title) {
  if (title.starts_with("Rung ")) title.erase(0, title.find(": ") + 2);
  if (title.ends_with('.')) title.pop_back();
  return title;
}

}  // namespace

story story_of(std::string_view rest_of_text) {
  story s;
  std::string title, *to = nullptr;  // where lines go on
  int paragraph = 0;                 // the first is the licence
  while (rest_of_text.starts_with("//")) {
    auto const end = std::min(rest_of_text.find('\n'), rest_of_text.size());
    auto const text = without_margin(rest_of_text.substr(0, end));
    rest_of_text.remove_prefix(std::min(end + 1, rest_of_text.size()));
    if (text.empty()) {
      to = nullptr;
      ++paragraph;
      continue;
    }
    auto const [label, rest] = labelled(s, text);
    if (label) to = label;
    if (paragraph == 0) continue;
    if (!to) to = paragraph == 1 ? &title : &s.more.emplace_back();
    if (!to->empty()) *to += ' ';
    *to += rest;
  }
  s.title = title_of(std::move(title));
  return s;
}

std::string_view text_of_file(std::string_view file) {
  auto const found = std::ranges::find(all_told(), file, &told::file);
  return found == all_told().end() ? std::string_view{} : found->text;
}

story story_of_file(std::string_view file) { return story_of(text_of_file(file)); }

}  // namespace ladder
