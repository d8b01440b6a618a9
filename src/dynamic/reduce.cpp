// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"
#include "tally/automatic.hpp"

namespace tally {
namespace {

using detail::aggregate_row;
using detail::any_input;

any_result run(cpu where, aggregate_row const& row, any_input const& in,
               aggregate_options const& options, nan_policy nan) {
  any_result out;
  row.at_once(options, where, in, nan, out);
  return out;
}

any_result run(gpu& where, aggregate_row const& row, any_input const& in,
               aggregate_options const& options, nan_policy nan) {
  any_result out;
  if (!row.on_gpu)
    throw error("reduce: there is no kernel for the " + std::string(row.name) + " of " +
                std::string(name(row.elements)) +
                (options.as ? " as " + std::string(name(*options.as)) : ""));
  row.on_gpu(options, where, in, nan, out);
  return out;
}

// Of what is looked up, the address is all that matters.
array_input<std::byte> bytes(void const* data, std::uint64_t size) {
  return {static_cast<std::byte const*>(data), size};
}

any_result run(automatic const& where, aggregate_row const& row, any_input const& in,
               aggregate_options const& options, nan_policy nan) {
  auto const first = bytes(in.first, in.size);
  int const device =
      row.of_pairs ? detail::gpu_of(zip(first, bytes(in.second, in.size))) : detail::gpu_of(first);
  if (device < 0) return run(where.use_cpu(), row, in, options, nan);
  return run(where.use_gpu(device), row, in, options, nan);
}

}  // namespace

any_result reduce(any_where where, any_array const& in, bound_aggregate const& op,
                  reduce_options options) {
  auto const x = detail::input_for(row_of(op), in);
  return where.visit(
      [&](auto& there) { return run(there, row_of(op), x, op.options(), options.nan); });
}
any_result reduce(any_where where, any_array const& a, any_array const& b,
                  bound_aggregate const& op, reduce_options options) {
  auto const x = detail::input_for(row_of(op), a, b);
  return where.visit(
      [&](auto& there) { return run(there, row_of(op), x, op.options(), options.nan); });
}

}  // namespace tally
