// SPDX-License-Identifier: Apache-2.0
//
// What is text.
#include "formats.hpp"

namespace tally::io {
namespace {

// How many bytes a character has in UTF-8 that begins with c; 0 if none does.
std::size_t length_of(unsigned char c) {
  if (c < 0x80) return c >= ' ' ? c != 0x7f : c >= '\t' && c <= '\r';
  return c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

}  // namespace

bool looks_like_text(std::string_view beginning) {
  while (!beginning.empty()) {
    auto const length = length_of((unsigned char)beginning[0]);
    if (length == 0) return false;
    for (auto const c : beginning.substr(1, length - 1))
      if (((unsigned char)c & 0xc0) != 0x80) return false;
    beginning.remove_prefix(std::min(length, beginning.size()));
  }
  return true;
}

bool nearly_looks_like_text(std::string_view beginning) {
  constexpr std::size_t few = 10;  // of so many bytes one
  bool const low_first = beginning.starts_with("\xff\xfe");
  bool const wide = low_first || beginning.starts_with("\xfe\xff");
  std::size_t count = 0, odd = 0;
  for (std::size_t i = wide ? 2 : 0; i < beginning.size(); i += wide ? 2 : 1, ++count) {
    auto const unit = beginning.substr(i, wide ? 2 : 1);
    auto const c = (unsigned char)(wide && !low_first ? unit.back() : unit.front());
    bool const high = wide && (low_first ? unit.back() : unit.front()) != 0;
    odd += high || c >= 0x80 || length_of(c) == 0;
  }
  return odd * few <= count && count > 0;
}

}  // namespace tally::io
