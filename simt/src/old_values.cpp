// SPDX-License-Identifier: Apache-2.0
#include "old_values.hpp"

#include <algorithm>
#include <cstring>

namespace simt {

void old_values::overwrite(void const* address, unsigned size, flags const& all, lane_id writer,
                           moment when) {
  auto const flag = all.find(std::uintptr_t(address));
  write& w = last_[std::uintptr_t(address)];
  std::memcpy(w.before.bytes.data(), address, size);
  w.before.size = size;
  w.before.flag = flag == all.end() ? released{} : flag->second;
  w.seen_by.assign(1, {writer, when});
}

old_value const* old_values::find(std::uintptr_t address, unsigned size,
                                  lane_knowledge const& reader) const {
  auto const at = last_.find(address);
  if (at == last_.end()) return nullptr;
  auto const& [before, seen_by] = at->second;
  auto const known = [&](auto const& seen) {
    return seen.first == reader.self() || reader.knows(seen.first, seen.second);
  };
  bool const is_new = before.size == size && seen_by.size() < many;
  return is_new && std::ranges::none_of(seen_by, known) ? &before : nullptr;
}

void old_values::see_newest(std::uintptr_t address, lane_knowledge const& reader) {
  auto const at = last_.find(address);
  if (at == last_.end() || at->second.seen_by.size() == many) return;
  at->second.seen_by.emplace_back(reader.self(), now());
}

}  // namespace simt
