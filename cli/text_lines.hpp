// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "number.hpp"

namespace tally::cli {

// Calls write(text) with what text_of(i) gives for each i below `count`, a line each: with some
// thousand lines at once.
template <class TextOf, class F>
void write_lines(std::size_t count, TextOf&& text_of, F&& write) {
  constexpr std::size_t enough = 65536;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += text_of(i);
    text += '\n';
    if (text.size() < enough && i + 1 < count) continue;
    write(text);
    text.clear();
  }
}

// Likewise, with elements.
template <class F>
void write_lines(dtype type, std::span<std::byte const> elements, F&& write) {
  auto const size = size_of(type);
  write_lines(
      elements.size() / size,
      [&](std::size_t i) { return number(any_number::at(type, &elements[i * size])).text(); },
      write);
}

}  // namespace tally::cli
