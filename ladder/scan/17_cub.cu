// SPDX-License-Identifier: Apache-2.0
//
// A peer: CUB's scan.
//
// Change:   not ours: cub::DeviceScan from the CUDA toolkit, for comparison.
// Predict:  look-back, as rung 16, with tiles tuned for each GPU and loads through shared memory;
//           but two launches, the first of which clears the tiles' states.
// Measured: on an H200 15.7 us of floats, added up as they come; at 2^28 elements 839 us.
// Bytes:    n elements read, n results written. It gives no total.
#include <cub/device/device_scan.cuh>

#include "ladder/scan/scan.cuh"

namespace ladder::scan {

// As CUB's calls go: tells `bytes` where scratch is null.
template <class Op>
void with_cub(problem const& p, void* scratch, std::size_t& bytes, Op op) {
  if constexpr (std::is_arithmetic_v<typename Op::state>)
    tally::check(cub::DeviceScan::InclusiveScan(scratch, bytes, elements_of<Op>(p),
                                                results_of<Op>(p), op, p.n, p.stream));
}

static std::size_t cub_scratch(problem const& p) {
  std::size_t bytes = 0;
  auto const ask = [&](problem const& p, auto op) { with_cub(p, nullptr, bytes, op); };
  p.type == element::float32 ? with_operator<float>(p, ask) : with_operator<int>(p, ask);
  return bytes;
}

static rung cub_rung() {
  rung r = scan_rung(
      {
          .id = "scan/17_cub",
          .title = "CUB's DeviceScan",
          .bound = "reading and writing",
          .fixed_shape = true,
          .peer = true,
          .operations = {operation::sum, operation::minimum, operation::maximum},
      },
      [](problem const& p, auto op) {
        std::size_t bytes = cub_scratch(p);
        with_cub(p, p.scratch, bytes, op);
      },
      {.total = false});
  r.scratch_bytes = cub_scratch;
  return r;
}

static registered const here{cub_rung()};

}  // namespace ladder::scan
