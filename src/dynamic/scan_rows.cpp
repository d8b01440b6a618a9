// SPDX-License-Identifier: Apache-2.0
#include "scan_rows.hpp"

#include "tally/cpu/scans.hpp"

namespace tally::detail {
namespace {

template <class Op, class In, class Out>
constexpr auto start_of() -> void* (*)() {
  if constexpr (held_scan<Op, In, Out> || sums_integers<Op, In, Out>)
    return []() -> void* { return start_scan<In, Out>(Op{}).release(); };
  else
    return nullptr;
}

template <class Op, class In, class... Outs>
constexpr scan_row row_of(type_list<Outs...>) {
  scan_row row;
  row.start = {start_of<Op, In, Outs>()...};
  for (auto const start : row.start)
    if (start) row.name = Op::name;
  if constexpr (element<In>) row.elements = dtype_of<In>;
  return row;
}

}  // namespace

#define TALLY_ROW(O, T) row_of<O, T>(element_types{}),
#define TALLY_ROWS(ELEMENTS, O) TALLY_EACH_##ELEMENTS(TALLY_ROW, O)

std::span<scan_row const> scan_rows() {
  static constexpr scan_row rows[] = {TALLY_REDUCTIONS(TALLY_ROWS)};
  return rows;
}

}  // namespace tally::detail
