// SPDX-License-Identifier: Apache-2.0
#include "kept_array.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tally/error.hpp"

namespace tally::cli {
namespace {

std::string folder() {
  auto const* const named = std::getenv("TMPDIR");
  return named && *named ? named : "/tmp";
}

[[noreturn]] void fail() {
  throw error("cannot keep the input in a temporary file in " + folder() + ": " +
              std::strerror(errno) +
              "; --memory keeps more in memory, TMPDIR names another folder");
}

// It is gone when the process is, however that ends.
int temporary_file() {
  int const unnamed = ::open(folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return unnamed;
  auto name = folder() + "/tally-XXXXXX";
  int const named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

kept_array::~kept_array() {
  if (mapped_) ::munmap(mapped_, written_);
  if (file_ >= 0) ::close(file_);
}

void kept_array::append(std::span<std::byte const> bytes) {
  if (file_ < 0 && bytes.size() <= most_ - memory_.size()) {
    memory_.insert(memory_.end(), bytes.begin(), bytes.end());
    return;
  }
  if (file_ < 0) {
    file_ = temporary_file();
    if (file_ < 0) fail();
    write(memory_);
    std::vector<std::byte>().swap(memory_);
  }
  write(bytes);
}

std::span<std::byte const> kept_array::all() {
  if (file_ < 0) return memory_;
  mapped_ = ::mmap(nullptr, written_, PROT_READ, MAP_SHARED, file_, 0);
  if (mapped_ == MAP_FAILED) {
    mapped_ = nullptr;
    fail();
  }
  return {static_cast<std::byte const*>(mapped_), std::size_t(written_)};
}

void kept_array::write(std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    auto const n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    written_ += std::uint64_t(n);
    bytes = bytes.subspan(std::size_t(n));
  }
}

}  // namespace tally::cli
