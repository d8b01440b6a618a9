// SPDX-License-Identifier: Apache-2.0
//
// What a scan on a GPU is told beside its arrays. Needs no CUDA toolkit.
#pragma once

#include <cstdint>
#include <optional>

namespace tally::detail {

// Rows, each of which is scanned by itself: the element i of row r is the input's r * stride + i,
// and its result is out[r * out_stride + i].
struct gpu_scan_rows {
  std::uint64_t count, length, stride, out_stride;
};

// An array: one row, of which the compiler knows it.
struct gpu_scan_array {
  std::uint64_t length;
  static constexpr std::uint64_t count = 1, stride = 0, out_stride = 0;
};

template <class Out>
struct gpu_scan {
  bool exclusive, reverse;
  std::optional<Out> init;
  Out* total;  // one a row, in memory that the device can write; or null
};

}  // namespace tally::detail
