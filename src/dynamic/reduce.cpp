// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

namespace tally {
namespace {

any_result run(any_where where, bound_aggregate const& op, detail::any_input const& in,
               nan_policy nan) {
  auto const& row = row_of(op);
  auto const& options = op.options();
  any_result out;
  detail::run_where(where, in, [&](auto&& there) {
    if constexpr (std::is_same_v<decltype(there), gpu&>) {
      if (!row.on_gpu)
        throw error("reduce: there is no kernel for the " + std::string(row.name) + " of " +
                    std::string(name(row.elements)) +
                    (options.as ? " as " + std::string(name(*options.as)) : ""));
      row.on_gpu(options, there, in, nan, out);
    } else {
      row.at_once(options, there, in, nan, out);
    }
  });
  return out;
}

}  // namespace

any_result reduce(any_where where, any_array const& in, bound_aggregate const& op,
                  reduce_options options) {
  return run(where, op, detail::input_for(row_of(op), in), options.nan);
}
any_result reduce(any_where where, any_array const& a, any_array const& b,
                  bound_aggregate const& op, reduce_options options) {
  return run(where, op, detail::input_for(row_of(op), a, b), options.nan);
}

}  // namespace tally
