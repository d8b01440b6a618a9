// SPDX-License-Identifier: Apache-2.0
//
// Rows of an array, each of which is one problem: how they lie in memory (row_layout), and how a
// call is told of them, as rows, columns, the lines along an axis of an array of several
// dimensions, or segments of any length.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/error.hpp"
#include "tally/span.hpp"
#include "tally/types.hpp"

namespace tally {

// The element i of row r is the array's element begin(r) + i * step, for i below size(r).
//
// Rows begin `stride` apart. Where `inner` is not 0, so many follow one another in that way, and
// those behind them begin `outer` after the first of them, and so on: so the lines along any axis
// of an array in C or Fortran order are one layout. Where there are `starts`, row r begins
// starts[r] further on; where there are `lengths`, it has lengths[r] elements, or so many more than
// lengths_from[r], from none to `length`. These lie where the elements lie. Cores look at them
// first, and throw; a gpu's are read when the call runs: it takes a negative length for none, a
// larger one for `length`, and what else they say for true.
struct row_layout {
  std::uint64_t count, length;
  std::int64_t stride = 0, step = 1;
  std::uint64_t inner = 0;
  std::int64_t outer = 0;
  std::int64_t const* starts = nullptr;
  std::int64_t const* lengths = nullptr;
  std::int64_t const* lengths_from = nullptr;

  TALLY_FN std::int64_t begin(std::uint64_t r) const {
    std::int64_t at = starts ? starts[r] : 0;
    if (inner) at += std::int64_t(r / inner) * outer, r %= inner;
    return at + std::int64_t(r) * stride;
  }
  TALLY_FN std::uint64_t size(std::uint64_t r) const {
    if (!lengths) return length;
    std::int64_t const n = lengths_from ? lengths[r] - lengths_from[r] : lengths[r];
    return n < 0 ? 0 : std::uint64_t(n) < length ? std::uint64_t(n) : length;
  }
  // Whether each row ends where the next one begins, by offsets.
  bool is_by_offsets() const { return starts && lengths_from == starts && lengths == starts + 1; }
  // Whether a row's elements do not lie side by side.
  bool is_apart() const { return step != 1 && length > 1; }
  // One past the last element that a row may have, where there are neither starts nor lengths.
  std::uint64_t end() const {
    if (count == 0 || length == 0) return 0;
    auto const last = [](std::uint64_t n, std::int64_t by) {
      return by > 0 ? std::int64_t(n - 1) * by : 0;
    };
    std::uint64_t const together = inner && inner < count ? inner : count;
    std::uint64_t const groups = (count + together - 1) / together;
    return std::uint64_t(last(groups, outer) + last(together, stride) + last(length, step)) + 1;
  }
};

// The elements of one row, where they lie.
template <class T>
struct strided_input {
  using element = T;
  T const* data;
  std::int64_t step;
  std::uint64_t count;

  TALLY_FN T operator[](std::uint64_t i) const { return data[std::int64_t(i) * step]; }
  TALLY_FN std::uint64_t size() const { return count; }
};

// An array, of which the compiler knows that it is one row.
struct one_row {
  std::uint64_t length;
  static constexpr std::uint64_t count = 1;

  TALLY_FN static constexpr std::int64_t begin(std::uint64_t) { return 0; }
  TALLY_FN std::uint64_t size(std::uint64_t) const { return length; }
};

// Rows of so many elements, which follow one another or begin `stride` elements apart; or whose own
// starts and lengths are in arrays. Results may go to rows of a T that is not const.
template <class T>
struct rows : row_layout {
  using element = std::remove_const_t<T>;
  T* data;
  // How many elements the array has, where that is known.
  std::uint64_t array_size = ~std::uint64_t(0);

