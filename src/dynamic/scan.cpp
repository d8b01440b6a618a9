// SPDX-License-Identifier: Apache-2.0
#include "scan_rows.hpp"

#include "tally/automatic.hpp"
#include "tally/gpu.hpp"
#include "tally/scan.hpp"

namespace tally::detail {
namespace {

// The total is a value on the host: who asks for it waits.
template <class Op, class In, class Out>
void scan_on_a_gpu(gpu& where, any_array const& in, any_output const& out,
                   any_scan_options const& options, bool exclusive) {
  auto const x = elements_of<In>(in);
  auto const to = room_of<Out>(out);
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

namespace tally {
namespace {

void run(cpu where, any_array const& in, any_output const& out, any_aggregate const& op,
         any_scan_options const& options, bool exclusive) {
  any_scanner all(op, in.type, out.type, options, options.reverse ? out.size : 0);
  exclusive ? all.exclusive(where, in, out) : all.inclusive(where, in, out);
  if (options.total) *options.total = all.total();
}

void run(gpu& where, any_array const& in, any_output const& out, any_aggregate const& op,
         any_scan_options const& options, bool exclusive) {
  auto const scan = detail::required_scan(op, in.type, out.type);
  if (!scan.on_gpu)
    throw error("scan: there is no kernel for a scan of " + std::string(name(in.type)) + " by " +
                std::string(op.info().name) + " to " + std::string(name(out.type)));
  scan.on_gpu(where, in, out, options, exclusive);
}

void run(automatic const& where, any_array const& in, any_output const& out,
         any_aggregate const& op, any_scan_options const& options, bool exclusive) {
  // The address is all that matters here.
  int const device =
      detail::gpu_of(array_input<std::byte>{static_cast<std::byte const*>(in.data), in.size});
  if (device < 0) return run(where.use_cpu(), in, out, op, options, exclusive);
  run(where.use_gpu(device), in, out, op, options, exclusive);
}

}  // namespace

bool can_scan(any_aggregate const& op, dtype in, dtype out) {
  return detail::scan_of(op, in, out).start;
}
bool can_scan_on_gpu(any_aggregate const& op, dtype in, dtype out) {
  return detail::scan_of(op, in, out).on_gpu;
}

void inclusive_scan(any_where where, any_array const& in, any_output const& out,
                    any_aggregate const& op, any_scan_options const& options) {
  where.visit([&](auto& there) { run(there, in, out, op, options, false); });
}
void exclusive_scan(any_where where, any_array const& in, any_output const& out,
                    any_aggregate const& op, any_scan_options const& options) {
  where.visit([&](auto& there) { run(there, in, out, op, options, true); });
}

}  // namespace tally
