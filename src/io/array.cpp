// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "tally/error.hpp"

namespace tally::io {

std::unique_ptr<source> open_array(reader input, array_layout layout) {
  if (auto file = input.map(); file.data)
    return open_mapped_array(input.name(), std::move(file), input.taken(), std::move(layout));
  if (layout.fortran) return open_kept_array(std::move(input), std::move(layout));
  return open_streamed_array(std::move(input), std::move(layout));
}

std::optional<std::uint64_t> element_count(std::vector<std::uint64_t> const& shape, dtype type) {
  if (std::ranges::find(shape, 0u) != shape.end()) return 0;
  auto const most = std::uint64_t(std::numeric_limits<std::int64_t>::max()) / size_of(type);
  std::uint64_t count = 1;
  for (auto const length : shape) {
    if (length > most / count) return std::nullopt;
    count *= length;
  }
  return count;
}

std::size_t whole_elements(std::size_t bytes, std::size_t size) {
  return std::max<std::size_t>(bytes / size, 1);
}

void fail_wrong_size(std::string const& name, array_layout const& layout, std::uint64_t expected,
                     std::string const& found) {
  std::string shape;
  for (auto const length : *layout.shape) shape += std::to_string(length) + " x ";
  throw error(name + ": the .npy header says " + shape + std::string(tally::name(layout.type)) +
              ", " + std::to_string(expected) + " bytes, but " + found + " bytes follow it");
}

void fail_partial_element(std::string const& name, dtype type, std::uint64_t found) {
  throw error(name + ": " + std::to_string(found) + " bytes are not a whole number of " +
              std::string(tally::name(type)) + ", " + std::to_string(size_of(type)) +
              " bytes each");
}

namespace {

template <class T>
void swap_all(std::span<std::byte> elements) {
  for (std::size_t i = 0; i < elements.size(); i += sizeof(T)) {
    T x;
    std::memcpy(&x, &elements[i], sizeof x);
    if constexpr (sizeof x == 2) x = __builtin_bswap16(x);
    if constexpr (sizeof x == 4) x = __builtin_bswap32(x);
    if constexpr (sizeof x == 8) x = __builtin_bswap64(x);
    std::memcpy(&elements[i], &x, sizeof x);
  }
}

}  // namespace

void swap_bytes(std::span<std::byte> elements, std::size_t size) {
  if (size == 2) swap_all<std::uint16_t>(elements);
  if (size == 4) swap_all<std::uint32_t>(elements);
  if (size == 8) swap_all<std::uint64_t>(elements);
}

void check_bools(std::string const& name, std::span<std::byte const> elements) {
  std::byte seen{};
  for (auto const b : elements) seen |= b;
  if (seen <= std::byte(1)) return;
  auto const bad = std::ranges::find_if(elements, [](std::byte b) { return b > std::byte(1); });
  throw error(name + ": the byte " + std::to_string(int(*bad)) + " is not a bool, 0 or 1");
}

}  // namespace tally::io
