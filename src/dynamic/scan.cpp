// SPDX-License-Identifier: Apache-2.0
#include "scan_rows.hpp"
#include "tally/automatic.hpp"

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

void run(automatic& where, any_array const& in, any_output const& out, any_aggregate const& op,
         any_scan_options const& options, bool exclusive) {
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

#define TALLY_SCAN(WHERE)                                                         \
  void inclusive_scan(WHERE where, any_array const& in, any_output const& out,    \
                      any_aggregate const& op, any_scan_options const& options) { \
    run(where, in, out, op, options, false);                                      \
  }                                                                               \
  void exclusive_scan(WHERE where, any_array const& in, any_output const& out,    \
                      any_aggregate const& op, any_scan_options const& options) { \
    run(where, in, out, op, options, true);                                       \
  }
TALLY_SCAN(cpu)
TALLY_SCAN(gpu&)
TALLY_SCAN(automatic&)

}  // namespace tally
