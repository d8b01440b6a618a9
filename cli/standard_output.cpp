// SPDX-License-Identifier: Apache-2.0
#include "standard_output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tally/error.hpp"

namespace tally::cli {

void write_standard_output(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) throw closed_pipe{};
    if (n < 0) throw error(std::string("cannot write standard output: ") + std::strerror(errno));
    bytes.remove_prefix(std::size_t(n));
  }
}

bool is_standard_output(std::string const& path) {
  struct stat file, output;
  return ::stat(path.c_str(), &file) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
         file.st_dev == output.st_dev && file.st_ino == output.st_ino;
}

}  // namespace tally::cli
