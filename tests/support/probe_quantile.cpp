// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"
#include "tally/quantile.hpp"

using namespace tally;

namespace {

template <class T>
std::span<T const> array_of(void const* data, std::size_t n) {
  return {static_cast<T const*>(data), n};
}

}  // namespace

// quantile(), as bits: of the elements' type, or of doubles of integers. Without `denominators`
// the places are doubles, else fractions.
extern "C" int probe_quantiles(int type, void const* data, std::size_t n, void const* qs,
                               std::uint64_t const* denominators, std::size_t count, int method,
                               bool skips, int threads, std::uint64_t* found) {
  return probe::guarded([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      quantile_options const how{interpolation(method), skips ? skip : propagate};
      auto const x = array_of<T>(data, n);
      std::vector<fraction> places;
      for (std::size_t i = 0; denominators && i < count; ++i)
        places.push_back({array_of<std::uint64_t>(qs, count)[i], denominators[i]});
      for (auto const y : denominators
                              ? quantile(cpu{threads}, x, places, how)
                              : quantile(cpu{threads}, x, array_of<double>(qs, count), how))
        *found++ = probe::bits_of_result(y);
    });
  });
}

// kth_value(): the value's bits, and its index.
extern "C" int probe_kth_value(int type, void const* data, std::size_t n, std::uint64_t k,
                               bool is_largest, bool skips, int threads, std::uint64_t* value,
                               std::int64_t* index) {
  return probe::guarded([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      kth_value_options const how{is_largest ? largest : smallest, skips ? skip : propagate};
      auto const found = kth_value(cpu{threads}, array_of<T>(data, n), k, how);
      *value = probe::bits_of_result(found.value), *index = found.index;
    });
  });
}
