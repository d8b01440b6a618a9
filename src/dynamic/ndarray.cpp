// SPDX-License-Identifier: Apache-2.0
#include "ndarray.hpp"

#include <cstring>
#include <numeric>

namespace tally::detail {
namespace {

bool is_axis(axes_list const& axes, std::size_t d) { return std::ranges::count(axes, d) > 0; }

// Whether elements lie side by side, in C order.
template <class Data>
bool is_one_run(basic_ndarray<Data> const& x) {
  std::int64_t step = 1;
  for (std::size_t d = x.shape.size(); d-- > 0; step *= std::int64_t(x.shape[d]))
    if (x.shape[d] != 1 && x.strides[d] != step) return false;
  return true;
}

// Whether no two places are one: seen from the strides, the larger ones of which step over all that
// the smaller ones reach.
bool has_own_places(any_ndarray_output const& out) {
  if (is_one_run(out)) return true;
  dimensions all;
  for (std::size_t d = 0; d < out.shape.size(); ++d) {
    if (out.shape[d] == 0) return true;
    if (out.shape[d] > 1) all.push_back({out.shape[d], {out.strides[d]}});
  }
  auto const sorted = by_distance(std::move(all));
  std::uint64_t reach = 0;
  for (std::size_t d = sorted.size(); d-- > 0;) {
    auto const step = std::uint64_t(std::abs(sorted[d].by[0]));
    if (step <= reach) return false;
    reach += step * (sorted[d].extent - 1);
  }
  return true;
}

// Steps of operand 0, by which places lie side by side.
void number(dimensions& all) {
  std::int64_t step = 1;
  for (std::size_t d = all.size(); d-- > 0; step *= std::int64_t(all[d].extent))
    all[d].by[0] = step;
}

template <class T>
void copy_run(std::byte const* from, std::byte* to, std::uint64_t count, std::int64_t from_by,
              std::int64_t to_by) {
  if (from_by == sizeof(T) && to_by == sizeof(T)) {
    std::memmove(to, from, count * sizeof(T));
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i, from += from_by, to += to_by)
    std::memcpy(to, from, sizeof(T));
}

}  // namespace

std::string text_of(std::vector<std::uint64_t> const& shape) {
  std::string text = "(";
  for (std::size_t d = 0; d < shape.size(); ++d) text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + ")";
}

void require_countable(std::vector<std::uint64_t> const& shape) {
  std::uint64_t n = 1;
  for (auto const extent : shape)
    if (extent > 0 && (__builtin_mul_overflow(n, extent, &n) || n > std::uint64_t(1) << 62))
      throw error("ndarray: the shape " + text_of(shape) + " has more elements than 2^62");
}

row_loops split(char const* call, any_ndarray const& in, axes_list const& axes) {
  require_aligned(call, "in", in);
  for (auto const a : axes) {
    if (a >= in.shape.size())
      throw error(std::string(call) + ": axis = " + std::to_string(a) + " of an array of " +
                  std::to_string(in.shape.size()) + " dimensions");
    if (std::ranges::count(axes, a) > 1)
      throw error(std::string(call) + ": axis " + std::to_string(a) + " is named twice");
  }
  row_loops loops;
  dimensions numbered;  // the second operand is the dimension's number
  for (std::size_t d = 0; d < in.shape.size(); ++d)
    if (is_axis(axes, d))
      loops.along.push_back({in.shape[d], {in.strides[d]}});
    else
      numbered.push_back({in.shape[d], {in.strides[d], std::int64_t(d)}});
  for (auto const& d : by_distance(std::move(numbered))) {
    loops.kept.push_back({d.extent, {d.by[0]}});
    loops.order.push_back(std::size_t(d.by[1]));
  }
  return loops;
}

void add_operand(row_loops& loops, std::size_t operand, std::vector<std::int64_t> const& strides,
                 axes_list const& axes) {
  for (std::size_t i = 0; i < loops.kept.size(); ++i)
    loops.kept[i].by[operand] = strides[loops.order[i]];
  for (std::size_t d = 0, i = 0; d < strides.size(); ++d)
    if (is_axis(axes, d)) loops.along[i++].by[operand] = strides[d];
}

std::vector<std::uint64_t> kept_shape(any_ndarray const& in, axes_list const& axes) {
  std::vector<std::uint64_t> shape;
  for (std::size_t d = 0; d < in.shape.size(); ++d)
    if (!is_axis(axes, d)) shape.push_back(in.shape[d]);
  return shape;
}

void require_output(char const* call, char const* argument, any_ndarray_output const& out,
                    std::vector<std::uint64_t> const& shape) {
  if (out.shape != shape)
    throw error(std::string(call) + ": " + argument + " has the shape " + text_of(out.shape) +
                ", not " + text_of(shape));
  if (!has_own_places(out))
    throw error(std::string(call) + ": " + argument +
                " has strides by which several results may have one place");
  require_aligned(call, argument, any_ndarray(out.type, out.data, out.shape, out.strides));
}

void require_aligned(char const* call, char const* argument, any_ndarray const& x) {
  auto const bytes = size_of(x.type);
  if (std::ranges::count(x.shape, 0u) == 0 && reinterpret_cast<std::uintptr_t>(x.data) % bytes != 0)
    fail_unaligned(call, argument, x.data, bytes);
}

rows_in_memory in_memory(any_ndarray const& x) {
  auto const bytes = size_of(x.type);
  if (std::ranges::count(x.shape, 0u)) return {{.count = 0, .length = 0}, nullptr, bytes};
  if (is_one_run(x)) {
    std::uint64_t const n =
        std::accumulate(x.shape.begin(), x.shape.end(), std::uint64_t(1), std::multiplies{});
    return {{.count = 1, .length = n}, x.data, bytes};
  }
  dimensions all;
  std::int64_t first = 0, last = 0;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    all.push_back({x.shape[d], {x.strides[d]}});
    (x.strides[d] < 0 ? first : last) += x.strides[d] * std::int64_t(x.shape[d] - 1);
  }
  auto const loops = joined(by_distance(std::move(all)));
  std::span<dimension const> const outer(loops.begin(), loops.size() - !loops.empty());
  if (auto const rows = layout_of(outer, std::span(loops).subspan(outer.size()), 0))
    return {*rows, x.data, bytes};
  auto const* const begin = static_cast<std::byte const*>(x.data) + first * std::int64_t(bytes);
  return {{.count = 1, .length = std::uint64_t(last - first) + 1}, begin, bytes};
}

