// SPDX-License-Identifier: Apache-2.0
//
// Arrays of several dimensions as rows: the loops over the places of results, and over the elements
// of each.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "table.hpp"
#include "tally/gpu/output.hpp"
#include "tally/gpu/strided_copy.hpp"
#include "tally/ndarray.hpp"

namespace tally::detail {

// `kept` is in an order in which memory is read from its begin; `order` says which of the array's
// dimensions, in C order, each was. Steps are elements of the operands: of arrays that are read,
// and behind these what split() was told of.
struct row_loops {
  dimensions kept, along;
  std::vector<std::size_t> order;
};
// Throws for axes that `in` has not, or named twice.
row_loops split(char const* call, any_ndarray const& in, axes_list const& axes);
// Adds an operand with these strides along in's dimensions, from 1 on.
void add_operand(row_loops& loops, std::size_t operand, std::vector<std::int64_t> const& strides,
                 axes_list const& axes);

// As errors name a shape.
std::string text_of(std::vector<std::uint64_t> const& shape);

// Throws unless it has that shape, and each element a place of its own.
void require_output(char const* call, char const* argument, any_ndarray_output const& out,
                    std::vector<std::uint64_t> const& shape);
// Throws unless elements, if there are any, are aligned to their size.
void require_aligned(char const* call, char const* argument, any_ndarray const& x);
// An array as rows; one that is too many loops for that, as all bytes from its first to its last.
rows_in_memory in_memory(any_ndarray const& x);
inline argument_in_memory argument_of(char const* name, any_ndarray const& x) {
  return {name, in_memory(x)};
}
inline argument_in_memory argument_of(char const* name, any_ndarray_output const& x) {
  return argument_of(name, any_ndarray(x.type, x.data, x.shape, x.strides));
}
// The shape of all axes but these.
std::vector<std::uint64_t> kept_shape(any_ndarray const& in, axes_list const& axes);

// An operand's elements as rows, where its loops are few enough.
std::optional<row_layout> layout_of(std::span<dimension const> kept,
                                    std::span<dimension const> along, std::size_t operand);
// The same loops with results of so many elements, in the order of `kept`, at their places in
// `out`: what is side by side is operand 0, out is operand 1. `first` are out's dimensions before
// and `last` those behind the kept ones.
dimensions loops_to(row_loops const& loops, std::vector<std::int64_t> const& kept_strides,
                    dimension const* inner);
// Whether operand 1 lies as operand 0 does, side by side.
bool side_by_side(std::span<dimension const> loops);

// Memory where a call runs, until the calls before its end have used it.
inline std::unique_ptr<std::byte[]> room_for(cpu, std::size_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(bytes);
}
inline std::unique_ptr<gpu_output> room_for(gpu& where, std::size_t bytes) {
  return std::make_unique<gpu_output>(where, bytes);
}
inline std::byte* memory_of(std::unique_ptr<std::byte[]> const& room) { return room.get(); }
inline std::byte* memory_of(std::unique_ptr<gpu_output> const& room) {
  return room->as<std::byte>().data();
}

// Runs of places from `first` on, of operand 0 and of operand 1, by cores. Steps are bytes.
using run_of_places = void (*)(std::byte const* from, std::byte* to, std::uint64_t count,
                               std::int64_t from_by, std::int64_t to_by);
void run_places(cpu where, std::span<dimension const> loops, std::uint64_t first,
                std::uint64_t count, void const* from, void* to, run_of_places run);
// Copies so many places, elements of so many bytes.
void copy_places(cpu where, unsigned bytes, std::span<dimension const> loops, std::uint64_t first,
                 std::uint64_t count, void const* from, void* to);
void copy_places(gpu& where, unsigned bytes, std::span<dimension const> loops, std::uint64_t first,
                 std::uint64_t count, void const* from, void* to);
// The same loops with steps in bytes, of elements of so many in each operand.
dimensions in_bytes(std::span<dimension const> loops, std::size_t from, std::size_t to);

// The validity of so many places of the loops from `first` on, of a at operand 0 and of b, if it is
// there, at operand 1, as bits from those of `to` on (present.cpp).
void gather_bits(cpu where, row_loops const& loops, validity a, validity b, std::uint64_t first,
                 std::uint64_t count, std::byte* to);
void gather_bits(gpu& where, row_loops const& loops, validity a, validity b, std::uint64_t first,
                 std::uint64_t count, std::byte* to);

// So many bytes before `at`: where an array would begin of which that is a part.
inline void* back_from(void const* at, std::uint64_t bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(at) - bytes);
}

