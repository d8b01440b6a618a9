// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

namespace {

using namespace tally;

any_output part(any_output const& x, std::size_t first, std::size_t n) {
  return {x.type, static_cast<std::byte*>(x.data) + first * size_of(x.type), n};
}

struct job {
  any_aggregate op;
  any_array in;
  any_output out;
  cpu where;
  bool exclusive;
  any_scan_options options;

  void at_once() const {
    if (exclusive)
      exclusive_scan(where, in, out, op, options);
    else
      inclusive_scan(where, in, out, op, options);
  }
  void in_chunks(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    auto const cuts = probe::random_cuts(random, in.size);
    any_scanner scanner(op, in.type, out.type, options);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::size_t const at = options.reverse ? cuts.size() - 2 - i : i;
      std::size_t const begin = cuts[at], length = cuts[at + 1] - begin;
      auto const from = probe::part(in, begin, length);
      auto const to = part(out, begin, length);
      if (exclusive)
        scanner.exclusive(where, from, to);
      else
        scanner.inclusive(where, from, to);
    }
    *options.total = scanner.total();
  }
};

}  // namespace

// A scan; with a seed, in random chunks. `init` may be null.
extern "C" int probe_scan(char const* name, int type, int out_type, void const* data, std::size_t n,
                          int threads, bool exclusive, bool reverse, bool skips, void const* init,
                          std::uint64_t seed, void* out, void* total) {
  return probe::guarded([&] {
    any_number all;
    job work{any_aggregate(name),
             {dtype(type), data, n},
             {dtype(out_type), out, n},
             {threads},
             exclusive,
             {}};
    if (init) work.options.init = any_number::at(dtype(out_type), init);
    work.options.reverse = reverse;
    work.options.total = &all;
    work.options.nan = skips ? skip : propagate;
    seed ? work.in_chunks(seed) : work.at_once();
    all.store(total);
  });
}
