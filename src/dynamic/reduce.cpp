// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

namespace tally {
namespace {

any_result run(any_where where, bound_aggregate const& op, detail::any_input const& in,
               nan_policy nan) {
  auto const& entry = entry_of(op);
  auto const& options = op.options();
  any_result out;
  detail::run_where(where, in, [&](auto&& there) {
    if constexpr (std::is_same_v<decltype(there), gpu&>) {
      if (!entry.on_gpu) throw detail::no_kernel(op);
      entry.on_gpu(options, there, in, nan, out);
    } else {
      entry.at_once(options, there, in, nan, out);
    }
  });
  return out;
}

}  // namespace

any_result reduce(any_where where, any_array const& in, bound_aggregate const& op,
                  reduce_options options) {
  return run(where, op, detail::input_for(entry_of(op), in), options.nan);
}
any_result reduce(any_where where, any_array const& a, any_array const& b,
                  bound_aggregate const& op, reduce_options options) {
  return run(where, op, detail::input_for(entry_of(op), a, b), options.nan);
}

}  // namespace tally
