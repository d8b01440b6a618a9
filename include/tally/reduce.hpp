// SPDX-License-Identifier: Apache-2.0
//
// Reductions: one value from all elements, the same bits for any number of threads and pieces.
#pragma once

#include <limits>

#include "tally/aggregate/bits.hpp"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/cpu/compiled.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/span.hpp"

namespace tally {

// A reduction in instalments: of an array that comes in chunks, or in parts on several machines.
//
//   tally::reduce_stream<float, tally::sum> total;
//   while (...) total.add(here, chunk);          // each chunk follows what was added before
//   total.append(rest);                          // another stream, whose elements follow
//   float s = total.result();
//
// The result is the one of a single call over the whole array, bit for bit.
template <class T, class Op>
class reduce_stream {
 public:
  using aggregate_type = decltype(detail::bind_reduce<T>(std::declval<Op const&>()));
  using result_type = typename aggregate_type::result;

  // `first` is the index of the first element to come, for aggregates that give an index and for
  // ordered ones.
  explicit reduce_stream(Op const& op = {}, reduce_options options = {}, std::uint64_t first = 0)
      : bound_(detail::bind_reduce<T>(op)),
        parts_(detail::parts_of(bound_)),
        options_(options),
        first_(first),
        part_(parts_) {}

  void add(cpu where, std::span<T const> chunk) { add(where, detail::input_of(name, "in", chunk)); }
  template <input In>
    requires std::same_as<typename In::element, T>
  void add(cpu where, In const& chunk) {
    if (chunk.size() > std::uint64_t(std::numeric_limits<std::int64_t>::max()) - first_ - count_)
      throw error(std::string(name) + ": an index of 2^63 or more, from " +
                  std::to_string(first_ + count_) + " on");
    detail::reduce_input(parts_, where, chunk, first_ + count_, options_.nan, part_);
    count_ += chunk.size();
  }

  // `right` covers other elements of the same array: an ordered aggregate's, the ones that follow;
  // any other's, any.
  void append(reduce_stream const& right) {
    bool const ordered = !detail::takes_any_order<parts>;
    if (ordered && count_ && right.count_ && right.first_ != first_ + count_)
      throw error("append: the elements on the right begin at " + std::to_string(right.first_) +
                  ", those on the left end at " + std::to_string(first_ + count_));
    detail::with_standard_arithmetic([&] { part_.append(parts_, right.part_); });
    count_ += right.count_;
  }

  // As if the first element had had the index `first`. Ordered aggregates can only be moved by
  // multiples of their largest node.
  void move_to(std::uint64_t first) {
    part_.shift(std::int64_t(first - first_));
    first_ = first;
  }

  // Throws if there was no element and the aggregate has no answer to that.
  result_type result() const {
    result_type out{};
    detail::with_standard_arithmetic([&] { out = lower(); });
    return out;
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t first() const { return first_; }
  maybe<typename aggregate_type::state> state() const {
    maybe<typename aggregate_type::state> out{};
    detail::with_standard_arithmetic([&] { out = part_.total(parts_); });
    return out;
  }

  void write(byte_writer& out) const {
    out.put(first_);
    out.put(count_);
    part_.write(out);
  }
  void read(byte_reader& in) {
    first_ = in.get<std::uint64_t>();
    count_ = in.get<std::uint64_t>();
    part_.read(in);
    if constexpr (!detail::takes_any_order<parts>)
      if (!part_.covers(first_, count_)) throw error("state: the tree nodes are of other elements");
  }

 private:
  using parts = detail::parts_type<aggregate_type>;
  static constexpr char const* name = detail::name_of<aggregate_type>();
  aggregate_type bound_;
  parts parts_;
  reduce_options options_;
  std::uint64_t first_, count_ = 0;
  detail::partial<parts> part_;

  result_type lower() const {
    auto const total = part_.total(parts_);
    if (total.present) {
      detail::require_elements(bound_, total.value);
      return bound_.lower(total.value);
    }
    if constexpr (has_identity<aggregate_type>)
      return bound_.lower(bound_.identity());
    else
      throw error(std::string(name) + ": the array is empty");
  }
};

// The elements of `in`, an array or an input (transform.hpp, zip.hpp), put together by `op`: a
// named aggregate (sum{}, mean{}, arg_minimum{}, ...), or an associative operator T(T, T), which
// need not commute. Same bits for any number of threads.
template <detail::readable_here R, class Op>
auto reduce(cpu where, R const& in, Op const& op, reduce_options options = {}) {
  reduce_stream<detail::element_of<R>, Op> stream(op, options);
  if constexpr (input<R>)
    stream.add(where, in);
  else
    stream.add(where, detail::span_of(in));
  return stream.result();
}

// The same, written to `out`.
template <detail::readable_here R, class Op, class Result>
void reduce_into(cpu where, R const& in, Result& out, Op const& op, reduce_options options = {}) {
  out = reduce(where, in, op, options);
}

}  // namespace tally
