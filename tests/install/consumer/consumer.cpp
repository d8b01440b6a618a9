// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <tally/tally.hpp>
#include <vector>

int main() {
  tally::cpu const here;
  std::vector<float> const x{1e8f, 1, 2, -1e8f};
  std::vector<float> sums(x.size());
  tally::inclusive_scan(here, x, sums, tally::sum{});
  auto [total, ends] = tally::reduce(here, x, tally::all_together(tally::sum{}, tally::min_max{}));
  bool const right = tally::reduce(here, std::span{x}, tally::sum{}) == 3 && total == 3 &&
                     ends.maximum == 1e8f && sums.back() == 3 &&
                     tally::top_k(here, x, 1).indices[0] == 0;
  return right ? 0 : 1;
}
