// SPDX-License-Identifier: Apache-2.0
//
// What an aggregate is: the small type behind every reduction and scan. Algorithms know this
// concept and name no aggregate; a new aggregate is one new file.
//
//   element     what it reads                  lift(x, i)     the state of one element at index i
//   state       plain data, mergeable          combine(s, t)  the state of s's range, then t's
//   result      what it gives                  lower(s)       the only contractual rounding
//   any_order   whether regrouping and swapping operands keep the bits of a reduction (a scan only
//               regroups)
//
// Optional members:
//   identity()     neutral in bits; an any-order aggregate has one
//   empty(s)       whether s has seen no element, for aggregates that have no answer then
//   name           for error messages
//   parts          an aggregate with the same states and lifts, compiled once for several results;
//                  made by make_parts() if it is not stateless
//   parts_at_once  the same for a call that sees the whole array, if less has to be known then
//   rounds         false if it does nothing in floating point: the environment does not matter
//   require(s)     throws if s has seen too little, in place of the error that empty(s) makes
//   start(init)    the state of an initial value, for scans
//   write, read    a state to a byte_writer and from a byte_reader (serial.hpp)
//   shift(s, by)   moves the indices that s holds
//   pack, unpack   what its results need of a state, as write and read, in one form and few bytes
//   told_by        asked<Ops...>, named aggregates whose results on a GPU tell the state of the
//                  same n elements, which told(results..., n) makes of them; without it, the state
//                  itself is asked for. told_in_rows is the same of rows, where NaNs are skipped
//                  and nobody says whether an element was found
//
// What users name, sum{} say, has a name, result<T>, the type of its result for elements T, and
// on<T>(), which returns the aggregate for them; for scans, scanning<In, Out>(). One in the table
// of compiled.hpp also has a summary, half a line; and a result of several numbers has each(f),
// which calls f(name, number) with each of them, for calls with run-time types.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/error.hpp"
#include "tally/exact/float_format.hpp"
#include "tally/where.hpp"

namespace tally {

template <class A>
concept aggregate = requires(A const a, typename A::element x, std::uint64_t i, typename A::state s,
                             typename A::state t) {
  { a.lift(x, i) } -> std::same_as<typename A::state>;
  { a.combine(s, t) } -> std::same_as<typename A::state>;
  { a.lower(s) } -> std::same_as<typename A::result>;
  { A::any_order } -> std::convertible_to<bool>;
  requires std::is_trivially_copyable_v<typename A::state>;
  requires std::default_initializable<typename A::state>;
};

// Named, as sum{} is, and takes elements T.
template <class Op, class T>
concept named_aggregate = requires {
  { Op::name } -> std::convertible_to<char const*>;
  typename Op::template result<T>;
};

template <class A>
concept has_identity = requires(A const a) {
  { a.identity() } -> std::same_as<typename A::state>;
};

// A state or nothing. Absent operands pass through, which is how tails, skipped elements and
// operators without an identity need no special case.
template <class State>
struct maybe {
  State value;
  bool present;
};

template <aggregate A>
TALLY_FN maybe<typename A::state> combine(A const& a, maybe<typename A::state> const& left,
                                          maybe<typename A::state> const& right) {
  if (!left.present) return right;
  if (!right.present) return left;
  return {a.combine(left.value, right.value), true};
}

namespace detail {

template <class... Ops>
struct asked {};

template <class Operator, class T>
concept answers_identity = requires(Operator const op) {
  { op.identity() } -> std::convertible_to<T>;
};
// The operators of operators.hpp know theirs for numbers.
template <class Operator, class T>
concept holds_identity = std::is_arithmetic_v<T> && requires {
  { Operator::template identity<T> } -> std::convertible_to<T>;
};

}  // namespace detail

// What a binary operator over values of type T becomes. It must be associative; it need not
// commute. Its identity, a member function identity() or (for numbers) a constant identity<T>, must
// be neutral in bits; if it has one, that answers for the empty array.
template <class T, class Operator>
struct operation {
  using element = T;
  using state = T;
  using result = T;
  static constexpr bool any_order = false;
  static constexpr char const* name = "operator";
  Operator op;

