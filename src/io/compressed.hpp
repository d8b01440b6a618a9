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

inline constexpr char damaged[] = "what is compressed is damaged",
                      wrong_crc[] = "is damaged: its CRC-32 is not what the archive says";

// How many bytes of a beginning tell how it is compressed.
inline constexpr std::size_t enough_to_tell_compression = 10;
// What undoes the compression of a file that begins so, by gzip, zstd, bzip2 or xz; null if it is
// not compressed. Files one behind the other are their contents one behind the other.
std::unique_ptr<decoder> decoder_for(std::string_view beginning);
// Without a header, as in a .zip file; it takes no byte behind its end. What it makes has to have
// this CRC-32.
std::unique_ptr<decoder> decode_deflate(std::uint32_t crc);

// CRC-32 as .zip files have it, by several threads.
std::uint32_t crc_of(std::span<std::byte const> bytes, cpu where);

}  // namespace tally::io
