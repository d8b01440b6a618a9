// SPDX-License-Identifier: Apache-2.0
//
// The calls with run-time types: an array is an element type, an address and a size; an aggregate
// is a name and options; results are values. What there is is the table of compiled.hpp. The bits
// are those of the calls with types.
//
//   auto const variance = tally::any_aggregate("variance", {.ddof = 1}).on(tally::dtype::float32);
//   tally::any_array const x{tally::dtype::float32, data, size};
//   double v = tally::reduce(here, x, variance).value().as<float>();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tally/cpu/quantiles.hpp"
#include "tally/dtype.hpp"
#include "tally/error.hpp"
#include "tally/serial.hpp"
#include "tally/span.hpp"
#include "tally/where.hpp"
#include "tally/wide_integer.hpp"

namespace tally {

// Elements in memory that somebody else owns; a bool is a byte.
struct any_array {
  dtype type;
  void const* data;
  std::uint64_t size;

  any_array(dtype of, void const* at, std::uint64_t count) : type(of), data(at), size(count) {}
  template <detail::contiguous R>
    requires element<counts_as<detail::value_of<R>>>
  explicit any_array(R const& r) : any_array(detail::span_of("any_array", "r", r)) {}
  template <class T>
    requires element<counts_as<std::remove_const_t<T>>>
  explicit any_array(std::span<T> x)
      : any_array(dtype_of<counts_as<std::remove_const_t<T>>>, x.data(), x.size()) {}
};

// Room for elements.
struct any_output {
  dtype type;
  void* data;
  std::uint64_t size;
};

namespace detail {

template <class T>
std::span<T const> elements_of(any_array const& x) {
  return {static_cast<T const*>(x.data), std::size_t(x.size)};
}
template <class T>
std::span<T> room_of(any_output const& x) {
  return {static_cast<T*>(x.data), std::size_t(x.size)};
}
// Throws unless the types are the same.
void require_type(std::string_view call, char const* argument, dtype given, dtype wanted);

}  // namespace detail

// One value; the low bits are its.
struct any_number {
  dtype type;
  std::uint64_t bits;

  any_number() = default;
  any_number(dtype of, std::uint64_t its_bits) : type(of), bits(its_bits) {}
  template <element T>
  explicit any_number(T x) : type(dtype_of<T>), bits(to_bits(x)) {}
  // The one that lies there, at any address.
  static any_number at(dtype type, void const* memory);
  // Writes it there.
  void store(void* memory) const;

  // Throws where it is of another type than T.
  template <element T>
  T as() const {
    if (type != dtype_of<T>)
      throw error("any_number: a " + std::string(name(type)) + ", not a " +
                  std::string(name(dtype_of<T>)));
    return from_bits<T>(bits_of<T>(bits));
  }
  bool operator==(any_number const&) const = default;
};

struct named_number {
  char const* name;  // "value" where there is one
  any_number value;
};

// Where one of a result's numbers lies in it, in bytes.
struct number_place {
  char const* name;
  dtype type;
  std::size_t offset;
};

// What an aggregate gives: mostly one number.
class any_result {
 public:
  static constexpr std::size_t most = 12;

  std::size_t size() const { return size_; }
  named_number const* begin() const { return numbers_.data(); }
  named_number const* end() const { return begin() + size_; }
  // The one of that name; throws where there is none.
  any_number const& operator[](std::string_view name) const;
  // The only one; throws where there are several.
  any_number const& value() const;

  // What a wide aggregate gives; the value is that modulo 2^64.
  std::optional<wide_integer> const& wide() const { return wide_; }

  void add(char const* name, any_number value) { numbers_[size_++] = {name, value}; }
  void set_wide(wide_integer const& value) { wide_ = value; }

 private:
  std::size_t size_ = 0;
  std::optional<wide_integer> wide_;
  std::array<named_number, most> numbers_;  // those from size_ on have no value
};

// Of an aggregate in the table.
struct aggregate_info {
  std::string_view name;
  std::string_view summary;
  bool of_pairs;  // reads two arrays of one type
  bool takes_ddof;
  std::vector<dtype> elements;  // what it can be of
};

// All that have a name at run time, in the table's order. States are not numbers: those are left
// out whose results are.
std::span<aggregate_info const> aggregates();

struct aggregate_options {
  std::uint64_t ddof = 0;
  std::optional<dtype> as = {};  // the result's type; without one, that of the call with types
  bool wide = false;  // the exact integer: sum, sum_of_squares and dot of integers have one
};

namespace detail {
struct aggregate_entry;
}  // namespace detail

// An aggregate of elements of one type: made once, for many calls.
class bound_aggregate {
 public:
  aggregate_info const& info() const;
  dtype elements() const;
  aggregate_options const& options() const { return options_; }
  // What its results are called, and their types; the values are 0.
  any_result results() const;
  // How a result lies in memory where calls write it there (dynamic_rows.hpp): its numbers are
  // aligned to their sizes, of which result_bytes() is a multiple. A wide one is none of these.
  std::size_t result_bytes() const;
  std::span<number_place const> numbers() const;
  // Whether a GPU can run it.
  bool has_kernel() const;
  // Whether it has an answer where there is no element.
  bool answers_nothing() const;
  // Whether elements in any order have the same result, bit for bit.
  bool any_order() const;

