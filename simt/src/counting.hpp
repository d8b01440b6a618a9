// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/machine.hpp"

namespace simt {

struct lane;

using site_id = std::uint32_t;  // of a place in the code that accesses memory or waits

site_id site_of(void* pc);
void* pc_of(site_id);
counts& counts_of(site_id);  // of this launch

// The k-th time that the lanes of a warp come by one place is one request of the warp, as if they
// went in step. A lane far ahead of the others lets them catch up.
class warp_requests {
 public:
  void add(lane&, std::uintptr_t address, unsigned bytes, bool is_shared, site_id);
  void finish();  // the warp has ended

 private:
  struct request {
    std::uint32_t arrived;
    std::array<std::uint32_t, 32> words;  // addresses in words of 4 bytes
  };
  static constexpr std::uint32_t depth = 32;
  struct queue {
    std::uint32_t first = 0;               // number of the oldest request that is not counted yet
    std::array<std::uint32_t, 32> seen{};  // by each lane
    std::array<request, depth> requests{};
    unsigned bytes = 0;
    bool is_shared = false;
    site_id site = 0;
  };
  void count_first(queue&);

  std::vector<std::unique_ptr<queue>> queues_;  // by site, of global and of shared memory
};

// Requests are counted once somebody has taken counts: it takes time.
bool counts_requests();
void begin_counting();
void end_counting(std::string kernel, position grid, position block);

}  // namespace simt
