// SPDX-License-Identifier: Apache-2.0
#include "present.hpp"

#include "tally/reduce.hpp"

namespace tally::detail {
namespace {

// From the first element that rows may have to one past the last.
struct reach {
  std::int64_t begin, end;
};
reach reach_of(row_layout const& rows) {
  if (rows.count == 0 || rows.length == 0) return {0, 0};
  reach all{0, 1};
  auto const go = [&](std::uint64_t n, std::int64_t by) {
    (by < 0 ? all.begin : all.end) += std::int64_t(n - 1) * by;
  };
  std::uint64_t const together = rows.inner ? std::min(rows.inner, rows.count) : rows.count;
  go((rows.count + together - 1) / together, rows.outer);
  go(together, rows.stride);
  go(rows.length, rows.step);
  return all;
}

// Rows that are an array's segments, or else all in their reach.
reach reach_of(any_rows const& in) {
  bool const is_known = in.array_size != ~std::uint64_t(0);
  if (in.layout.starts) {
    if (!is_known) throw error("valid: of rows with starts, the size of their array must be known");
    return {0, std::int64_t(in.array_size)};
  }
  auto all = reach_of(in.layout);
  if (is_known) all.end = std::min(all.end, std::int64_t(in.array_size));
  return all;
}

// Where rows have a stretch of memory for themselves, without gaps, it is read as it is. Of pairs
// both are to have the same.
bool lies_well(row_layout const& rows) {
  if (rows.starts) return true;
  if (rows.step != 1 && rows.length > 1) return false;
  auto const has_no_gap = [](std::uint64_t count, std::int64_t by, std::uint64_t size) {
    return count <= 1 || std::uint64_t(std::abs(by)) <= size;
  };
  std::uint64_t const together = rows.inner ? std::min(rows.inner, rows.count) : rows.count;
  std::uint64_t const groups = (rows.count + together - 1) / together;
  std::uint64_t const group =
      together ? (together - 1) * std::uint64_t(std::abs(rows.stride)) + rows.length : 0;
  return has_no_gap(together, rows.stride, rows.length) && has_no_gap(groups, rows.outer, group);
}
bool lie_alike(row_layout const& a, row_layout const& b) {
  return a.stride == b.stride && a.step == b.step && a.inner == b.inner && a.outer == b.outer &&
         a.starts == b.starts && a.lengths == b.lengths && a.lengths_from == b.lengths_from;
}

row_layout side_by_side(row_layout const& rows) {
  return {.count = rows.count,
          .length = rows.length,
          .stride = std::int64_t(rows.length),
          .lengths = rows.lengths,
          .lengths_from = rows.lengths_from};
}

// The loops over rows that have no starts. (The last of them may not be all there.)
void add_loops(row_loops& loops, row_layout const& rows, std::size_t operand) {
  std::uint64_t const inner = rows.inner ? rows.inner : std::max<std::uint64_t>(rows.count, 1);
  loops.kept.resize(2), loops.along.resize(1);
  loops.kept[0].extent = (rows.count + inner - 1) / inner, loops.kept[1].extent = inner;
  loops.kept[0].by[operand] = rows.outer, loops.kept[1].by[operand] = rows.stride;
  loops.along[0].extent = rows.length, loops.along[0].by[operand] = rows.step;
}

std::byte* at_element(dtype type, void const* data, std::int64_t i) {
  return static_cast<std::byte*>(const_cast<void*>(data)) + i * std::int64_t(size_of(type));
}

void gather_bits_on(auto& where, row_loops const& loops, validity a, validity b,
                    std::uint64_t first, std::uint64_t count, std::byte* to) {
  dimensions every;
  for (auto const* part : {&loops.kept, &loops.along})
    every.insert(every.end(), part->begin(), part->end());
  auto const all = joined(every);
  if (all.size() > strided_copy::most)
    throw error("valid: " + std::to_string(all.size()) +
                " dimensions, of which none follows another: up to " +
                std::to_string(strided_copy::most) + " can be read");
  gather_validity step{.loops = {}, .a = a, .b = b, .to = reinterpret_cast<std::uint8_t*>(to)};
  step.loops.size = unsigned(all.size()), step.loops.first = first, step.loops.count = count;
  for (std::size_t d = 0; d < all.size(); ++d) {
    step.loops.extent[d] = all[d].extent;
    step.loops.from_by[d] = all[d].by[0], step.loops.to_by[d] = all[d].by[1];
  }
  for_each_index(where, (count + 7) / 8, step);
}

}  // namespace

void gather_bits(cpu where, row_loops const& loops, validity a, validity b, std::uint64_t first,
                 std::uint64_t count, std::byte* to) {
  gather_bits_on(where, loops, a, b, first, count, to);
}
void gather_bits(gpu& where, row_loops const& loops, validity a, validity b, std::uint64_t first,
                 std::uint64_t count, std::byte* to) {
  gather_bits_on(where, loops, a, b, first, count, to);
}

void require_rows_at(char const* call, any_rows const& in, bool here) {
  visit(in.type, [&]<class T>(std::type_identity<T>) {
    auto const all = rows_of<T>(in);
    require_rows(call, "in", all);
    if (here) require_lengths(call, all);
  });
}

std::uint64_t nan_bits(dtype type) {
  return visit(type, []<class T>(std::type_identity<T>) -> std::uint64_t {
    if constexpr (floating<T>)
      return to_bits(quiet_nan<T>());
    else
      return 0;
  });
}

error no_missing_result(char const* call, std::string const& what) {
  return error(std::string(call) + ": elements are missing, and " + what +
               " cannot be: skip them, as NaNs");
}

template <class Where>
stretch_of_rows<Where>::stretch_of_rows(Where& where, any_rows const& in, any_rows const* second)
    : types_{in.type, second ? second->type : in.type} {
  if (in.layout.count == 0) {
    line_ = {in.layout, 0, 0};
    return;
  }
  if (!lies_well(in.layout) || (second && !lie_alike(in.layout, second->layout))) {
    copy(where, in, second);
    return;
  }
  auto all = reach_of(in);
  if (second) all.end = std::min(all.end, reach_of(*second).end);
  line_ = {in.layout, all.begin, std::uint64_t(all.end - all.begin)};
  auto const put = [&](std::size_t o, any_rows const& x) {
    data_[o] = at_element(x.type, x.data, all.begin);
    valid_[o] = {x.valid.bits, x.valid.offset + all.begin};
  };
  put(0, in);
  if (second) put(1, *second);
}

template <class Where>
void stretch_of_rows<Where>::copy(Where& where, any_rows const& in, any_rows const* second) {
  auto const& rows = in.layout;
  if (rows.starts || (second && second->layout.starts))
    throw error("valid: rows with starts are not side by side, or not those of the other array");
  std::uint64_t const size = rows.count * rows.length;
  if (size > std::uint64_t(1) << 58) throw std::bad_alloc();  // bytes have 64 bits
  line_ = {side_by_side(rows), 0, size};
  row_loops loops;
  add_loops(loops, rows, 0);
  if (second) add_loops(loops, second->layout, 1);
  auto const put = [&](std::size_t o, any_rows const& x) {
    elements_[o] = room_for(where, size * size_of(x.type));
    data_[o] = memory_of(elements_[o]);
    gather(where, x.type, x.data, loops, o, 0, rows.count, memory_of(elements_[o]));
  };
  put(0, in);
  if (second) put(1, *second);
  bits_ = room_for(where, (size + 7) / 8);
  gather_bits(where, loops, in.valid, second ? second->valid : validity{}, 0, size,
              memory_of(bits_));
  valid_[0] = {reinterpret_cast<std::uint8_t const*>(memory_of(bits_)), 0};
}

template <class Where>
any_rows stretch_of_rows<Where>::rows_at(std::size_t operand, void const* copy) const {
  any_rows all(types_[operand], at_element(types_[operand], copy, -line_.first), line_.rows);
  all.array_size = std::uint64_t(line_.first + std::int64_t(line_.size));
  return all;
}

template <class Where>
filled_rows<Where>::filled_rows(Where& where, any_rows const& in, std::uint64_t instead)
    : memory_(where, in), copy_(room_for(where, memory_.line().size * size_of(in.type))) {
  visit_bits(in.type, [&]<class Bits>(Bits) {
    fill_missing<Bits> const step{memory_.valid(0), static_cast<Bits const*>(memory_.data(0)),
                                  reinterpret_cast<Bits*>(memory_of(copy_)), Bits(instead)};
    for_each_index(where, memory_.line().size, step);
  });
}

template <class Where>
packed_rows<Where>::packed_rows(Where& where, any_rows const& in, any_rows const* second,
                                bool positions)
    : where_(where), memory_(where, in, second), words_(size() / 64 + 1) {
  counts_ = room_for(where, 2 * words_ * sizeof(std::int64_t));
  ends_ = room_for(where, 3 * count() * sizeof(std::int64_t));
  if (positions) places_ = room_for(where, size() * sizeof(std::int64_t));
  count_words(second);
  for (std::size_t o = 0; o < (second ? 2 : 1); ++o) {
    packed_[o] = room_for(where, size() * size_of(memory_.type(o)));
    visit_bits(memory_.type(o), [&]<class Bits>(Bits) {
      pack_present<Bits> const step{present(), static_cast<Bits const*>(memory_.data(o)),
                                    reinterpret_cast<Bits*>(memory_of(packed_[o])),
                                    positions && o == 0 ? numbers_in(places_) : nullptr};
      if constexpr (is_here<Where>)
        for_each_index(where, words_, pack_present_of_word<Bits>{step});
      else
        for_each_index(where, size(), step);
    });
  }
  for_each_index(where, count(), pack_rows{present(), memory_.line(), starts(), ends(), missing()});
}

template <class Where>
void packed_rows<Where>::count_words(bool two) {
  auto const a = memory_.valid(0), b = two ? memory_.valid(1) : validity{};
  count_present const step{a ? a : b, a ? b : validity{}, size(),
                           reinterpret_cast<std::uint64_t*>(memory_of(counts_)), before()};
  for_each_index(where_, words_, step);
  std::span const counts(before(), std::size_t(words_));
  exclusive_scan(where_, std::span<std::int64_t const>(counts), counts, sum{});
}

template <class Where>
any_rows packed_rows<Where>::rows(std::size_t operand) const {
  any_rows all(memory_.type(operand), memory_of(packed_[operand]),
               {.count = count(),
                .length = memory_.line().rows.length,
                .starts = starts(),
                .lengths = ends(),
                .lengths_from = starts()});
  all.array_size = size();
  return all;
}

template <class Where>
bool packed_rows<Where>::are_all() const {
  return reduce(where_, std::span<std::int64_t const>(missing(), std::size_t(count())), sum{}) == 0;
}

template <class Where>
void packed_rows<Where>::unpack(row_numbers const& positions) const {
  for_each_index(where_, count() * positions.each,
                 unpack_positions{memory_.line(), starts(), numbers_in(places_), positions});
}

template <class Where>
void packed_rows<Where>::tell(row_numbers const& numbers, missing_told what, dtype type) const {
  for_each_index(where_, count(),
                 tell_missing{present(), memory_.line(), starts(), missing(), numbers, what,
                              unsigned(size_of(type)), nan_bits(type)});
}

template class stretch_of_rows<cpu>;
template class stretch_of_rows<gpu>;
template class filled_rows<cpu>;
template class filled_rows<gpu>;
template class packed_rows<cpu>;
template class packed_rows<gpu>;

}  // namespace tally::detail
