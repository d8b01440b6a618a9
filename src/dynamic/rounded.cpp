// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

namespace tally::detail {

#define TALLY_ROW(O, T) row<O, T>(),

std::span<aggregate_row const> rounded_rows() {
  static constexpr aggregate_row rows[] = {TALLY_ROUNDED(TALLY_ROW)};
  return rows;
}

}  // namespace tally::detail
