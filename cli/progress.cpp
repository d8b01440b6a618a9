// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tally::cli {

using namespace std::chrono_literals;

static std::string bar(double part) {
  constexpr std::size_t width = 40;
  auto const filled = std::size_t(part * width);
  return '[' + std::string(filled, '#') + std::string(width - filled, ' ') + ']';
}

progress::progress() : terminal_(::isatty(STDERR_FILENO)), next_(clock::now() + 1s) {}

void progress::finish() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

bool progress::is_due() {
  if (!terminal_ || clock::now() < next_) return false;
  next_ = clock::now() + 100ms;
  shown_ = true;
  return true;
}

void progress::show(std::size_t done, std::size_t all, std::string const& last) {
  if (!is_due()) return;
  double const part = std::min(1.0, double(done) / double(std::max<std::size_t>(all, 1)));
  std::fprintf(stderr, "\r%s %zu of %zu  %s\x1b[K", bar(part).c_str(), done, all, last.c_str());
}

void progress::advance(std::uint64_t bytes) {
  done_ += bytes;
  if (!is_due()) return;
  double const gigabytes = double(done_) / 1e9;
  if (!expected_) {
    std::fprintf(stderr, "\r%.1f GB", gigabytes);
    return;
  }
  double const part = std::min(1.0, double(done_) / double(std::max<std::uint64_t>(*expected_, 1)));
  std::fprintf(stderr, "\r%s %3.0f %%  %.1f GB", bar(part).c_str(), 100 * part, gigabytes);
}

}  // namespace tally::cli
