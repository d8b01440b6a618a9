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
  // In place of init what comes before the first element, and where what comes before those that
  // follow goes: a maybe<state> of the aggregate's each, in memory of the host, and in such that
  // the device can write, where it says already what it says if no element counts; or null. Of an
  // array.
  void const* before = nullptr;
  void* after = nullptr;
};

}  // namespace tally::detail
