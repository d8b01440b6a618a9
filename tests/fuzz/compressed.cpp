// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "files.hpp"

namespace tally::fuzz {

// The first byte says what it begins as: gzip, zstd, .npz, bzip2 or xz.
void read_compressed(bytes content) {
  if (content.empty()) return;
  using namespace std::string_view_literals;
  static constexpr std::string_view magics[] = {"\x1f\x8b\x08"sv, "\x28\xb5\x2f\xfd"sv,
                                                "PK\x03\x04"sv, "BZh"sv, "\3757zXZ\0"sv};
  std::vector<std::byte> file;
  for (char const c : magics[unsigned(content[0]) % 5]) file.push_back(std::byte(c));
  auto const rest = content.subspan(1);
  file.insert(file.end(), rest.begin(), rest.end());
  io::open_options options;
  if (unsigned(content[0]) / 5 % 2) options.column = "1";
  auto const in = in_memory(file);
  constexpr std::size_t most = 1 << 20;  // little becomes much
  numbers_of([&] { return io::open(in.path(), options); }, 1 << 16, most);
}

}  // namespace tally::fuzz
