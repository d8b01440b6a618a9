// SPDX-License-Identifier: Apache-2.0
#include "nans.hpp"

#include "tally/compiled.hpp"
#include "tally/cpu/implementations.hpp"
#include "tally/cpu/reductions.hpp"
#include "tally/definition/describe.hpp"
#include "tally/dynamic.hpp"

namespace tally {
namespace detail {

template <element T>
std::optional<std::uint64_t> nans_known(running<T> const& known, std::uint64_t count,
                                        nan_policy nan) {
  if constexpr (integer<T>) return 0;
  if (known.find(&kind_of<extrema<T>>)) return total_of<extrema<T>>(known).value.nan;
  if (!known.find(&kind_of<moments<T, false>>)) return std::nullopt;
  auto const first = total_of<moments<T, false>>(known).value;
  return nan == skip ? count - first.count : first.sum.nan;
}

// A minimum counts them on its way, on every thread.
template <element T>
std::uint64_t nans_in(cpu where, std::span<T const> x) {
  if constexpr (integer<T>) return 0;
  auto const in = input_of("count_nan", "in", x);
  auto const ends = start_compiled<minimum, T>(minimum{});
  ends->add(thread_count(where), elements_of(in), x.size(), 0, propagate);
  return total_of<extrema<T>>(*ends).value.nan;
}

#define TALLY_NANS(O, T)                                                                          \
  template std::optional<std::uint64_t> nans_known(running<T> const&, std::uint64_t, nan_policy); \
  template std::uint64_t nans_in(cpu, std::span<T const>);
TALLY_EACH_element(TALLY_NANS, )

}  // namespace detail

std::uint64_t count_nan(cpu where, any_array const& in) {
  return visit(in.type, [&]<class T>(std::type_identity<T>) {
    return detail::nans_in<T>(where, {static_cast<T const*>(in.data), std::size_t(in.size)});
  });
}

}  // namespace tally
