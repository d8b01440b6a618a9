// SPDX-License-Identifier: Apache-2.0
#include "rank_scan.hpp"

#include <tuple>

#include "commands.hpp"
#include "ranks.hpp"
#include "tally/serial.hpp"

namespace tally::cli {
namespace {

// What the ranks before this one have in all, in reverse those behind it, of integers.
__int128 sum_before(arguments const& options, any_array const& slice) {
  any_reducer mine(any_aggregate(options.command->aggregate, {.wide = true}).on(slice.type));
  mine.add(options.where, slice);
  auto const sum = mine.result().wide().value();
  byte_writer out;
  out.put(sum.limb[0]), out.put(sum.limb[1]);
  auto const all = gather(options, out.take());
  unsigned __int128 before = 0;
  for (int r = 0; r < int(all.size()); ++r) {
    byte_reader in(all[std::size_t(r)]);
    auto const low = in.get<std::uint64_t>(), high = in.get<std::uint64_t>();
    if (options.reverse ? r > options.ranks->rank() : r < options.ranks->rank())
      before += (static_cast<unsigned __int128>(high) << 64) + low;
  }
  return __int128(before);
}

__int128 value_of(any_number const& x) {
  return visit(x.type, [&]<class T>(std::type_identity<T>) -> __int128 {
    if constexpr (integer<T>) return x.as<T>();
    return 0;
  });
}

}  // namespace

std::pair<std::int64_t, any_number> wrapped(__int128 value, dtype type) {
  auto const low = std::uint64_t(value);
  auto const own = type == dtype::uint64 ? __int128(low) : std::int64_t(low);
  return {std::int64_t((value - own) >> 64), any_number(type, low)};
}

void add_before(arguments const& options, any_array const& slice, scan_settings& to) {
  auto const init = to.how.init ? value_of(*to.how.init) : 0;
  std::tie(to.init_wraps, to.how.init) =
      wrapped(sum_before(options, slice) + init + (__int128(to.init_wraps) << 64), to.type);
}

json last_of_ranks(arguments const& options, json const& mine) {
  auto const text = mine.dump();
  auto const bytes = std::as_bytes(std::span(text));
  auto all = gather(options, {bytes.begin(), bytes.end()});
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    auto const its = json::parse(reinterpret_cast<char const*>(one->data()),
                                 reinterpret_cast<char const*>(one->data()) + one->size());
    if (!its["last"].is_null()) return its;
  }
  return mine;
}

}  // namespace tally::cli
