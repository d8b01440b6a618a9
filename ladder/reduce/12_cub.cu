// SPDX-License-Identifier: Apache-2.0
//
// A peer: CUB's reduction.
//
// Change:   not ours: cub::DeviceReduce from the CUDA toolkit, for comparison.
// Predict:  its loads are wide and many are in flight, but it is two launches.
// Measured: on an H200 7.7 us; of integers 7.5. At 2^28 elements 0.98 of the ceiling.
// Bytes:    n elements read.
#include <cub/device/device_reduce.cuh>

#include "ladder/reduce/reduce.cuh"

namespace ladder::reduce {

// As CUB's calls go: tells `bytes` where scratch is null.
template <class Op>
void with_cub(problem const& p, void* scratch, std::size_t& bytes, Op op) {
  auto const* const in = static_cast<typename Op::element const*>(p.in);
  auto* const out = static_cast<typename Op::result*>(p.out);
  if constexpr (std::is_same_v<Op, sum<typename Op::element>>) {
    tally::check(cub::DeviceReduce::Sum(scratch, bytes, in, out, p.n, p.stream));
  } else {
    tally::check(
        cub::DeviceReduce::Reduce(scratch, bytes, in, out, p.n, op, op.identity(), p.stream));
  }
}

static std::size_t cub_scratch(problem const& p) {
  std::size_t bytes = 0;
  auto const ask = [&](problem const& p, auto op) { with_cub(p, nullptr, bytes, op); };
  p.type == element::float32 ? with_operator<float>(p, ask) : with_operator<int>(p, ask);
  return bytes;
}

static rung cub_rung() {
  rung r = reduction(
      {
          .id = "reduce/12_cub",
          .title = "CUB's DeviceReduce",
          .bound = "reading, then two launches",
          .page = "CUB",
          .page_us = 49,
          .fixed_shape = true,
          .peer = true,
          .operations = {operation::sum, operation::minimum, operation::maximum},
      },
      [](problem const& p, auto op) {
        std::size_t bytes = cub_scratch(p);
        with_cub(p, p.scratch, bytes, op);
      });
  r.scratch_bytes = cub_scratch;
  return r;
}

static registered const here{cub_rung()};

}  // namespace ladder::reduce
