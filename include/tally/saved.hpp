// SPDX-License-Identifier: Apache-2.0
//
// How the bytes of states begin, whatever they are of: with "TLY", a byte for the version, one for
// the kind of state, the name of what is computed, and the types of elements. Numbers are
// little-endian, a text is its length, of 32 bits, and its characters.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "tally/aggregate/zipped.hpp"
#include "tally/dtype.hpp"
#include "tally/error.hpp"
#include "tally/serial.hpp"

namespace tally::detail {

enum class saved : std::uint8_t { reduction = 1, scan, selection };

// An element type's number as a dtype; of pairs with the seventh bit, too; of others all bits.
template <class T>
struct type_number {
  static constexpr std::uint8_t value = 0xff;
};
template <element T>
struct type_number<T> {
  static constexpr std::uint8_t value = std::uint8_t(dtype_of<T>);
};
template <element T>
struct type_number<zipped<T, T>> {
  static constexpr std::uint8_t value = 0x40 | std::uint8_t(dtype_of<T>);
};

inline constexpr std::uint32_t saved_magic = 0x01594c54;  // "TLY", 1

template <class... Ts>
void write_head(byte_writer& out, saved kind, std::string_view name) {
  out.put(saved_magic);
  out.put(std::uint8_t(kind));
  out.put(name);
  (out.put(type_number<Ts>::value), ...);
}

inline void require_number(char const* what, unsigned found, unsigned wanted) {
  if (found != wanted)
    throw error("state: of " + std::string(what) + " number " + std::to_string(found) + ", not " +
                std::to_string(wanted));
}

// Throws unless what comes is such a head.
template <class... Ts>
void read_head(byte_reader& in, saved kind, std::string_view name) {
  if (in.get<std::uint32_t>() != saved_magic) throw error("state: not one of version 1");
  require_number("kind", in.get<std::uint8_t>(), unsigned(kind));
  if (auto const found = in.get_text(); found != name)
    throw error("state: of '" + found + "', not of '" + std::string(name) + "'");
  (require_number("element type", in.get<std::uint8_t>(), type_number<Ts>::value), ...);
}

// What `write` writes, as bytes; and what reads all of them.
template <class State>
std::vector<std::byte> bytes_of_state(State const& s) {
  byte_writer out;
  s.write(out);
  return out.take();
}
template <class State>
void read_all_of_state(State& s, std::span<std::byte const> bytes) {
  byte_reader in(bytes);
  s.read(in);
  if (!in.at_end()) throw error("state: more bytes than it has");
}

}  // namespace tally::detail
