// SPDX-License-Identifier: Apache-2.0
#include "tally/dynamic_distributed.hpp"

#include "one_type.hpp"

namespace tally {

any_reducer reducer_of_all(communicator& ranks, any_reducer const& mine) {
  auto const told = detail::all_gather_result(ranks, [&] {
    byte_writer out;
    mine.write(out);
    return out.take();
  });
  any_reducer all = mine;
  for (std::size_t r = 0; r < told.size(); ++r) {
    byte_reader bytes(told[r]);
    any_reducer one = mine;
    one.read(bytes);
    if (!one.is_ordered() && r > 0) one.move_to(all.first() + all.count());
    if (r == 0)
      all = std::move(one);
    else
      all.append(one);
  }
  return all;
}

any_scanner scanner_of_slice(communicator& ranks, cpu where, any_aggregate const& op,
                             any_array const& slice, dtype out, any_scan_options const& options) {
  detail::require_one_type(ranks, "scan", slice.type);
  auto const told = detail::all_gather_result(ranks, [&] {
    any_scanner own(op, slice.type, out, {.reverse = options.reverse, .nan = options.nan});
    own.skip(where, slice);
    return own.carry();
  });
  auto const behind = [&](std::size_t slices) {
    any_scanner all(op, slice.type, out, options);
    for (std::size_t i = 0; i < slices; ++i)
      all.append(told[options.reverse ? told.size() - 1 - i : i]);
    return all;
  };
  if (options.total) *options.total = behind(told.size()).total();
  auto const rank = std::size_t(ranks.rank());
  return behind(options.reverse ? told.size() - 1 - rank : rank);
}

}  // namespace tally
