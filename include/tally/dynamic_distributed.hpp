// SPDX-License-Identifier: Apache-2.0
//
// Calls with run-time types (dynamic.hpp) on an array that ranks share out, each of which has a
// slice of it. All ranks make the same call, with arguments that differ in the slice alone;
// distributed.hpp says who waits for whom, and which errors are thrown on all.
#pragma once

#include "tally/communicator.hpp"
#include "tally/dynamic.hpp"

namespace tally {

// What all ranks' reducers know, of the same aggregate, type and options, put together in their
// order: rank 0's says which index the first element has. Those of an ordered aggregate have to
// begin at the indices of their slices' first elements.
any_reducer reducer_of_all(communicator& ranks, any_reducer const& mine);

// A scanner that knows all that comes before this rank's slice, in reverse all behind it, so that
// the slice can be scanned next. To that end every rank has read its slice once. options.total
// takes the result over all slices.
any_scanner scanner_of_slice(communicator& ranks, cpu where, any_aggregate const& op,
                             any_array const& slice, dtype out,
                             any_scan_options const& options = {});

// What all ranks' selectors know, of the same type, k and options, each of which began at the index
// of its slice's first element.
any_selector selector_of_all(communicator& ranks, any_selector& mine);

// As in dynamic.hpp, of all slices, which have one type; indices are those in the array.
any_top_k_result top_k(communicator& ranks, any_where where, any_array const& slice,
                       std::uint64_t k, top_k_options options = {});
any_kth_value kth_value(communicator& ranks, any_where where, any_array const& slice,
                        std::uint64_t k, kth_value_options options = {});
std::vector<any_number> quantile(communicator& ranks, any_where where, any_array const& slice,
                                 detail::quantile_places qs, quantile_options options = {});

}  // namespace tally
