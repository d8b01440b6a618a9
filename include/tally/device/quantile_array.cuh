// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a search for quantiles of rows.
#pragma once

#include "tally/device/quantile.cuh"
#include "tally/device/search_array.cuh"

namespace tally::detail {

// Of each row of `in`, in memory that the device can read; asynchronously. The order is that of the
// smallest first.
template <memory_context Context, class In>
void quantiles_on_gpu(Context& context, In const& in, gpu_rows const& rows,
                      rank_order<bits_of<typename In::element>> const& order,
                      gpu_quantiles const& how) {
  using short_call = device::quantile_call<In, std::uint32_t>;
  using long_call = device::quantile_call<In, std::uint64_t>;
  if (rows.count == 0) return;
  if (rows.length <= device::longest_of_32_bits)
    search_on_gpu<device::quantiles<In, std::uint32_t>, short_call>(context, in, rows, order, how);
  else
    search_on_gpu<device::quantiles<In, std::uint64_t>, long_call>(context, in, rows, order, how);
}

}  // namespace tally::detail