  // What inputs made of rows have, too (row_inputs.hpp): row(r) is an input, across(r, i) one whose
  // first element is the i-th of row r, the next ones those of the rows behind, where these lie
  // side by side; for_memory(f) calls f with all rows in memory that it is made of.
  TALLY_FN row_layout const& layout() const { return *this; }
  TALLY_FN strided_input<element> row(std::uint64_t r) const {
    return {data + this->begin(r), this->step, this->size(r)};
  }
  TALLY_FN strided_input<element> across(std::uint64_t r, std::uint64_t i) const {
    return {data + std::int64_t(r) + std::int64_t(i) * this->step, 1, 1};
  }
  template <class F>
  void for_memory(F const& f) const {
    f(*this);
  }
  constexpr rows(T* from, row_layout const& all) : row_layout(all), data(from) {}
  template <class U>
  constexpr rows(T* from, rows<U> const& all)
      : row_layout(all), data(from), array_size(all.array_size) {}
  template <class U>
    requires std::is_same_v<U const, T>
  constexpr rows(rows<U> const& all) : rows(all.data, all) {}
  constexpr rows(T* from, std::uint64_t row_count, std::uint64_t row_length)
      : rows(from, row_count, row_length, std::int64_t(row_length)) {}
  template <std::integral Stride>
  constexpr rows(T* from, std::uint64_t row_count, std::uint64_t row_length, Stride row_stride,
                 std::int64_t const* row_starts = nullptr,
                 std::int64_t const* row_lengths = nullptr)
      : row_layout{.count = row_count,
                   .length = row_length,
                   .stride = std::int64_t(row_stride),
                   .starts = row_starts,
                   .lengths = row_lengths},
        data(from) {}
};

// The columns of a matrix of so many rows and columns, whose rows begin `stride` elements apart.
template <class T>
struct columns : rows<T> {
  constexpr columns(T* from, std::uint64_t row_count, std::uint64_t column_count)
      : columns(from, row_count, column_count, std::int64_t(column_count)) {}
  template <std::integral Stride>
  constexpr columns(T* from, std::uint64_t row_count, std::uint64_t column_count, Stride row_stride)
      : rows<T>(from, row_layout{.count = column_count,
                                 .length = row_count,
                                 .stride = 1,
                                 .step = std::int64_t(row_stride)}) {}
};

// The lines along an axis, counted from 0, of an array in C order: a row for each place that the
// other axes have, in their order.
//
//   tally::top_k(here, tally::along{x.data(), std::array{4ul, 5ul, 6ul}, 1}, 2)   // 24 rows of 5
template <class T>
struct along : rows<T> {
  along(T* from, std::span<std::uint64_t const> shape, std::size_t axis)
      : rows<T>(from, laid_out(shape, axis)) {}

 private:
  static row_layout laid_out(std::span<std::uint64_t const> shape, std::size_t axis) {
    if (axis >= shape.size())
      throw error("along: axis = " + std::to_string(axis) + " of an array of " +
                  std::to_string(shape.size()) + " dimensions");
    std::uint64_t outer = 1, inner = 1;
    for (std::size_t d = 0; d < axis; ++d) outer *= shape[d];
    for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
    return {.count = outer * inner,
            .length = shape[axis],
            .stride = 1,
            .step = std::int64_t(inner),
            .inner = inner,
            .outer = std::int64_t(inner * shape[axis])};
  }
};

// Segment s has the elements from offsets[s] up to offsets[s + 1], which lie where the elements do;
// none has more than `longest`. Cores throw unless the offsets ascend within the array; that those
// in a gpu's memory do is its caller's promise.
template <class T>
struct segments : rows<T> {
  template <detail::contiguous R, detail::contiguous Offsets>
  segments(R&& values, Offsets const& offsets)
      : segments(values, offsets, std::uint64_t(std::size(values))) {}
  template <detail::contiguous R, detail::contiguous Offsets>
  segments(R&& values, Offsets const& offsets, std::uint64_t longest)
      : rows<T>(detail::span_of("segments", "values", values).data(),
                laid_out(detail::span_of("segments", "offsets", offsets), longest)) {
    this->array_size = std::uint64_t(std::size(values));
  }

