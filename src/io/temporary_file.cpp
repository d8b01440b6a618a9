// SPDX-License-Identifier: Apache-2.0
#include "temporary_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "tally/error.hpp"

namespace tally::io {
namespace {

std::string folder() {
  char const* const named = std::getenv("TMPDIR");
  return named && *named ? named : "/tmp";
}

[[noreturn]] void fail() {
  throw error("a temporary file in " + folder() + ": " + std::strerror(errno));
}

}  // namespace

temporary_file::temporary_file() {
  std::string path = folder() + "/tally-XXXXXX";
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail();
  ::unlink(path.c_str());
}

temporary_file::~temporary_file() { ::close(descriptor_); }

void temporary_file::write(std::span<char const> bytes) {
  while (!bytes.empty()) {
    auto const n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) fail();
    if (n < 0) continue;
    bytes = bytes.subspan(std::size_t(n));
    size_ += std::size_t(n);
  }
}

mapping temporary_file::map() const {
  if (size_ == 0) return {};
  auto const found = map_file(descriptor_, size_);
  if (!found.data) fail();
  return found;
}

}  // namespace tally::io
