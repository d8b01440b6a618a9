// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <tally/tally.hpp>
#include <vector>

int main() {
  std::vector<float> const v{1e8f, 1, 2, -1e8f};
  return tally::reduce(tally::cpu{}, std::span{v}, tally::sum{}) == 3 ? 0 : 1;
}
