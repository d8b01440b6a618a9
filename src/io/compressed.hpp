// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "reader.hpp"

namespace tally::io {

inline constexpr std::string_view gzip_magic = "\x1f\x8b", zstd_magic = "\x28\xb5\x2f\xfd";

// Files one behind the other are their contents one behind the other.
std::unique_ptr<decoder> decode_gzip();
std::unique_ptr<decoder> decode_zstd();
// Without a header, as in a .zip file; it takes no byte behind its end.
std::unique_ptr<decoder> decode_deflate();

}  // namespace tally::io
