// SPDX-License-Identifier: Apache-2.0
#include "tally/saved.hpp"

#include <string>

namespace tally::detail {
namespace {

constexpr std::uint32_t magic = 0x01594c54;  // "TLY", 1

void require_number(char const* what, unsigned found, unsigned wanted) {
  if (found != wanted)
    throw error("state: of " + std::string(what) + " number " + std::to_string(found) + ", not " +
                std::to_string(wanted));
}

}  // namespace

void write_head(byte_writer& out, saved kind, std::string_view name,
                std::initializer_list<std::uint8_t> types) {
  out.put(magic);
  out.put(std::uint8_t(kind));
  out.put(name);
  for (auto const type : types) out.put(type);
}

void read_head(byte_reader& in, saved kind, std::string_view name,
               std::initializer_list<std::uint8_t> types) {
  if (in.get<std::uint32_t>() != magic) throw error("state: not one of version 1");
  require_number("kind", in.get<std::uint8_t>(), unsigned(kind));
  if (auto const found = in.get_text(); found != name)
    throw error("state: of '" + found + "', not of '" + std::string(name) + "'");
  for (auto const type : types) require_number("element type", in.get<std::uint8_t>(), type);
}

}  // namespace tally::detail
