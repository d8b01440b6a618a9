// SPDX-License-Identifier: Apache-2.0
#include "scan_rows.hpp"

#include "tally/gpu.hpp"
#include "tally/scan.hpp"

namespace tally::detail {
namespace {

// The total is a value on the host: who asks for it waits.
template <class Op, class In, class Out>
void scan_on_a_gpu(gpu& where, any_array const& in, any_output const& out,
                   any_scan_options const& options, bool exclusive) {
  std::span<In const> const x(static_cast<In const*>(in.data), std::size_t(in.size));
  std::span<Out> const to(static_cast<Out*>(out.data), std::size_t(out.size));
  auto how = options_for<Out>(options);
  if (options.total)
    how.total = static_cast<Out*>(entered_gpu(where.context())->result_slot(sizeof(Out)));
  exclusive ? exclusive_scan(where, x, to, Op{}, how) : inclusive_scan(where, x, to, Op{}, how);
  if (!options.total) return;
  where.synchronise();
  *options.total = any_number(*how.total);
}

template <class Op, class In, class Out>
constexpr scan_functions functions_of() {
  scan_functions functions;
  if constexpr (held_scan<Op, In, Out> || sums_integers<Op, In, Out>)
    functions.start = []() -> void* { return start_scan<In, Out>(Op{}).release(); };
  if constexpr (element<In> && scan_is_held_on_gpu<Op, array_input<In>, Out>)
    functions.on_gpu = scan_on_a_gpu<Op, In, Out>;
  return functions;
}

template <class Op, class In, class... Outs>
constexpr scan_row row_of(type_list<Outs...>) {
  scan_row row;
  row.to = {functions_of<Op, In, Outs>()...};
  for (auto const& functions : row.to)
    if (functions.start) row.name = Op::name;
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

scan_functions scan_of(any_aggregate const& op, dtype in, dtype out) {
  for (auto const& row : scan_rows())
    if (row.name && row.name == op.info().name && row.elements == in)
      return row.to[std::size_t(out)];
  return {};
}

scan_functions required_scan(any_aggregate const& op, dtype in, dtype out) {
  auto const found = scan_of(op, in, out);
  if (!found.start)
    throw error("there is no scan of " + std::string(name(in)) + " by " +
                std::string(op.info().name) + " to " + std::string(name(out)));
  return found;
}

}  // namespace tally::detail
