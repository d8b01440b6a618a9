// SPDX-License-Identifier: Apache-2.0
//
// How the bytes of states begin, whatever they are of: with "TLY", a byte for the version, one for
// the kind of state, the name of what is computed, and the types of elements. Numbers are
// little-endian, a text is its length, of 32 bits, and its characters.
#pragma once

#include <initializer_list>
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

// Writes the head of elements whose types have these numbers, and throws unless what comes is such
// a head.
void write_head(byte_writer& out, saved kind, std::string_view name,
                std::initializer_list<std::uint8_t> types);
void read_head(byte_reader& in, saved kind, std::string_view name,
               std::initializer_list<std::uint8_t> types);
template <class... Ts>
void write_head(byte_writer& out, saved kind, std::string_view name) {
  write_head(out, kind, name, {type_number<Ts>::value...});
}
template <class... Ts>
void read_head(byte_reader& in, saved kind, std::string_view name) {
  read_head(in, kind, name, {type_number<Ts>::value...});
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
