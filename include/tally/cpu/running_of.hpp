// SPDX-License-Identifier: Apache-2.0
//
// What is known of a run, for one aggregate.
#pragma once

#include <type_traits>

#include "tally/aggregate/packed.hpp"
#include "tally/cpu/reduce.hpp"
#include "tally/cpu/running.hpp"

namespace tally::detail {

// Its address stands for the aggregate A.
template <class A>
inline constexpr char kind_of = 0;

// Whether all As are the same: without data of their own.
template <class A>
inline constexpr bool all_alike = std::is_empty_v<A>;

// The aggregates whose states are a part of Whole's, which Whole::part<A>(state) takes out; and all
// of elements T that have some.
template <class... As>
struct kinds {
  static bool has([[maybe_unused]] void const* kind) { return ((kind == &kind_of<As>) || ...); }
  template <class A>
  static constexpr bool names = (std::is_same_v<A, As> || ...);
};
template <class Whole>
struct within {
  using type = kinds<>;
};
template <class T>
struct wholes {
  using type = kinds<>;
};

template <aggregate A, nan_policy Nan>
class running_part_of final : public running_part<typename A::element> {
 public:
  explicit running_part_of(A const& a) : a_(a), acc_(accumulator_if_any(a)), found_(a) {}

  void add(elements<typename A::element> const& in, std::uint64_t begin, std::uint64_t end,
           std::uint64_t first) override {
    add_run<A, Nan>(a_, in, begin, end, first, acc_, found_);
  }
  partial<A> const& found() {
    if constexpr (takes_any_order<A>) acc_.flush(found_.value);
    return found_;
  }

 private:
  A a_;
  decltype(accumulator_if_any(std::declval<A const&>())) acc_;
  partial<A> found_;
};

template <aggregate A>
class running_of final : public running_state<typename A::element, typename A::state> {
 public:
  using element = typename A::element;
  running_of(A const& a, partial<A> const& known) : a_(a), known_(known) {}
  partial<A> const& found() const { return known_; }

  owner<running<element>> copy() const override { return make_owner<running_of>(*this); }
  void add(int threads, elements<element> const& in, std::uint64_t n, std::uint64_t first,
           nan_policy nan) override {
    with_standard_arithmetic(
        [&] { known_.append(a_, reduce_elements(a_, threads, in, n, first, nan)); });
  }
  void append(running<element> const& right) override {
    with_standard_arithmetic(
        [&] { known_.append(a_, static_cast<running_of const&>(right).known_); });
  }
  owner<running_part<element>> part(nan_policy nan) const override {
    return with_policy<element>(nan, [&]<nan_policy Nan>() -> owner<running_part<element>> {
      return make_owner<running_part_of<A, Nan>>(a_);
    });
  }
  void append(running_part<element>& part, nan_policy nan) override {
    with_standard_arithmetic([&] {
      with_policy<element>(nan, [&]<nan_policy Nan>() {
        known_.append(a_, static_cast<running_part_of<A, Nan>&>(part).found());
      });
    });
  }
  maybe<typename A::state> total() const override {
    maybe<typename A::state> found{};
    with_standard_arithmetic([&] { found = known_.total(a_); });
    return found;
  }

  bool any_order() const override { return takes_any_order<A>; }
  void shift(std::int64_t by) override { known_.shift(by); }
  bool covers(std::uint64_t first, std::uint64_t count) const override {
    if constexpr (takes_any_order<A>)
      return true;
    else
      return known_.covers(first, count);
  }
  void write(byte_writer& out) const override {
    if constexpr (saves)
      known_.write(out);
    else
      throw unsaved();
  }
  void read(byte_reader& in) override {
    if constexpr (saves)
      known_.read(in);
    else
      throw unsaved();
  }

  void const* kind() const override { return all_alike<A> ? &kind_of<A> : nullptr; }
  running<element> const* find(void const* kind) const override {
    bool const here = kind == this->kind() || within<A>::type::has(kind);
    return here ? this : nullptr;
  }

 private:
  static constexpr bool saves =
      requires(byte_writer& out, byte_reader& in, typename A::state const& s) {
        A::write(out, s);
        A::read(in);
      };
  static error unsaved() {
    return error(std::string(name_of<A>()) + ": the aggregate cannot write and read its states");
  }

  A a_;
  partial<A> known_;
};

// A run that knows this, compiled in the library for the aggregates of compiled_reduce.
template <class A>
owner<running<typename A::element>> compiled_run_of(A const& a, partial<A> const& known);
template <aggregate A>
owner<running<typename A::element>> run_of(A const& a, partial<A> const& known) {
  if constexpr (compiled_reduce<A>)
    return compiled_run_of(a, known);
  else
    return make_owner<running_of<A>>(a, known);
}

// The total of the aggregate P in a run that knows it: one of P, or of an aggregate that holds it.
template <class P, class Whole, class T>
bool take_part([[maybe_unused]] running<T> const& run, maybe<typename P::state>& out) {
  if constexpr (within<Whole>::type::template names<P>) {
    if (run.kind() != &kind_of<Whole>) return false;
    auto const total = static_cast<running_state<T, typename Whole::state> const&>(run).total();
    out = {Whole::template part<P>(total.value), total.present};
    return true;
  }
  return false;
}
template <class P, class T, class... Wholes>
maybe<typename P::state> total_held_by(running<T> const& run, kinds<Wholes...>) {
  maybe<typename P::state> out{};
  static_cast<void>((take_part<P, Wholes>(run, out) || ...));
  return out;
}
template <class P, class T>
maybe<typename P::state> total_of(running<T> const& run) {
  auto const* const found = run.find(&kind_of<P>);
  if (found && found->kind() != &kind_of<P>)
    return total_held_by<P>(*found, typename wholes<T>::type{});
  return static_cast<running_state<T, typename P::state> const&>(found ? *found : run).total();
}

// What the run knows for A, as bytes, and such a run again.
template <aggregate A>
void pack_run(A const& a, running<typename A::element> const& run, byte_writer& out) {
  using P = parts_type<A>;
  if constexpr (takes_any_order<P>) {
    state_partial<P> known(parts_of(a));
    known.value = total_of<P>(run).value;
    pack(a, known, out);
  } else {
    pack(a, static_cast<running_of<P> const&>(run).found(), out);
  }
}
template <aggregate A>
owner<running<typename A::element>> unpack_run(A const& a, std::uint64_t first, std::uint64_t count,
                                               byte_reader& in) {
  auto const parts = parts_of(a);
  partial<parts_type<A>> known(parts);
  unpack(a, known, first, count, in);
  return run_of(parts, known);
}

}  // namespace tally::detail
