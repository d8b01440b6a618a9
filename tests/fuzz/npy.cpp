// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

namespace tally::fuzz {

void read_npy(bytes content) {
  std::string magic = "\x93NUMPY";
  std::vector<std::byte> file;
  for (char const c : magic) file.push_back(std::byte(c));
  file.insert(file.end(), content.begin(), content.end());
  auto const mapped = read_file(file, {});
  if (file.size() > longest_stream) return;
  auto const streamed = read_stream(file, {});
  if (mapped && streamed) require(mapped == streamed);
}

}  // namespace tally::fuzz
