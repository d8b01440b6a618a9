// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tally/error.hpp"

namespace tally::io {
namespace {

[[noreturn]] void fail(std::string const& name, int code) {
  throw error(name + ": " + std::strerror(code));
}

}  // namespace

input_file::input_file(bool standard_input, std::string const& path)
    : name_(standard_input ? "standard input" : path),
      standard_input_(standard_input),
      descriptor_(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(name_, errno);
}

input_file::input_file(std::string const& path) : input_file(path == "-", path) {
  struct stat about;
  if (::fstat(descriptor_, &about) != 0) fail(name_, errno);
  if (S_ISDIR(about.st_mode)) throw error(name_ + ": is a directory");
  regular_ = S_ISREG(about.st_mode);
  if (!standard_input_ && regular_ && about.st_size == 0)
    throw error(name_ + ": is empty (0 bytes)");
  if (regular_ && ::lseek(descriptor_, 0, SEEK_CUR) == 0) mappable_bytes_ = about.st_size;
}

input_file::input_file(input_file&& other) noexcept
    : name_(other.name_),
      standard_input_(other.standard_input_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      regular_(other.regular_),
      mappable_bytes_(other.mappable_bytes_) {}

input_file::~input_file() {
  if (descriptor_ >= 0 && !standard_input_) ::close(descriptor_);
}

std::size_t input_file::read(std::span<char> into) {
  for (;;) {
    auto const got = ::read(descriptor_, into.data(), into.size());
    if (got >= 0) return std::size_t(got);
    if (errno != EINTR) fail(name_, errno);
  }
}

mapping input_file::map() const {
  auto const size = mappable_bytes_;
  if (size == 0) return {};
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (at == MAP_FAILED) return {};
  ::madvise(at, size, MADV_SEQUENTIAL);
  auto const unmap = [size](std::byte const* p) { ::munmap(const_cast<std::byte*>(p), size); };
  return {std::shared_ptr<std::byte const>(static_cast<std::byte const*>(at), unmap), size};
}

}  // namespace tally::io
