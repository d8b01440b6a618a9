// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "reader.hpp"
#include "tally/where.hpp"

namespace tally::io {

inline constexpr std::string_view gzip_magic = "\x1f\x8b", zstd_magic = "\x28\xb5\x2f\xfd";
inline constexpr char wrong_crc[] = "is damaged: its CRC-32 is not what the archive says";

// Whether a file begins as zstd's do: with a frame, or with one that is to be skipped.
bool is_zstd(std::string_view beginning);

// Files one behind the other are their contents one behind the other.
std::unique_ptr<decoder> decode_gzip();
std::unique_ptr<decoder> decode_zstd();
// Without a header, as in a .zip file; it takes no byte behind its end. What it makes has to have
// this CRC-32.
std::unique_ptr<decoder> decode_deflate(std::uint32_t crc);

// CRC-32 as .zip files have it, by several threads.
std::uint32_t crc_of(std::span<std::byte const> bytes, cpu where);

}  // namespace tally::io