 private:
  friend class any_aggregate;
  friend class any_reducer;
  friend detail::aggregate_entry const& entry_of(bound_aggregate const& op) { return *op.entry_; }
  bound_aggregate(detail::aggregate_entry const* entry, aggregate_options const& options)
      : entry_(entry), options_(options) {}

  detail::aggregate_entry const* entry_;
  aggregate_options options_;
};

class any_aggregate {
 public:
  // Throws where there is none of that name, and for options that it does not take.
  any_aggregate(std::string_view name, aggregate_options options = {});

  aggregate_info const& info() const;
  aggregate_options const& options() const { return options_; }
  // What `as` may be for such elements; nothing where results are several numbers.
  std::vector<dtype> result_types(dtype elements) const;
  // Throws where it does not take such elements, or has no result of type `as`.
  bound_aggregate on(dtype elements) const;

 private:
  std::size_t index_;
  aggregate_options options_;
};

// Where a call runs: a cpu, or the gpu or automatic of the caller, for as long as the call takes.
class any_where {
 public:
  any_where(cpu where) : cpu_(where) {}
  any_where(gpu& where) : gpu_(&where) {}
  any_where(gpu&& where) : gpu_(&where) {}
  any_where(automatic const& where) : automatic_(&where) {}

  // What f(where) returns.
  template <class F>
  auto visit(F&& f) const {
    return gpu_ ? f(*gpu_) : automatic_ ? f(*automatic_) : f(cpu_);
  }

 private:
  cpu cpu_;
  gpu* gpu_ = nullptr;
  automatic const* automatic_ = nullptr;
};

// As in reduce.hpp. An array of another type than the aggregate's is an error. On a gpu, so is an
// aggregate without a kernel.
any_result reduce(any_where where, any_array const& in, bound_aggregate const& op,
                  reduce_options options = {});
// Of the pairs of a and b.
any_result reduce(any_where where, any_array const& a, any_array const& b,
                  bound_aggregate const& op, reduce_options options = {});

// With the aggregate looked up in every call.
inline any_result reduce(any_where where, any_array const& in, any_aggregate const& op,
                         reduce_options options = {}) {
  return reduce(where, in, op.on(in.type), options);
}
inline any_result reduce(any_where where, any_array const& a, any_array const& b,
                         any_aggregate const& op, reduce_options options = {}) {
  return reduce(where, a, b, op.on(a.type), options);
}

// How many elements are NaN.
std::uint64_t count_nan(any_where where, any_array const& in);

// A reduction in instalments, as a reducer is. On a gpu add() waits for the stream.
class any_reducer {
 public:
  explicit any_reducer(bound_aggregate const& op, reduce_options options = {},
                       std::uint64_t first = 0);
  any_reducer(any_reducer const& other);
  any_reducer(any_reducer&&) noexcept;
  any_reducer& operator=(any_reducer other) noexcept;
  ~any_reducer();

  // Integers may be missing, for cores, those at these indices of the chunk, ascending: as a NaN
  // that is skipped they have an index, and count.
  void add(any_where where, any_array const& chunk, std::span<std::size_t const> missing = {});
  void add(any_where where, any_array const& a, any_array const& b,
           std::span<std::size_t const> missing = {});
  // `right` is of the same aggregate and options.
  void append(any_reducer const& right);
  void move_to(std::uint64_t first);

  any_result result() const;
  // What another aggregate of the same elements makes of what is known here: arg_minimum, say, of
  // what a minimum knows. Throws where that is not enough.
  any_result result(bound_aggregate const& other) const;
  // Whether there is a result: some aggregates need an element.
  bool has_result() const;

  std::uint64_t count() const;
  std::uint64_t first() const;
  bool is_ordered() const;
  // How many of the elements were NaN or missing. Most aggregates know, for others add() counts;
  // of pairs only cores do.
  std::uint64_t nan_count() const;
  // The index of the first that is missing.
  std::optional<std::uint64_t> first_missing() const;

