// SPDX-License-Identifier: Apache-2.0
//
// Calls on a GPU for which the library holds no kernel: an operator of one's own, several
// aggregates at once. For a GPU, nvcc compiles them in users_calls.cu; elsewhere
// users_calls_on_cores.cpp is in its place.
#pragma once

#include <span>

#include "tally/tally.hpp"

namespace recording {

// Neither any order nor any grouping is right but the array's own: the last, of all that are odd.
struct last_odd {
  template <class T>
  TALLY_HD T operator()(T a, T b) const {
    return tally::to_bits(b) & 1 ? b : a;
  }
};

inline auto several() {
  return tally::all_together(tally::sum{}, tally::variance{}, tally::min_max{}, tally::fast_sum{},
                             tally::arg_maximum{});
}
template <class T>
using several_of =
    decltype(tally::reduce(tally::cpu{}, std::declval<std::span<T const>>(), several()));

// One of each width; and two, as that is much to compile.
template <class T>
inline constexpr bool has_last_odd =
    tally::is_one_of<T, std::uint8_t, tally::bfloat16, std::int32_t, double>;
template <class T>
inline constexpr bool has_several = tally::is_one_of<T, std::int32_t, float>;

template <class T>
T reduce_last_odd(tally::gpu& there, std::span<T const> x, tally::reduce_options options);
template <class T>
void reduce_last_odd_into(tally::gpu& there, std::span<T const> x, T* out,
                          tally::reduce_options options);
template <class T>
void scan_last_odd(tally::gpu& there, std::span<T const> in, std::span<T> out,
                   tally::scan_options<T> const& options, bool exclusive);
template <class T>
several_of<T> reduce_several(tally::gpu& there, std::span<T const> x,
                             tally::reduce_options options);

template <class Where, class T, class Out, class Op>
void scan(Where&& where, std::span<T const> in, std::span<Out> out, Op const& op,
          tally::scan_options<Out> const& options, bool exclusive) {
  exclusive ? tally::exclusive_scan(where, in, out, op, options)
            : tally::inclusive_scan(where, in, out, op, options);
}

}  // namespace recording

// In the source that has them.
#define RECORDING_LAST_ODD(T)                                                                    \
  template T recording::reduce_last_odd(tally::gpu&, std::span<T const>, tally::reduce_options); \
  template void recording::reduce_last_odd_into(tally::gpu&, std::span<T const>, T*,             \
                                                tally::reduce_options);                          \
  template void recording::scan_last_odd(tally::gpu&, std::span<T const>, std::span<T>,          \
                                         tally::scan_options<T> const&, bool)
#define RECORDING_SEVERAL(T)                                                                   \
  template recording::several_of<T> recording::reduce_several(tally::gpu&, std::span<T const>, \
                                                              tally::reduce_options)
#define RECORDING_USERS_CALLS          \
  RECORDING_LAST_ODD(std::uint8_t);    \
  RECORDING_LAST_ODD(tally::bfloat16); \
  RECORDING_LAST_ODD(std::int32_t);    \
  RECORDING_LAST_ODD(double);          \
  RECORDING_SEVERAL(std::int32_t);     \
  RECORDING_SEVERAL(float)
