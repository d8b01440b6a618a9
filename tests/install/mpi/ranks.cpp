// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "tally/mpi.hpp"

int main() {
  tally::mpi_session session;
  auto& ranks = session.ranks();
  std::vector<std::uint64_t> sums{std::uint64_t(ranks.rank())};
  ranks.all_reduce(sums);
  auto const p = std::uint64_t(ranks.size());
  return sums[0] != p * (p - 1) / 2;
}