// All loops, from rows side by side (operand 0) to an operand's places.
dimensions loops_of_rows(row_loops const& loops, std::size_t operand);

// The rows of an operand side by side, [first, first + count) of them, to `to`; and back.
template <class Where>
void gather(Where& where, dtype type, void const* data, row_loops const& loops, std::size_t operand,
            std::uint64_t first, std::uint64_t count, void* to) {
  auto all = loops_of_rows(loops, operand);
  for (auto& d : all) std::swap(d.by[0], d.by[1]);
  std::uint64_t const length = count_of(loops.along), size = size_of(type);
  copy_places(where, unsigned(size), in_bytes(all, size, size), first * length, count * length,
              data, back_from(to, first * length * size));
}
template <class Where>
void scatter(Where& where, dtype type, void const* from, row_loops const& loops,
             std::size_t operand, std::uint64_t first, std::uint64_t count, void* to) {
  std::uint64_t const length = count_of(loops.along), size = size_of(type);
  copy_places(where, unsigned(size), in_bytes(loops_of_rows(loops, operand), size, size),
              first * length, count * length, back_from(from, first * length * size), to);
}

// How many rows of so many bytes are put side by side at a time.
inline std::uint64_t rows_at_once(std::uint64_t count, std::uint64_t bytes) {
  return std::clamp<std::uint64_t>(ndarray_scratch_bytes / std::max<std::uint64_t>(bytes, 1), 1,
                                   std::max<std::uint64_t>(count, 1));
}

// Calls f(rows, number of the first of them) with all rows of operand 0, where they lie or side by
// side.
template <class Where, class F>
void for_rows_of(Where& where, any_ndarray const& in, row_loops const& loops, F const& f) {
  std::uint64_t const count = count_of(loops.kept), length = count_of(loops.along);
  if (count == 0) return;
  if (auto const layout = layout_of(loops.kept, loops.along, 0)) {
    any_rows rows(in.type, in.data, *layout);
    rows.valid = in.valid;
    f(rows, std::uint64_t(0));
    return;
  }
  auto const at_once = rows_at_once(count, length * size_of(in.type));
  auto const room = room_for(where, at_once * length * size_of(in.type)),
             bits = room_for(where, in.valid ? (at_once * length + 7) / 8 : 0);
  for (std::uint64_t first = 0; first < count; first += at_once) {
    auto const some = std::min(at_once, count - first);
    gather(where, in.type, in.data, loops, 0, first, some, memory_of(room));
    any_rows rows(in.type, memory_of(room),
                  {.count = some, .length = length, .stride = std::int64_t(length)});
    if (in.valid) {
      gather_bits(where, loops, in.valid, {}, first * length, some * length, memory_of(bits));
      rows.valid = {reinterpret_cast<std::uint8_t const*>(memory_of(bits)), 0};
    }
    f(rows, first);
  }
}

// Where results are written side by side, in the order of the loops: in `out`, if they lie so
// there, or else beside it, from where deliver() copies them.
template <class Where>
class result_room {
 public:
  // `to` are the loops from results side by side to out's.
  result_room(Where& where, any_ndarray_output const& out, dimensions to)
      : where_(where), out_(out), to_(std::move(to)) {
    if (!side_by_side(to_)) room_ = room_for(where, count_of(to_) * size_of(out.type));
  }
  void* data() const { return room_ ? memory_of(room_) : out_.data; }
  void* from(std::uint64_t element) const {
    return static_cast<std::byte*>(data()) + element * size_of(out_.type);
  }
  void deliver() const {
    auto const size = size_of(out_.type);
    if (room_)
      copy_places(where_, unsigned(size), in_bytes(to_, size, size), 0, count_of(to_), data(),
                  out_.data);
  }

 private:
  Where& where_;
  any_ndarray_output const& out_;
  dimensions to_;
  decltype(room_for(std::declval<Where&>(), 0)) room_;
};

}  // namespace tally::detail