 private:
  static row_layout laid_out(std::span<std::int64_t const> offsets, std::uint64_t longest) {
    if (offsets.empty()) return {.count = 0, .length = 0};
    return {.count = offsets.size() - 1,
            .length = longest,
            .starts = offsets.data(),
            .lengths = offsets.data() + 1,
            .lengths_from = offsets.data()};
  }
};
template <class R, class... Others>
segments(R&&, Others const&...)
    -> segments<std::remove_pointer_t<decltype(detail::data_of(std::declval<R&>()))>>;

// A k for each row, in memory like that of the rows, and the largest that there may be: each row
// has so many places in the outputs.
struct k_of_rows {
  std::int64_t const* each;
  std::uint64_t most;
};

namespace detail {

// What calls take beside arrays and inputs: rows, and what is derived from them.
template <class T>
std::true_type derives_from_rows(rows<T> const*);
std::false_type derives_from_rows(...);
template <class R>
inline constexpr bool is_rows = decltype(derives_from_rows(static_cast<R*>(nullptr)))::value;

// What calls ask of rows; `call` is named in the error. Throws unless all that tells of them begins
// aligned to its elements.
void require_aligned(char const* call, row_layout const& all);
template <class T>
void require_rows(char const* call, char const* argument, rows<T> const& all) {
  require_aligned(call, argument, std::span(all.data, std::size_t(all.count ? 1 : 0)));
  require_aligned(call, all);
}
// Throws unless out's elements, or rows, are as many as in's.
void require_as_many(char const* call, std::uint64_t in, std::uint64_t out);
void require_as_many(char const* call, row_layout const& in, row_layout const& out);
// Throws unless rows of an array of so many elements can have these lengths, which are here.
void require_lengths(char const* call, row_layout const& all, std::uint64_t array_size);
template <class T>
void require_lengths(char const* call, rows<T> const& all) {
  require_lengths(call, all, all.array_size);
}

// Rows of elements of so many bytes, from `data` on.
struct rows_in_memory {
  row_layout rows;
  void const* data;
  std::size_t bytes;
  std::uint64_t array_size = ~std::uint64_t(0);  // as of rows<T>
};
template <class T>
rows_in_memory in_memory(rows<T> const& all) {
  return {all, all.data, sizeof(T), all.array_size};
}
template <class T>
rows_in_memory in_memory(T const* data, std::uint64_t size) {
  return {{.count = 1, .length = size}, data, sizeof(T)};
}
struct argument_in_memory {
  char const* name;
  rows_in_memory rows;
};
// Throws unless each of `out` is known to lie apart from the elements of `in`, from what tells of
// its rows, and from the others. Where starts or lengths are not `here`, all of an array that is
// known may be read, and of others they are taken to make it so. What has no data is left out.
void require_unread(char const* call, argument_in_memory const& in,
                    std::span<argument_in_memory const> out, bool here);
inline void require_unread(char const* call, argument_in_memory const& in,
                           std::initializer_list<argument_in_memory> out, bool here) {
  require_unread(call, in, std::span(out.begin(), out.size()), here);
}
// Throws if results of `out` share a place; starts and lengths that are not `here` are not looked
// at.
void require_own_places(char const* call, row_layout const& out, bool here);
// Throws unless all results, as many of each row of `out` as `in` has elements, have places of
// their own, and none where `in` has elements, or all where its own are. Of starts and lengths that
// are not `here` it takes for granted that they make it so.
void require_apart(char const* call, rows_in_memory in, rows_in_memory out, bool here);

// An element that two rows have, or one row twice, if there is one.
struct shared_element {
  std::uint64_t row, other;
  std::int64_t element;
};
std::optional<shared_element> find_shared(row_layout const& all);
// Whether the two are known to have no byte in common: for any rows whose elements lie side by
// side, and for many others.
bool known_apart(rows_in_memory const& a, rows_in_memory const& b);

// Rows in memory, or computed from such (row_inputs.hpp): what row(r) returns is an input.
template <class R>
inline constexpr bool computes_rows = false;
template <class R>
concept readable_rows = is_rows<R> || computes_rows<R>;
template <readable_rows R>
using element_of_rows = typename R::element;

template <class T>
rows<std::remove_const_t<T> const> rows_input(rows<T> const& in) {
  return in;
}
template <class R>
  requires computes_rows<R>
R rows_input(R const& in) {
  return in;
}

template <class Out>
struct results_at {
  using type = value_of<Out>;
};
template <class Out>
  requires is_rows<Out>
struct results_at<Out> {
  using type = typename Out::element;
};
template <class Out>
using results_in = typename results_at<std::remove_cvref_t<Out>>::type;

// `out` of reductions of rows: an array of a result for each, or as many rows of one.
template <class Result, readable_rows R, class Out>
rows<Result> result_of_each_row(char const* call, R const& all, Out& out, bool here) {
  auto const& in = all.layout();
  auto const to = [&]() -> rows<results_in<Out>> {
    if constexpr (is_rows<Out>) {
      return {out.data, out};
    } else {
      auto const all = span_of(call, "out", out);
      return {all.data(), all.size(), 1};
    }
  }();
  using given = results_in<Out>;
  static_assert(is_one_of<Result, given, counts_as<given>>,
                "reduce_into: out is not an array of the result's type, or rows of it");
  if (to.count != in.count || (to.length != 1 && to.count > 0))
    throw error(std::string(call) + ": out has " + std::to_string(to.count) + " rows of " +
                std::to_string(to.length) + " elements, not " + std::to_string(in.count) +
                " of one");
  require_rows(call, "out", to);
  require_own_places(call, to, here);
  all.for_memory([&](auto const& x) {
    require_unread(call, {"in", in_memory(x)}, {{"out", in_memory(to)}}, here);
  });
  return {reinterpret_cast<Result*>(to.data), to};
}
// Throws unless elements can be read where they are said to be, by cores if `here`.
template <readable_rows R>
void require_readable(char const* call, R const& in, bool here) {
  in.for_memory([&](auto const& all) {
    require_rows(call, "in", all);
    if (here) require_lengths(call, all);
  });
}
// Whether some elements of a row do not lie side by side.
template <readable_rows R>
bool is_apart(R const& in) {
  bool found = false;
  in.for_memory([&](auto const& all) { found = found || all.is_apart(); });
  return found;
}

}  // namespace detail
}  // namespace tally
