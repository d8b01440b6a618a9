// SPDX-License-Identifier: Apache-2.0
//
// What a scan on a GPU is told beside its arrays. Needs no CUDA toolkit.
#pragma once

#include <cstdint>
#include <optional>

namespace tally::detail {

template <class Out>
struct gpu_scan {
  bool exclusive, reverse;
  std::optional<Out> init;
  Out* total;  // one a row, in memory that the device can write; or null
};

}  // namespace tally::detail
