// SPDX-License-Identifier: Apache-2.0
//
// How lanes share the rows of a reduction: what the host decides.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "tally/cuda/thread_index.cuh"
#include "tally/device/input/batch.cuh"
#include "tally/rows.hpp"

namespace tally::detail {

inline constexpr unsigned lanes_of_a_block = 256;
inline constexpr unsigned rows_of_a_group = 4;  // that even rows come in

// How an input's rows lie: each of equally many whole vectors, all of which can be loaded; columns
// of which the same is true of neighbours; or in any way.
enum class row_shape : unsigned char { any, even, columns };

// The shape of rows whose vectors have `each` elements.
template <readable_rows In>
row_shape shape_of(In const& input, unsigned each) {
  bool even = true, columns = true;
  input.for_memory([&]<class T>(rows<T> const& in) {
    auto const divides = [](std::int64_t n) {
      return n * std::int64_t(sizeof(T)) % device::vector_bytes == 0;
    };
    bool const regular = !in.starts && !in.lengths &&
                         reinterpret_cast<std::uintptr_t>(in.data) % device::vector_bytes == 0;
    even = even && regular && !in.is_apart() && in.length % each == 0 && divides(in.stride) &&
           divides(in.outer);
    columns = columns && regular && in.inner == 0 && in.stride == 1 && in.count % each == 0 &&
              divides(in.step);
  });
  return even ? row_shape::even : columns ? row_shape::columns : row_shape::any;
}

enum class lanes_kernel : unsigned char { rows, even_rows, columns, segments };
constexpr char const* to_text(lanes_kernel kernel, std::uint64_t parts) {
  if (kernel == lanes_kernel::segments) return "lanes a segment";
  if (kernel == lanes_kernel::even_rows) return "lanes four rows";
  if (kernel == lanes_kernel::columns)
    return parts > 1 ? "lanes a part of some columns" : "lanes some columns";
  return parts > 1 ? "lanes a part of a row" : "lanes a row";
}

// Groups of so many lanes have a row each, four of them, or a part of one, of so many elements. Of
// columns a lane has as many as a vector has elements, and a group those beside one another: a
// block has the part of these, or all.
struct lanes_plan {
  lanes_kernel kernel;
  unsigned group;
  std::uint64_t parts, part;
  unsigned blocks;
  bool operator==(lanes_plan const&) const = default;
};

// A lane for each vector of a row, up to a warp.
inline unsigned lanes_for_vectors(std::uint64_t length, unsigned each) {
  std::uint64_t const vectors = (length + each - 1) / each;
  return unsigned(std::bit_ceil(std::clamp<std::uint64_t>(vectors, 1, warp_size)));
}

// Whether neighbours are those of rows beside one another.
inline bool are_columns(row_layout const& rows) { return rows.is_apart() && rows.stride == 1; }

// Rows are cut where they are too few for all lanes that the GPU holds, but into parts of some
// vectors a lane at least, which begin where vectors do.
inline lanes_plan plan_rows(row_layout const& rows, row_shape shape, unsigned each,
                            int multiprocessors) {
  constexpr std::uint64_t few_vectors = 16, lanes_of_a_multiprocessor = 2048;
  unsigned group = are_columns(rows) ? 1 : lanes_for_vectors(rows.length, each);
  std::uint64_t const lanes = std::max<std::uint64_t>(rows.count * group, 1);
  std::uint64_t const resident = std::uint64_t(multiprocessors) * lanes_of_a_multiprocessor;
  std::uint64_t const most = std::max<std::uint64_t>(rows.length / (few_vectors * each * group), 1);
  std::uint64_t const wanted = 2 * lanes > resident ? 1 : std::min(resident / lanes + 1, most);
  std::uint64_t const part = ((rows.length + wanted - 1) / wanted + each - 1) / each * each;
  std::uint64_t const parts = part < rows.length ? (rows.length + part - 1) / part : 1;
  bool const even = shape == row_shape::even && parts == 1 && group >= rows_of_a_group;
  std::uint64_t const groups = even ? (rows.count + rows_of_a_group - 1) / rows_of_a_group : 0;
  // What is done once a row is less where its lanes have some vectors each.
  while (even && group > 8 && rows.length < few_vectors * each * group &&
         groups * group >= resident)
    group /= 2;
  std::uint64_t const all = even ? groups * group : lanes * parts;
  return {even ? lanes_kernel::even_rows : lanes_kernel::rows, group, parts,
          parts > 1 ? part : rows.length,
          unsigned(std::min<std::uint64_t>((all + lanes_of_a_block - 1) / lanes_of_a_block,
                                           0x7fffffff))};
}

// A wave of blocks has all columns, or a part of them, of some elements a lane at least; or there
// are many columns, and each is a lane's.
inline lanes_plan plan_columns(row_layout const& columns, unsigned each, std::uint64_t resident) {
  constexpr std::uint64_t few_elements = 8;
  std::uint64_t const vectors = columns.count / each;
  bool const many = 2 * vectors > resident * lanes_of_a_block;
  unsigned const group =
      many ? lanes_of_a_block : unsigned(std::bit_ceil(std::clamp<std::uint64_t>(vectors, 1, 32)));
  std::uint64_t const wide = (vectors + group - 1) / group;
  std::uint64_t const least = lanes_of_a_block / group * few_elements;
  std::uint64_t const wanted =
      many ? 1
           : std::clamp<std::uint64_t>(resident / std::max<std::uint64_t>(wide, 1), 1,
                                       std::max<std::uint64_t>(columns.length / least, 1));
  std::uint64_t const part = std::max<std::uint64_t>((columns.length + wanted - 1) / wanted, 1);
  std::uint64_t const parts = std::max<std::uint64_t>((columns.length + part - 1) / part, 1);
  return {lanes_kernel::columns, group, parts, parts > 1 ? part : columns.length,
          unsigned(std::min<std::uint64_t>(wide * parts, 0x7fffffff))};
}

// `resident`: how many blocks with columns a multiprocessor holds.
inline lanes_plan plan_lanes(row_layout const& rows, row_shape shape, unsigned each,
                             int multiprocessors, unsigned resident) {
  if (shape == row_shape::columns)
    return plan_columns(rows, each, std::uint64_t(multiprocessors) * resident);
  return plan_rows(rows, shape, each, multiprocessors);
}

// How many elements segments have on average, or 0 where that is not known.
template <class T>
std::uint64_t mean_length(rows<T> const& in) {
  if (!in.is_by_offsets() || in.step != 1 || in.count == 0 || in.array_size == ~std::uint64_t(0))
    return 0;
  return (in.array_size + in.count - 1) / in.count;
}

// Short segments: some vectors a lane, and a group for each, but for those that are far longer.
inline lanes_plan plan_segments(std::uint64_t count, std::uint64_t mean, unsigned each) {
  constexpr std::uint64_t few_vectors = 4, far_longer = 64;
  std::uint64_t const lanes = (mean / each + 1) / few_vectors;
  unsigned const group = unsigned(std::bit_floor(std::clamp<std::uint64_t>(lanes, 1, warp_size)));
  std::uint64_t const blocks = (count * group + lanes_of_a_block - 1) / lanes_of_a_block;
  return {lanes_kernel::segments, group, 1, far_longer * each * group,
          unsigned(std::min<std::uint64_t>(blocks, 0x7fffffff))};
}

// Rows along a tree are a group of lanes' each, or it has some short ones at once. They are cut
// into subtrees, of so many elements each, where they are too few for all lanes that the GPU holds:
// such a part is a group's.
struct ordered_plan {
  unsigned group, rows_at_once;
  std::uint64_t parts, part;
  bool operator==(ordered_plan const&) const = default;
};
inline ordered_plan plan_in_order(row_layout const& rows, unsigned group, std::uint64_t lanes_there,
                                  std::uint64_t least_part, std::uint64_t most_parts) {
  std::uint64_t const lanes = std::max<std::uint64_t>(rows.count * group, 1);
  std::uint64_t const wanted = std::clamp<std::uint64_t>(lanes_there / lanes, 1, most_parts);
  std::uint64_t const part =
      std::bit_ceil(std::max((rows.length + wanted - 1) / wanted, least_part));
  std::uint64_t const parts = (rows.length + part - 1) / part;
  return {group, 1, std::max<std::uint64_t>(parts, 1), part};
}

inline constexpr std::uint64_t ordered_lanes_of_a_multiprocessor = 2048;
inline ordered_plan plan_columns_in_order(row_layout const& rows, int multiprocessors,
                                          std::uint64_t chunk, std::uint64_t most_parts) {
  constexpr std::uint64_t few_chunks = 4;
  return plan_in_order(rows, 1, multiprocessors * ordered_lanes_of_a_multiprocessor,
                       few_chunks * chunk, most_parts);
}

// A lane reads so many vectors at once, of which those of a group's lanes are neighbours: of some
// rows, if they are that short; of one, where only the mean length is known, lanes enough for that.
// Some rows may then be far shorter than the longest, and most parts of theirs empty.
inline ordered_plan plan_rows_in_order(row_layout const& rows, std::uint64_t mean,
                                       int multiprocessors, unsigned each, unsigned loads,
                                       std::uint64_t most_parts) {
  constexpr unsigned few_lanes = 4, times_as_many = 4;
  std::uint64_t const lanes = multiprocessors * ordered_lanes_of_a_multiprocessor;
  if (mean > 0) {
    std::uint64_t const length = std::min(2 * mean, rows.length);
    unsigned const group = std::max(lanes_for_vectors(length, each * loads),
                                    std::min(lanes_for_vectors(length, each), few_lanes));
    return plan_in_order(rows, group, times_as_many * lanes, std::uint64_t(group) * each * loads,
                         most_parts);
  }
  unsigned const group = lanes_for_vectors(rows.length, each);
  auto how = plan_in_order(rows, group, lanes, std::uint64_t(group) * each * loads, most_parts);
  std::uint64_t const chunks = std::bit_ceil((rows.length + group * each - 1) / (group * each));
  how.rows_at_once = std::min(group, unsigned(loads / std::clamp<std::uint64_t>(chunks, 1, loads)));
  return how;
}

}  // namespace tally::detail
