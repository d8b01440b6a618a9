// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

namespace tally::detail {

#define TALLY_ROW(O, T) row<O, T>(),
#define TALLY_ROWS(ELEMENTS, O) TALLY_EACH_##ELEMENTS(TALLY_ROW, O)

std::span<aggregate_row const> line_rows() {
  static constexpr aggregate_row rows[] = {TALLY_REDUCTIONS(TALLY_ROWS)};
  return rows;
}

}  // namespace tally::detail
