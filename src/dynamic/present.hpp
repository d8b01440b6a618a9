// SPDX-License-Identifier: Apache-2.0
//
// Rows of which elements are missing (validity.hpp), as rows that a call can read: copies with NaNs
// in their place, or segments of what is there. A call then works as on any others, at the price of
// the copy: of room for all elements, and two more passes through memory.
#pragma once

#include <array>
#include <string>

#include "ndarray.hpp"
#include "tally/gpu/each_index.hpp"
#include "tally/scan.hpp"

namespace tally::detail {

template <class Step>
void for_each_index(cpu where, std::uint64_t count, Step const& step) {
  constexpr std::uint64_t at_once = 1 << 12;
  parallel_for(thread_count(where), std::size_t((count + at_once - 1) / at_once),
               [&](std::size_t i) {
                 std::uint64_t const end = std::min(count, (i + 1) * at_once);
                 for (std::uint64_t k = i * at_once; k < end; ++k) step(k);
               });
}
template <class Step>
void for_each_index(gpu& where, std::uint64_t count, Step const& step) {
  entered_gpu const there(where.context());
  for_each_index_by_gpu(*there, count, step);
}

// Calls f(Bits{}) with the integer of as many bytes as an element has.
template <class F>
void visit_bits(dtype type, F const& f) {
  auto const bytes = size_of(type);
  bytes == 1   ? f(std::uint8_t{})
  : bytes == 2 ? f(std::uint16_t{})
  : bytes == 4 ? f(std::uint32_t{})
               : f(std::uint64_t{});
}
// NaN's bits in a floating-point type.
std::uint64_t nan_bits(dtype type);

template <class Where>
using room_of_call = decltype(room_for(std::declval<Where&>(), 0));

// Rows in one stretch of memory, with the validity of its elements: where they lie, or copied side
// by side. Of two inputs, an element is there if both have it.
template <class Where>
class stretch_of_rows {
 public:
  // Throws where it is not known how long an array is.
  stretch_of_rows(Where& where, any_rows const& in, any_rows const* second = nullptr);

  // The stretch's first element, and its type.
  dtype type(std::size_t operand) const { return types_[operand]; }
  void const* data(std::size_t operand) const { return data_[operand]; }
  validity valid(std::size_t operand) const { return valid_[operand]; }
  rows_in_line const& line() const { return line_; }
  // The same rows of a copy of the stretch.
  any_rows rows_at(std::size_t operand, void const* copy) const;

 private:
  rows_in_line line_;
  std::array<dtype, 2> types_;
  std::array<void const*, 2> data_ = {};
  std::array<validity, 2> valid_ = {};
  std::array<room_of_call<Where>, 2> elements_;
  room_of_call<Where> bits_;

  void copy(Where& where, any_rows const& in, any_rows const* second);
};

// Copies with `instead` for what is missing. They are there as long as this is.
template <class Where>
class filled_rows {
 public:
  filled_rows(Where& where, any_rows const& in, std::uint64_t instead);
  any_rows rows() const { return memory_.rows_at(0, memory_of(copy_)); }

 private:
  stretch_of_rows<Where> memory_;
  room_of_call<Where> copy_;
};

// The elements that are there, as segments.
template <class Where>
class packed_rows {
 public:
  // `positions`: unpack() will be asked for.
  packed_rows(Where& where, any_rows const& in, any_rows const* second, bool positions);

  any_rows rows(std::size_t operand) const;
  // Whether nothing was missing. Waits for a gpu's stream.
  bool are_all() const;
  // Positions that a call found in rows() become those in the rows.
  void unpack(row_numbers const& positions) const;
  void tell(row_numbers const& numbers, missing_told what, dtype type) const;

 private:
  Where& where_;
  stretch_of_rows<Where> memory_;
  std::uint64_t words_;
  room_of_call<Where> counts_;  // words, then how many are before each
  room_of_call<Where> ends_;    // of segments: starts, then ends, and how many are missing
  room_of_call<Where> places_;
  std::array<room_of_call<Where>, 2> packed_;

  std::uint64_t size() const { return memory_.line().size; }
  std::uint64_t count() const { return memory_.line().rows.count; }
  std::int64_t* before() const { return numbers_in(counts_) + words_; }
  std::int64_t* starts() const { return numbers_in(ends_); }
  std::int64_t* ends() const { return starts() + count(); }
  std::int64_t* missing() const { return ends() + count(); }
  present_elements present() const {
    return {reinterpret_cast<std::uint64_t const*>(numbers_in(counts_)), before()};
  }
  static std::int64_t* numbers_in(room_of_call<Where> const& room) {
    return reinterpret_cast<std::int64_t*>(memory_of(room));
  }
  void count_words(bool two);
};

// Throws unless there are such rows where cores, or a gpu, read them.
void require_rows_at(char const* call, any_rows const& in, bool here);
// Whether it is cores that read.
template <class Where>
inline constexpr bool is_here = std::is_same_v<std::remove_cvref_t<Where>, cpu>;

// Whether a call on integers has to leave out what is missing.
inline bool may_miss(any_rows const& in, any_rows const* second = nullptr) {
  return in.valid || (second && second->valid);
}
// That a result of integers cannot be missing.
error no_missing_result(char const* call, std::string const& what);

// f for run_where(), of a place that is no constant.
template <class F>
auto in_place(F f) {
  return [f](auto&& there) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(there)>, cpu>) {
      cpu here = there;
      f(here);
    } else {
      f(there);
    }
  };
}
template <class F>
void run_where_they_lie(any_where where, any_rows const& in, F const& f) {
  run_where(where, {in.data, nullptr, in.layout.count}, in_place(f));
}

// Calls select(where, rows) with copies or segments of such rows, from which `out` lies apart. Of
// the positions that it finds, `each` a row, become those in the rows.
template <class F>
void select_present(char const* call, any_where where, any_rows const& in,
                    std::initializer_list<argument_in_memory> out, std::uint64_t each,
                    nan_policy nan, std::span<std::int64_t> positions, F const& select) {
  run_where_they_lie(where, in, [&]<class Where>(Where& there) {
    require_unread(call, {"in", in_memory(in)}, out, std::is_same_v<Where, cpu>);
    require_rows_at(call, in, is_here<Where>);
    if (is_floating(in.type)) {
      filled_rows<Where> const filled(there, in, nan_bits(in.type));
      select(any_where(there), filled.rows());
      return;
    }
    packed_rows<Where> const packed(there, in, nullptr, true);
    if (nan == propagate && !packed.are_all())
      throw no_missing_result(call, "a value that is an integer");
    select(any_where(there), packed.rows(0));
    row_layout const places{.count = in.layout.count, .length = 1, .stride = std::int64_t(each)};
    packed.unpack(
        {reinterpret_cast<std::byte*>(positions.data()), places, sizeof(std::int64_t), each});
  });
}

}  // namespace tally::detail
