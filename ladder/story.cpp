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

}  // namespace

story story_of(std::string_view comment) {
  story s;
  std::string* to = nullptr;  // where lines go on
  int paragraph = 0;          // the first two are the licence and the title
  while (!comment.empty()) {
    auto const end = std::min(comment.find('\n'), comment.size());
    auto const text = without_margin(comment.substr(0, end));
    comment.remove_prefix(std::min(end + 1, comment.size()));
    if (text.empty()) {
      to = nullptr;
      ++paragraph;
      continue;
    }
    auto const [label, rest] = labelled(s, text);
    if (label) to = label;
    if (paragraph < 2) continue;
    if (!to) to = &s.more.emplace_back();
    if (!to->empty()) *to += ' ';
    *to += rest;
  }
  return s;
}

story story_of_file(std::string_view file) {
  auto const found = std::ranges::find(all_told(), file, &told::file);
  return found == all_told().end() ? story{} : story_of(found->comment);
}

}  // namespace ladder