  void write(byte_writer& out) const;
  void read(byte_reader& in);

  struct state;

 private:
  bound_aggregate op_;
  reduce_options options_;
  std::unique_ptr<state> state_;
};

struct any_scan_options {
  std::optional<any_number> init = {};  // of the output's type
  bool reverse = false;
  any_number* total = nullptr;
  nan_policy nan = propagate;
};

// Whether there is a scan of such elements to results of that type, and whether a GPU can run it.
bool can_scan(any_aggregate const& op, dtype in, dtype out);
bool can_scan_on_gpu(any_aggregate const& op, dtype in, dtype out);

// As in scan.hpp. On a gpu, a scan without a kernel is an error, and the total is not in its memory
// but here: a call that is asked for one waits for the stream.
void inclusive_scan(any_where where, any_array const& in, any_output const& out,
                    any_aggregate const& op, any_scan_options const& options = {});
void exclusive_scan(any_where where, any_array const& in, any_output const& out,
                    any_aggregate const& op, any_scan_options const& options = {});

// A scan in instalments, as a scanner is. On a gpu a call waits for the stream.
class any_scanner {
 public:
  any_scanner(any_aggregate const& op, dtype in, dtype out, any_scan_options const& options = {},
              std::uint64_t first = 0);
  any_scanner(any_scanner&&) noexcept;
  any_scanner& operator=(any_scanner&&) noexcept;
  ~any_scanner();

  void inclusive(any_where where, any_array const& in, any_output const& out);
  void exclusive(any_where where, any_array const& in, any_output const& out);
  // Elements that follow, whose results are not asked for.
  void skip(cpu where, any_array const& in);
  any_number total() const;

  // What a scanner of the same aggregate and types goes on with, here or elsewhere, as bytes
  // (scan_carry.hpp).
  std::vector<std::byte> carry() const;
  void resume(std::span<std::byte const> carry);
  // The carry of one without init that has seen the elements that follow here: they need not be
  // seen again.
  void append(std::span<std::byte const> carry);

  struct state;

 private:
  void scan(any_where where, any_array const& in, any_output const& out, bool exclusive);

  dtype in_, out_;
  std::unique_ptr<state> state_;
};

// The k best and where they are.
struct any_top_k_result {
  any_array values;
  std::span<std::int64_t const> indices;
  std::shared_ptr<void const> memory;  // where both are
};

// As in top_k.hpp. A gpu reads an array in its memory; top_k_into is asynchronous there, and all
// that it writes is in its memory, too.
any_top_k_result top_k(any_where where, any_array const& in, std::uint64_t k,
                       top_k_options options = {});
std::uint64_t top_k_into(cpu where, any_array const& in, std::uint64_t k, any_output const& values,
                         std::span<std::int64_t> indices, top_k_options options = {});
void top_k_into(any_where where, any_array const& in, std::uint64_t k, any_output const& values,
                std::span<std::int64_t> indices, std::uint64_t* count, top_k_options options = {});

// A top-k in instalments, as a selector is.
class any_selector {
 public:
  any_selector(dtype elements, std::uint64_t k, top_k_options options = {},
               std::uint64_t first = 0);
  any_selector(any_selector&&) noexcept;
  any_selector& operator=(any_selector&&) noexcept;
  ~any_selector();

  dtype elements() const { return type_; }
  void add(any_where where, any_array const& chunk);
  void append(any_selector&& right);
  std::uint64_t count() const;
  any_top_k_result result() &&;

  // What it knows, as bytes (top_k_state.hpp), and a selector of such elements that goes on behind
  // that.
  std::vector<std::byte> serialise();
  static any_selector deserialise(dtype elements, std::span<std::byte const> bytes);

  struct state;

 private:
  any_selector(dtype elements, std::unique_ptr<state> known);

  dtype type_;
  std::unique_ptr<state> state_;
};

// The k-th value, and where it is; as in quantile.hpp.
struct any_kth_value {
  any_number value;
  std::int64_t index;
};
any_kth_value kth_value(any_where where, any_array const& in, std::uint64_t k,
                        kth_value_options options = {});

// What quantiles are: elements, or of integers that the method does not choose, doubles.
inline dtype quantile_type(dtype elements, interpolation method) {
  return is_floating(elements) || chooses_an_element(method) ? elements : dtype::float64;
}
// A quantile for each of `qs`, of that type.
std::vector<any_number> quantile(any_where where, any_array const& in, detail::quantile_places qs,
                                 quantile_options options = {});

}  // namespace tally
