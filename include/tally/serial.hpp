// SPDX-License-Identifier: Apache-2.0
//
// Bytes in and out, little-endian on every machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tally/error.hpp"
#include "tally/types.hpp"

namespace tally {

class byte_writer {
 public:
  template <std::integral T>
  void put(T value) {
    auto const bits = std::make_unsigned_t<T>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(std::byte(bits >> (8 * i) & 0xff));
  }
  void put(bool value) { put(std::uint8_t(value)); }
  template <floating T>
  void put(T value) {
    put(to_bits(value));
  }
  void put(std::string_view text) {
    put(std::uint32_t(text.size()));
    for (char const c : text) bytes_.push_back(std::byte(c));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads what a byte_writer wrote; throws tally::error where the bytes end too soon, or are none
// that it writes.
class byte_reader {
 public:
  explicit byte_reader(std::span<std::byte const> bytes) : bytes_(bytes) {}

  template <element T>
  T get() {
    if constexpr (std::is_same_v<T, bool>) {
      auto const byte = get<std::uint8_t>();
      if (byte > 1)
        throw error("state: the byte " + std::to_string(byte) + " is not a bool, 0 or 1");
      return byte == 1;
    } else {
      auto const raw = take(sizeof(T));
      bits_of<T> bits = 0;
      for (std::size_t i = 0; i < sizeof(T); ++i)
        bits = bits_of<T>(bits | bits_of<T>(bits_of<T>(raw[i]) << (8 * i)));
      return from_bits<T>(bits);
    }
  }
  std::string get_text() {
    auto const raw = take(get<std::uint32_t>());
    return std::string(reinterpret_cast<char const*>(raw.data()), raw.size());
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::span<std::byte const> take(std::size_t n) {
    if (n > bytes_.size())
      throw error("state: " + std::to_string(n - bytes_.size()) + " bytes are missing");
    auto const front = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return front;
  }
  std::span<std::byte const> bytes_;
};

}  // namespace tally
