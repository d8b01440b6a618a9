// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "probe.hpp"
#include "tally/scan.hpp"

namespace {

using namespace tally;

template <class In, class Out>
struct job {
  std::span<In const> in;
  std::span<Out> out;
  cpu where;
  bool exclusive;
  scan_options<Out> options;

  void at_once() const {
    if (exclusive)
      exclusive_scan(where, in, out, sum{}, options);
    else
      inclusive_scan(where, in, out, sum{}, options);
  }
  void in_chunks(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    auto const cuts = probe::random_cuts(random, in.size());
    scan_stream<In, Out, sum> stream({}, options);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::size_t const at = options.reverse ? cuts.size() - 2 - i : i;
      std::size_t const begin = cuts[at], length = cuts[at + 1] - begin;
      if (exclusive)
        stream.exclusive(where, in.subspan(begin, length), out.subspan(begin, length));
      else
        stream.inclusive(where, in.subspan(begin, length), out.subspan(begin, length));
    }
    *options.total = stream.total();
  }
};

// The compiled pairs of types: the same, the widest, and float for the types of 16 bits.
template <class In, class Out>
constexpr bool offered = std::is_same_v<In, Out> || (floating<In> && std::is_same_v<Out, double>) ||
                         (floating<In> && sizeof(In) == 2 && std::is_same_v<Out, float>);
template <integer In, class Out>
constexpr bool offered<In, Out> = is_one_of<Out, In, widest<In>>;

}  // namespace

// A prefix sum; with a seed, in random chunks. `init` may be null.
extern "C" int probe_scan(int type, int out_type, void const* data, std::size_t n, int threads,
                          bool exclusive, bool reverse, bool skips, void const* init,
                          std::uint64_t seed, void* out, void* total) {
  return probe::guarded([&] {
    visit(dtype(type), [&]<class In>(std::type_identity<In>) {
      visit(dtype(out_type), [&]<class Out>(std::type_identity<Out>) {
        if constexpr (offered<In, Out>) {
          job<In, Out> work{
              probe::elements<In>(data, n), {static_cast<Out*>(out), n}, {threads}, exclusive, {}};
          if (init) work.options.init = *static_cast<Out const*>(init);
          work.options.reverse = reverse;
          work.options.total = static_cast<Out*>(total);
          work.options.nan = skips ? skip : propagate;
          seed ? work.in_chunks(seed) : work.at_once();
        } else {
          throw error("probe: this scan is not compiled");
        }
      });
    });
  });
}
