// SPDX-License-Identifier: Apache-2.0
#include "ladder/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "simt/machine.hpp"

namespace ladder::world {

std::string name() { return "simt"; }
std::string device() { return "SIMT machine"; }

void suit(problem& given, rung const& r) {
  if (!r.thread_an_element && given.grid * given.block <= 1024) return;
  given.grid = std::min(given.grid, 8u);
  // So few that selections differ in the k that they can do.
  given.block = std::min(given.block, r.most_k ? 64u : 128u);
}

std::vector<problem> sweep(problem const& usual) {
  std::vector<problem> all;
  for (unsigned const block : {32u, 64u, 128u}) {
    for (unsigned const grid : {1u, 4u, 16u}) {
      all.push_back(usual);
      all.back().grid = grid;
      all.back().block = block;
    }
  }
  return all;
}

// Selections take far more steps an element than what the other ladders do.
std::size_t rungs_at_once() { return std::max(1u, std::thread::hardware_concurrency()); }

std::size_t default_n(std::string const& ladder) { return ladder == "top-k" ? 1 << 14 : 1 << 16; }

std::vector<std::size_t> verified_sizes() {
  return {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 65'537};
}

bool takes_long(std::size_t n) { return n > 10'000; }

std::size_t canary_bytes() { return 0; }

measurement measure(rung const& r, problem const& given) { return call_once(r, given); }

measurement call_once(rung const& r, problem const& given) {
  simt::take_counts();
  r.enqueue(given);
  simt::counts total{};
  for (auto const& launch : simt::take_counts()) total += launch.total;
  measurement measured;
  measured.counts = {{"sectors", total.sectors},
                     {"lines", total.lines},
                     {"bank_conflicts", total.bank_conflicts},
                     {"barriers", total.barriers},
                     {"warp_barriers", total.warp_barriers},
                     {"shuffles", total.shuffles},
                     {"atomics", total.atomics},
                     {"bytes_read", total.bytes_read},
                     {"bytes_written", total.bytes_written},
                     {"operator", total.applications}};
  return measured;
}

std::vector<std::string> findings() {
  std::vector<std::string> lines;
  for (auto const& one : simt::take_reports()) {
    lines.push_back(fmt::format("{}: {} in {}, block {}, lane {}, {}:{}", one.kind, one.text,
                                one.kernel, one.block.x, one.lane.x, one.file, one.line));
  }
  return lines;
}

}  // namespace ladder::world
