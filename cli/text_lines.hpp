// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "number.hpp"

namespace tally::cli {

// Calls write(text) with elements as text, a line each: with some thousand lines at once.
template <class F>
void write_lines(dtype type, std::span<std::byte const> elements, F&& write) {
  constexpr std::size_t enough = 65536;
  auto const size = size_of(type);
  std::string text;
  for (std::size_t i = 0; i < elements.size(); i += size) {
    text += number(any_number::at(type, &elements[i])).text();
    text += '\n';
    if (text.size() < enough && i + size < elements.size()) continue;
    write(text);
    text.clear();
  }
}

}  // namespace tally::cli
