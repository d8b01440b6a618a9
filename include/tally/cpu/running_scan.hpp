// SPDX-License-Identifier: Apache-2.0
//
// A scan in instalments, whatever the aggregate is: it knows what comes before the elements that
// follow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/owner.hpp"
#include "tally/rows.hpp"
#include "tally/where.hpp"

namespace tally {

class byte_writer;
class byte_reader;

}  // namespace tally

namespace tally::detail {

// A reverse scan goes from the last element to the first; its operands keep index order all the
// same.
struct scan_shape {
  bool exclusive = false, reverse = false;
};

template <class In, class Out>
class running_scan {
 public:
  virtual ~running_scan() = default;
  // Whether anything comes before what follows: elements, an initial value, an identity.
  virtual bool has_start() const = 0;
  virtual void start(Out const& init) = 0;
  // The elements in[0, n) follow, in index order or in reverse; in[0] has the index `first`.
  virtual void scan(cpu where, In const* in, Out* out, std::uint64_t n, std::uint64_t first,
                    scan_shape shape, nan_policy nan) = 0;
  // They follow, but nobody wants their results.
  virtual void skip(cpu where, In const* in, std::uint64_t n, std::uint64_t first, bool reverse,
                    nan_policy nan) = 0;
  // What `next` has seen follows; it is of the same aggregate.
  virtual void append(running_scan const& next, bool reverse) = 0;
  // Over everything so far; a default value if there was nothing.
  virtual Out total() const = 0;
  // What comes before what follows: a maybe<state> of the aggregate, of so many bytes, that may be
  // set; and packed (packed.hpp).
  virtual void* known() = 0;
  virtual std::size_t known_bytes() const = 0;
  virtual void pack(byte_writer& out) const = 0;
  virtual void unpack(byte_reader& in) = 0;
};

// What the library holds compiled: src/cpu/families/scans.cpp.
template <class Op, class In, class Out>
owner<running_scan<In, Out>> start_compiled_scan(Op const& op);

// Prefix sums of rows of at most so many elements, or of columns that lie apart from their results,
// each from `init` on; totals may be null.
inline constexpr std::uint64_t longest_short_row = 512;
template <class In, class Out>
bool are_columns_to_scan(rows<In const> const& in, rows<Out> const& out) {
  auto const are_columns = [](row_layout const& x) {
    return x.stride == 1 && x.is_apart() && !x.inner && !x.starts && !x.lengths;
  };
  bool const apart = static_cast<void const*>(in.data) != out.data;
  return in.count > 1 && apart && are_columns(in) && are_columns(out);
}
template <class In, class Out>
struct short_row_scan {
  rows<In const> const& in;
  rows<Out> const& out;
  Out init;
  Out* totals;
  scan_shape shape;
  nan_policy nan;
};
// Those of rows [first, end) that are soon certain without a state, as done[r - first] says; others
// are written to only where results lie apart. Compiled in src/cpu/families/scans.cpp, too.
template <class In, class Out>
void scan_short_rows_compiled(short_row_scan<In, Out> const& call, std::uint64_t first,
                              std::uint64_t end, bool* done);

}  // namespace tally::detail
