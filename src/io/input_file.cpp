// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
  regular_ = S_ISREG(about.st_mode) && about.st_size > 0;  // what /proc makes has no size
  if (!regular_) return;
  auto const begin = ::lseek(descriptor_, 0, SEEK_CUR);
  if (begin == 0) mappable_bytes_ = about.st_size;
  size_ = std::uint64_t(std::max<off_t>(about.st_size - begin, 0));
}

input_file::input_file(std::string name, mapping part)
    : name_(std::move(name)),
      standard_input_(false),
      descriptor_(-1),
      regular_(true),
      size_(part.size),
      part_(std::move(part)) {}

input_file::input_file(input_file&& other) noexcept
    : name_(other.name_),
      standard_input_(other.standard_input_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      regular_(other.regular_),
      mappable_bytes_(other.mappable_bytes_),
      taken_(other.taken_),
      size_(other.size_),
      part_(std::move(other.part_)) {}

input_file::~input_file() {
  if (descriptor_ >= 0 && !standard_input_) ::close(descriptor_);
}

std::size_t input_file::read(std::span<char> into) {
  if (part_.data) {
    auto const n = std::min(into.size(), part_.size - std::size_t(taken_));
    std::memcpy(into.data(), part_.data.get() + taken_, n);
    taken_ += n;
    return n;
  }
  constexpr std::size_t most = 1 << 20;  // /proc refuses to be asked for much more at once
  for (;;) {
    auto const got = ::read(descriptor_, into.data(), std::min(into.size(), most));
    if (got >= 0) return taken_ += std::uint64_t(got), std::size_t(got);
    if (errno != EINTR) fail(name_, errno);
  }
}

mapping input_file::map() const {
  if (part_.data) return part_;
  return map_file(descriptor_, mappable_bytes_);
}

mapping map_file(int descriptor, std::size_t size) {
  if (size == 0) return {};
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) return {};
  ::madvise(at, size, MADV_SEQUENTIAL);
  auto const unmap = [size](std::byte const* p) { ::munmap(const_cast<std::byte*>(p), size); };
  return {std::shared_ptr<std::byte const>(static_cast<std::byte const*>(at), unmap), size};
}

}  // namespace tally::io
