// SPDX-License-Identifier: Apache-2.0
//
// Scans of bools, for every operator.
#pragma once

#include "support/device_cases.cuh"

namespace support {

// What the threads of a block leave: the inclusive prefix in their group, of `group` threads, twice
// the exclusive one in the block from true on, and in `totals` of them four times the total.
template <class Op, class Scan>
void expect_truths(int size, int group, int totals, Scan scan) {
  for (int one : {-1, 0, 13, size / 2, size - 1}) {  // which alone changes anything
    std::vector<int> in(size, std::is_same_v<Op, tally::bit_and>);
    if (one >= 0) in[one] = !in[one];
    std::vector<int> const out = scan(in);
    bool through = false, before = true, total = in[0];
    for (int i = 0; i < size; ++i) {
      through = i % group ? Op{}(through, bool(in[i])) : bool(in[i]);
      ASSERT_EQ(out[i] % 4, through + 2 * before) << i << ", " << one << typeid(Op).name();
      before = Op{}(before, bool(in[i]));
      if (i) total = Op{}(total, bool(in[i]));
    }
    for (int i = 0; i < totals; ++i)
      ASSERT_EQ(out[i] / 4, total) << i << ", " << one << typeid(Op).name();
  }
}

// Calls with(op) for each operator.
template <class F>
void for_each_operator(F&& with) {
  with(tally::plus{});
  with(tally::multiplies{});
  with(tally::smaller{});
  with(tally::larger{});
  with(tally::bit_and{});
  with(tally::bit_or{});
  with(tally::bit_xor{});
}

}  // namespace support
