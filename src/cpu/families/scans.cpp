// SPDX-License-Identifier: Apache-2.0
#include "../held.hpp"
#include "../short_row_scans.hpp"
#include "tally/compiled.hpp"
#include "tally/cpu/scan_of.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

template <class Op, class In, class Out>
owner<running_scan<In, Out>> start_compiled_scan(Op const& op) {
  static_assert(held_scan<Op, In, Out>);
  using bound = decltype(op.template scanning<In, Out>());
  return make_owner<scan_of<bound>>(op.template scanning<In, Out>());
}

template <class In, class Out>
void scan_short_rows_compiled(short_row_scan<In, Out> const& call, std::uint64_t first,
                              std::uint64_t end, bool* done) {
  scan_rows_by_sums(call, first, end, done);
}

#define HOLD_ROWS(IN, OUT)                                                              \
  template void scan_short_rows_compiled(short_row_scan<IN, OUT> const&, std::uint64_t, \
                                         std::uint64_t, bool*);
#define HOLD_ROWS_OF(O, IN, OUT) HOLD_ROWS(IN, OUT)
#define HOLD_ROWS_WIDE(O, OUT) HOLD_ROWS(float, OUT)
#define HOLD_ROWS_HALF(O, OUT) HOLD_ROWS(float16, OUT) HOLD_ROWS(bfloat16, OUT)

#define HOLD(O, IN, OUT) \
  template owner<running_scan<IN, OUT>> start_compiled_scan<O, IN, OUT>(O const&);
#define HOLD_OWN(O, T) HOLD(O, T, T)
#define HOLD_WIDE(O, OUT) HOLD(O, float, OUT) HOLD(O, double, OUT)
#define HOLD_HALF(O, OUT) HOLD(O, float16, OUT) HOLD(O, bfloat16, OUT)

#define EXTREMA TALLY_EACH_element(HOLD_OWN, minimum) TALLY_EACH_element(HOLD_OWN, maximum)
#define PLAIN                           \
  TALLY_SCANS_OF_INTEGERS(HOLD_ROWS_OF) \
  TALLY_SCANS_OF_INTEGERS(HOLD)         \
  TALLY_EACH_floating(HOLD_OWN, fast_sum) TALLY_SCANS_OF_PRODUCTS(HOLD)
#define SUMS                                                         \
  TALLY_EACH_floating(HOLD_ROWS_WIDE, sum) HOLD_ROWS(double, double) \
      TALLY_EACH_floating(HOLD_WIDE, sum)
#define SUMS_OF_HALF TALLY_EACH_floating(HOLD_ROWS_HALF, sum) TALLY_EACH_floating(HOLD_HALF, sum)
TALLY_FAMILY

}  // namespace tally::detail