  TALLY_FN T lift(T x, std::uint64_t) const { return x; }
  TALLY_FN T combine(T left, T right) const { return op(left, right); }
  TALLY_FN T lower(T x) const { return x; }
  TALLY_FN T identity() const
    requires(detail::answers_identity<Operator, T> || detail::holds_identity<Operator, T>)
  {
    if constexpr (detail::answers_identity<Operator, T>)
      return op.identity();
    else
      return Operator::template identity<T>;
  }
  static void write(auto& out, T x)
    requires tally::element<T>
  {
    out.put(x);
  }
  static T read(auto& in)
    requires tally::element<T>
  {
    return in.template get<T>();
  }
};

namespace detail {

// Gives an aggregate that is named as(): the same with results of another type.
template <template <class> class Family>
struct rounded_to_any {
  template <class Other>
  constexpr Family<Other> as() const {
    return {};
  }
};

// What a lambda takes that is for the device alone, only nvcc's compilation for the device can see.
template <class Op>
inline constexpr bool is_device_lambda =
#ifdef __CUDACC_EXTENDED_LAMBDA__
    __nv_is_extended_device_lambda_closure_type(Op);
#else
    false;
#endif

// Does not compile if Op, which is no aggregate that takes such elements, is no operator on T.
template <class Op, class Element, class T>
constexpr void require_operator() {
  constexpr bool is = is_device_lambda<Op> || std::is_invocable_r_v<T, Op const&, T, T>;
  if constexpr (!is && requires { Op::name; }) {
    if constexpr (!std::is_class_v<Element> && !element<Element>)
      require_element<Element>();
    else if constexpr (!std::is_class_v<T> && !element<T>)
      require_element<T>();
    else
      static_assert(is,
                    "this aggregate does not take such elements, or does not scan: dot takes "
                    "pairs (tally::zip), bit_and, bit_or and bit_xor integers");
  } else {
    static_assert(is, "neither a tally aggregate nor an operator T(T, T) on the element type");
  }
}

// A named aggregate such as sum{} (which gives its own type for an element type), a complete
// aggregate of the user's, or an operator.
template <class T, class Op>
auto bind_reduce(Op const& op) {
  if constexpr (requires { op.template on<T>(); })
    return op.template on<T>();
  else if constexpr (aggregate<Op>)
    return op;
  else {
    require_operator<Op, T, T>();
    return operation<T, Op>{op};
  }
}

template <class In, class Out, class Op>
auto bind_scan(Op const& op) {
  if constexpr (requires { op.template scanning<In, Out>(); })
    return op.template scanning<In, Out>();
  else if constexpr (aggregate<Op>)
    return op;
  else {
    require_operator<Op, In, Out>();
    return operation<Out, Op>{op};
  }
}

// The aggregate whose compiled code serves `a`.
template <aggregate A>
auto parts_of(A const& a) {
  if constexpr (requires { a.make_parts(); })
    return a.make_parts();
  else if constexpr (requires { typename A::parts; })
    return typename A::parts{};
  else
    return a;
}
template <aggregate A>
using parts_type = decltype(parts_of(std::declval<A const&>()));

// The same, where nothing is merged with the state later.
template <aggregate A>
auto parts_at_once(A const& a) {
  if constexpr (requires { typename A::parts_at_once; })
    return typename A::parts_at_once{};
  else
    return parts_of(a);
}

template <class A>
constexpr char const* name_of() {
  if constexpr (requires { A::name; })
    return A::name;
  else
    return "reduce";
}

inline error empty_array(char const* name) {
  return error(std::string(name) + ": the array is empty");
}

// What a call does where there are no elements, and the aggregate has no answer to that: it throws
// of an array, but has something for each of many rows (extrema the ends of their type, positions
// -1, moments NaN, operators a default value).
enum class if_empty : bool { throws, has_a_result };

// Throws if `s` has seen nothing and the aggregate has no answer to that.
template <aggregate A>
void require_elements(A const& a, typename A::state const& s) {
  if constexpr (requires { a.require(s); })
    a.require(s);
  else if constexpr (requires { a.empty(s); })
    if (a.empty(s)) throw empty_array(name_of<A>());
}

}  // namespace detail

}  // namespace tally