std::optional<row_layout> layout_of(std::span<dimension const> kept,
                                    std::span<dimension const> along, std::size_t operand) {
  std::uint64_t const count = count_of(kept), length = count_of(along);
  if (count == 0 || length == 0)
    return row_layout{.count = count, .length = length, .stride = std::int64_t(length)};
  auto const outer = joined(kept), inner = joined(along);
  if (outer.size() > 2 || inner.size() > 1) return {};
  row_layout rows{.count = count, .length = length};
  rows.step = inner.empty() ? 1 : inner[0].by[operand];
  if (!outer.empty()) rows.stride = outer.back().by[operand];
  if (outer.size() == 2) rows.inner = outer[1].extent, rows.outer = outer[0].by[operand];
  return rows;
}

dimensions loops_of_rows(row_loops const& loops, std::size_t operand) {
  dimensions all;
  for (auto const* part : {&loops.kept, &loops.along})
    for (auto const& d : *part) all.push_back({d.extent, {0, d.by[operand]}});
  number(all);
  return all;
}

dimensions loops_to(row_loops const& loops, std::vector<std::int64_t> const& kept_strides,
                    dimension const* inner) {
  // The strides are those of the kept axes in C order.
  auto sorted = loops.order;
  std::ranges::sort(sorted);
  dimensions all;
  for (std::size_t i = 0; i < loops.kept.size(); ++i) {
    auto const at = std::ranges::find(sorted, loops.order[i]) - sorted.begin();
    all.push_back({loops.kept[i].extent, {0, kept_strides[std::size_t(at)]}});
  }
  if (inner) all.push_back(*inner);
  number(all);
  return all;
}

bool side_by_side(std::span<dimension const> loops) {
  if (count_of(loops) == 0) return true;
  auto const all = joined(loops);
  return all.empty() || (all.size() == 1 && all[0].by[0] == all[0].by[1]);
}

dimensions in_bytes(std::span<dimension const> loops, std::size_t from, std::size_t to) {
  dimensions all(loops.begin(), loops.end());
  for (auto& d : all) d.by[0] *= std::int64_t(from), d.by[1] *= std::int64_t(to);
  return all;
}

void run_places(cpu where, std::span<dimension const> loops, std::uint64_t first,
                std::uint64_t count, void const* from, void* to, run_of_places run) {
  auto const all = joined(loops);
  constexpr std::uint64_t at_once = 1 << 14;
  parallel_for(thread_count(where), std::size_t((count + at_once - 1) / at_once),
               [&](std::size_t i) {
                 std::uint64_t left = std::min(at_once, count - i * at_once);
                 loop_position at(all, first + i * at_once);
                 while (left > 0) {
                   auto const some = std::min(left, at.run());
                   run(static_cast<std::byte const*>(from) + at.offset(0),
                       static_cast<std::byte*>(to) + at.offset(1), some,
                       all.empty() ? 0 : all.back().by[0], all.empty() ? 0 : all.back().by[1]);
                   left -= some;
                   if (left > 0) at.advance(some);
                 }
               });
}

void copy_places(cpu where, unsigned bytes, std::span<dimension const> loops, std::uint64_t first,
                 std::uint64_t count, void const* from, void* to) {
  run_places(where, loops, first, count, from, to,
             bytes == 1   ? copy_run<std::uint8_t>
             : bytes == 2 ? copy_run<std::uint16_t>
             : bytes == 4 ? copy_run<std::uint32_t>
                          : copy_run<std::uint64_t>);
}

void copy_places(gpu& where, unsigned bytes, std::span<dimension const> loops, std::uint64_t first,
                 std::uint64_t count, void const* from, void* to) {
  auto const all = joined(loops);
  if (all.size() > strided_copy::most)
    throw error("ndarray: " + std::to_string(all.size()) +
                " dimensions, of which none follows "
                "another: a gpu copies up to " +
                std::to_string(strided_copy::most));
  strided_copy copy{.bytes = bytes,
                    .size = unsigned(all.size()),
                    .extent = {},
                    .from_by = {},
                    .to_by = {},
                    .first = first,
                    .count = count,
                    .from = static_cast<std::byte const*>(from),
                    .to = static_cast<std::byte*>(to)};
  for (std::size_t d = 0; d < all.size(); ++d) {
    copy.extent[d] = all[d].extent;
    copy.from_by[d] = all[d].by[0], copy.to_by[d] = all[d].by[1];
  }
  entered_gpu const there(where.context());
  if (auto* const text = there->explanation)
    *text += (text->empty() ? "" : "; ") + ("a copy of " + std::to_string(count * bytes)) +
             " bytes, place by place";
  copy_strided_by_gpu(*there, copy);
}

}  // namespace tally::detail
