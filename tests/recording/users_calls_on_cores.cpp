// SPDX-License-Identifier: Apache-2.0
//
// As users_calls.cu, by cores.
#include "recording/users_calls.hpp"

namespace recording {

using namespace tally;

template <class T>
T reduce_last_odd(gpu&, std::span<T const> x, reduce_options options) {
  return reduce(cpu{}, x, last_odd{}, options);
}
template <class T>
void reduce_last_odd_into(gpu&, std::span<T const> x, T* out, reduce_options options) {
  reduce_into(cpu{}, x, out, last_odd{}, options);
}
template <class T>
void scan_last_odd(gpu&, std::span<T const> in, std::span<T> out, scan_options<T> const& options,
                   bool exclusive) {
  scan(cpu{}, in, out, last_odd{}, options, exclusive);
}
template <class T>
several_of<T> reduce_several(gpu&, std::span<T const> x, reduce_options options) {
  return reduce(cpu{}, x, several(), options);
}

}  // namespace recording

RECORDING_USERS_CALLS;
