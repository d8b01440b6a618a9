// SPDX-License-Identifier: Apache-2.0
#include "ndarray.hpp"

namespace tally {
namespace {

using namespace detail;

void scan_rows(any_where where, any_rows const& in, any_row_output const& out,
               any_aggregate const& op, any_ndarray_scan_options const& options) {
  any_row_scan_options const how{
      .init = options.init, .reverse = options.reverse, .totals = nullptr, .nan = options.nan};
  options.exclusive ? exclusive_scan(where, in, out, op, how)
                    : inclusive_scan(where, in, out, op, how);
}

// The bytes from the first to the last that an array has.
struct extent {
  std::intptr_t begin, end;
};
template <class Data>
extent bytes_of(basic_ndarray<Data> const& x) {
  extent all{0, 1};
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    if (x.shape[d] == 0) return {0, 0};
    auto const reach = x.strides[d] * std::int64_t(x.shape[d] - 1);
    (reach < 0 ? all.begin : all.end) += reach;
  }
  auto const first = reinterpret_cast<std::intptr_t>(x.data);
  auto const size = std::intptr_t(size_of(x.type));
  return {first + all.begin * size, first + all.end * size};
}

// Rows that are put side by side lie elsewhere while they are scanned: so it is seen here whether
// results are written where others are read.
void require_apart(any_ndarray const& in, any_ndarray_output const& out) {
  auto const a = bytes_of(in), b = bytes_of(out);
  bool const same =
      in.data == out.data && in.strides == out.strides && size_of(in.type) == size_of(out.type);
  if (!same && a.begin < b.end && b.begin < a.end)
    throw error("scan: out overlaps in without lying where it lies, place by place");
}

void scan_on(auto& where, any_ndarray const& in, any_ndarray_output const& out,
             row_loops const& loops, any_aggregate const& op,
             any_ndarray_scan_options const& options) {
  std::uint64_t const count = count_of(loops.kept), length = count_of(loops.along);
  if (count == 0 || length == 0) return;
  auto const from = layout_of(loops.kept, loops.along, 0),
             to = layout_of(loops.kept, loops.along, 1);
  if (from && to) {
    any_rows rows(in.type, in.data, *from);
    rows.valid = in.valid;
    scan_rows(where, rows, {out.type, out.data, *to}, op, options);
    return;
  }
  require_apart(in, out);
  auto const at_once = rows_at_once(count, length * (size_of(in.type) + size_of(out.type)));
  auto const elements = room_for(where, at_once * length * size_of(in.type));
  auto const results = room_for(where, at_once * length * size_of(out.type));
  auto const bits = room_for(where, in.valid ? (at_once * length + 7) / 8 : 0);
  for (std::uint64_t first = 0; first < count; first += at_once) {
    auto const some = std::min(at_once, count - first);
    row_layout const rows{.count = some, .length = length, .stride = std::int64_t(length)};
    gather(where, in.type, in.data, loops, 0, first, some, memory_of(elements));
    any_rows from_here(in.type, memory_of(elements), rows);
    if (in.valid) {
      gather_bits(where, loops, in.valid, {}, first * length, some * length, memory_of(bits));
      from_here.valid = {reinterpret_cast<std::uint8_t const*>(memory_of(bits)), 0};
    }
    scan_rows(where, from_here, {out.type, memory_of(results), rows}, op, options);
    scatter(where, out.type, memory_of(results), loops, 1, first, some, out.data);
  }
}

}  // namespace

void scan(any_where where, any_ndarray const& in, axes_list const& axes,
          any_ndarray_output const& out, any_aggregate const& op,
          any_ndarray_scan_options const& options) {
  auto loops = split("scan", in, axes);
  require_output("scan", "out", out, in.shape);
  add_operand(loops, 1, out.strides, axes);
  std::uint64_t const n = count_of(loops.kept) * count_of(loops.along);
  run_where(where, {in.data, nullptr, n},
            [&](auto&& there) { scan_on(there, in, out, loops, op, options); });
}

}  // namespace tally
