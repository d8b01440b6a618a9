// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "tally/error.hpp"
#include "tally/io/kept_array.hpp"

namespace tally::io {
namespace {

std::string folder() {
  char const* const named = std::getenv("TMPDIR");
  return named && *named ? named : "/tmp";
}

[[noreturn]] void fail() {
  throw error("cannot write a temporary file in " + folder() + ": " + std::strerror(errno) +
              "; TMPDIR names another folder");
}

int open_unnamed() {
  int const unnamed = ::open(folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return unnamed;
  auto name = folder() + "/tally-XXXXXX";
  int const named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

temporary_file::temporary_file() : descriptor_(open_unnamed()) {
  if (descriptor_ < 0) fail();
}

temporary_file::~temporary_file() { ::close(descriptor_); }

void temporary_file::write(std::span<std::byte const> bytes) {
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

kept_array::kept_array(std::uint64_t most) : most_(most) {}
kept_array::~kept_array() = default;

void kept_array::append(std::span<std::byte const> bytes) {
  if (!file_ && bytes.size() <= most_ - memory_.size()) {
    memory_.insert(memory_.end(), bytes.begin(), bytes.end());
    return;
  }
  if (!file_) {
    file_ = std::make_unique<temporary_file>();
    file_->write(memory_);
    std::vector<std::byte>().swap(memory_);
  }
  file_->write(bytes);
}

std::span<std::byte const> kept_array::all() {
  if (!file_) return memory_;
  auto const found = file_->map();
  mapped_ = found.data;
  return {found.data.get(), found.size};
}

}  // namespace tally::io
