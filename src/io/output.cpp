// SPDX-License-Identifier: Apache-2.0
#include "tally/io/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tally/error.hpp"

namespace tally::io {
namespace {

// The temporary files that there are, where remove_unfinished_outputs() finds them.
enum class state { free, taken, remembered };

// Who moves `now` away from `remembered` owns the path; only whole paths are ever remembered.
struct entry {
  std::atomic<state> now = state::free;
  char path[PATH_MAX];

  bool move(state from, state to) { return now.compare_exchange_strong(from, to); }
};
static_assert(std::atomic<state>::is_always_lock_free);  // all that a signal handler may use

constinit entry entries[16];

// Returns what forget_unfinished() takes, also if there is no room to remember `path`.
int remember_unfinished(std::string const& path) noexcept {
  if (path.size() >= PATH_MAX) return -1;
  for (auto& e : entries) {
    if (!e.move(state::free, state::taken)) continue;
    path.copy(e.path, path.size());
    e.path[path.size()] = '\0';
    e.now = state::remembered;
    return int(&e - entries);
  }
  return -1;
}

void forget_unfinished(int entry) noexcept {
  if (entry >= 0) entries[entry].move(state::remembered, state::free);
}

[[noreturn]] void fail(std::string const& path, int code) {
  auto const message = "cannot write " + path + ": " + std::strerror(code);
  if (code == EPIPE) throw closed_pipe(message);
  throw error(message);
}

// Where a symbolic link leads, so that renaming replaces the file and not the link, also one that
// is not there yet.
std::string follow(std::string const& path) {
  namespace fs = std::filesystem;
  fs::path at(path);
  std::error_code none;
  for (int links = 0; links < 40 && fs::is_symlink(at, none); ++links)
    at = at.parent_path() / fs::read_symlink(at, none);
  return at.string();
}

std::string temporary_name(std::string const& path, int attempt) {
  auto const name = path.find_last_of('/') + 1;
  // A name has at most 255 bytes.
  return path.substr(0, name) + "." + path.substr(name, 200) + "." + std::to_string(::getpid()) +
         "-" + std::to_string(attempt) + ".tmp";
}

}  // namespace

output_file::output_file(std::string path) : path_(std::move(path)) {
  struct stat about;
  if (path_.empty()) fail(path_, ENOENT);
  bool const exists = ::stat(path_.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) fail(path_, EISDIR);
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail(path_, errno);
  if (exists && !S_ISREG(about.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    open_temporary(exists ? about.st_mode & 0777 : 0666);
    // What the umask took; a file system that refuses this leaves fewer permissions, never more.
    if (exists) ::fchmod(descriptor_, about.st_mode & 0777);
  }
  if (descriptor_ < 0) fail(path_, errno);
}

output_file::output_file(std::string path, std::string temporary)
    : path_(std::move(path)), temporary_(std::move(temporary)), renames_(false) {
  unfinished_ = remember_unfinished(temporary_);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ >= 0) return;
  forget_unfinished(unfinished_);
  fail(path_, errno);
}

void output_file::open_temporary(unsigned mode) {
  target_ = follow(path_);
  for (int attempt = 0; descriptor_ < 0 && (attempt == 0 || errno == EEXIST); ++attempt) {
    temporary_ = temporary_name(target_, attempt);
    unfinished_ = remember_unfinished(temporary_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ < 0) forget_unfinished(unfinished_);
  }
  if (descriptor_ < 0) fail(path_, errno);
}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  if (renames_) ::unlink(temporary_.c_str());
  forget_unfinished(unfinished_);
}

void output_file::write(std::span<std::byte const> bytes) { write_at(end_, bytes); }

void output_file::write_at(std::uint64_t offset, std::span<std::byte const> bytes) {
  bool const renamed = takes_any_offset();
  if (!renamed && offset != end_) fail(path_, ESPIPE);
  while (!bytes.empty()) {
    auto const n = renamed ? ::pwrite(descriptor_, bytes.data(), bytes.size(), off_t(offset))
                           : ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, errno);
    bytes = bytes.subspan(n);
    offset += n;
    end_ = std::max(end_, offset);
  }
}

void output_file::reserve(std::uint64_t bytes) {
  if (!takes_any_offset() || bytes == 0) return;
  if (::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, off_t(bytes)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
    fail(path_, errno);
}

void output_file::commit() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, errno);
  if (temporary_.empty()) return;
  if (renames_ && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, errno);
  temporary_.clear();
  forget_unfinished(unfinished_);
}

void remove_unfinished_outputs() noexcept {
  for (auto& e : entries)
    if (e.move(state::remembered, state::taken)) ::unlink(e.path);
}

}  // namespace tally::io
