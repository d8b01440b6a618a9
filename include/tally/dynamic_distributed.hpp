// SPDX-License-Identifier: Apache-2.0
//
// Calls with run-time types (dynamic.hpp) on an array that ranks share out, each of which has a
// slice of it (distributed.hpp).
#pragma once

#include "tally/communicator.hpp"
#include "tally/dynamic.hpp"

namespace tally {

// What all ranks' reducers know, of the same aggregate and options, put together in their order.
// One that is ordered has to begin at its slice's index.
any_reducer reducer_of_all(communicator& ranks, any_reducer const& mine);

// A scanner that is where this rank's slice begins, which it reads once: in reverse, where the
// slice ends. options.total takes the result over all slices.
any_scanner scanner_of_slice(communicator& ranks, cpu where, any_aggregate const& op,
                             any_array const& slice, dtype out,
                             any_scan_options const& options = {});

// What all ranks' selectors know, of the same k and options, each of which began at its slice's
// index.
any_selector selector_of_all(communicator& ranks, any_selector& mine);

// As in dynamic.hpp, of all slices, which have one type; indices are those in the array.
any_top_k_result top_k(communicator& ranks, any_where where, any_array const& slice,
                       std::uint64_t k, top_k_options options = {});
any_kth_value kth_value(communicator& ranks, any_where where, any_array const& slice,
                        std::uint64_t k, kth_value_options options = {});
std::vector<any_number> quantile(communicator& ranks, any_where where, any_array const& slice,
                                 detail::quantile_places qs, quantile_options options = {});

}  // namespace tally
