// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace tally::cli {

using namespace std::chrono_literals;

progress::progress() : terminal_(::isatty(STDERR_FILENO)), next_(clock::now() + 1s) {}

void progress::finish() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void progress::advance(std::uint64_t bytes) {
  done_ += bytes;
  if (!terminal_ || clock::now() < next_) return;
  next_ = clock::now() + 100ms;
  shown_ = true;
  double const gigabytes = double(done_) / 1e9;
  if (!expected_) {
    std::fprintf(stderr, "\r%.1f GB", gigabytes);
    return;
  }
  constexpr std::size_t width = 40;
  double const part = std::min(1.0, double(done_) / double(std::max<std::uint64_t>(*expected_, 1)));
  auto const filled = std::size_t(part * width);
  std::fprintf(stderr, "\r[%s%s] %3.0f %%  %.1f GB", std::string(filled, '#').c_str(),
               std::string(width - filled, ' ').c_str(), 100 * part, gigabytes);
}

}  // namespace tally::cli
