// SPDX-License-Identifier: Apache-2.0
#include "ladder/top_k/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ladder::top_k {

// From the tables of compute capabilities in the CUDA programming guide: 5.3, 8.7 and 9.0.
constexpr multiprocessor nano{"Nano", 64, 0, 2048, 32}, orin{"Orin", 164, 1, 1536, 16},
    h100{"H100", 228, 1, 2048, 32};

double occupancy(multiprocessor const& of, unsigned threads, unsigned shared_kb) {
  unsigned const fit = of.shared_kb / (shared_kb + of.reserved_kb);
  unsigned const blocks = std::min({fit, of.blocks, of.threads / threads});
  return double(blocks * threads) / of.threads;
}

std::vector<std::string> draw_occupancy() {
  auto const row = [](auto const&... cells) {
    std::string line;
    ((line += fmt::format("{:>10}", cells)), ...);
    return line;
  };
  std::vector<std::string> lines{row("threads", "k up to", nano.name, orin.name, h100.name)};
  for (unsigned const threads : {256u, 128u, 64u, 32u}) {
    auto const share = [&](multiprocessor const& of) {
      return fmt::format("{:g} %", 100 * occupancy(of, threads, 48));
    };
    lines.push_back(row(threads, 48 * 1024 / 4 / threads, share(nano), share(orin), share(h100)));
  }
  return lines;
}

}  // namespace ladder::top_k
