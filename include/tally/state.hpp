// SPDX-License-Identifier: Apache-2.0
//
// What reductions know of some elements, to be put together with what is known of others, wherever
// they are: state, and reducer, which adds to one.
#pragma once

#include <concepts>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tally/aggregate/packed.hpp"
#include "tally/cpu/reductions.hpp"
#include "tally/cpu/rows.hpp"
#include "tally/known_elements.hpp"
#include "tally/reduce.hpp"
#include "tally/rows.hpp"
#include "tally/saved.hpp"
#include "tally/where.hpp"

namespace tally {

// reduce(where, x, as_state{sum{}}) gives what that knows of the elements, a state, in place of the
// result. `first` is the index of the first of them, for aggregates that give an index and for
// ordered ones; of rows each begins there.
template <class Op>
struct as_state {
  Op op = {};
  std::uint64_t first = 0;
};
template <class Op>
as_state(Op) -> as_state<Op>;
template <class Op>
as_state(Op, std::uint64_t) -> as_state<Op>;

namespace detail {

// Whether calls there are on an array that ranks share out.
template <class Where>
inline constexpr bool spans_ranks = false;
template <class Where>
inline constexpr bool spans_ranks<distributed<Where>> = true;

// Whether states of Op are written as bytes; those of users' own may have no such form.
template <class Op, class T>
struct saves_states {
  using bound = decltype(bind_reduce<T>(std::declval<Op const&>()));
  static constexpr bool value = packs_states<bound> || writes_states<bound>;
};
template <class Op, class T>
  requires is_held<Op, T>
struct saves_states<Op, T> : std::true_type {};

// What is known of a run that `where` looks at, by what it is. Cores:
template <class Where>
struct states_on;
template <>
struct states_on<cpu> {
  // Calls f(where the elements lie, in).
  template <class Op, class In, class F>
  static void visit(cpu where, In const& in, F const& f) {
    if constexpr (!readable_rows<In>)
      static_assert(readable_here<In>, "reduce: cores do not see the elements of this array");
    f(where, in);
  }
  template <class Op, input In>
  static void append(cpu where, known_run<typename In::element>& run, Op const&, In const& in,
                     nan_policy nan) {
    run.known->add(thread_count(where), elements_of(in), in.size(), run.end(), nan);
  }
  // A row's elements to each state.
  template <readable_rows R, class State, class Op>
  static void append_rows(cpu where, std::vector<State>& all, Op const&, R const& in,
                          nan_policy nan) {
    require_readable("reduce", in, true);
    for_rows(where, elements_of_rows(in),
             [&](cpu with, std::uint64_t r, auto const& row, std::uint64_t size) {
               all[std::size_t(r)].add_here(thread_count(with), row, size, nan);
             });
  }
};

}  // namespace detail

// What an aggregate, or an associative operator of one's own, knows of some elements of an array:
// all that its result needs. Any way to cut an array and to put the states of its parts together
// gives the bits of a single call over the whole; so do states that other machines sent as bytes.
//
//   auto s = tally::reduce(there, x, tally::as_state{tally::sum{}});         // of a GPU's array
//   s.append(tally::reduce(here, y, tally::as_state{tally::sum{}, x.size()}));
//   float both = s.result();
//   send(s.serialise());
template <class Op, class T>
class state {
  using reduction = detail::reduction_of<Op, T>;

 public:
  using result_type = typename reduction::result;

  // Of no elements, before the one with the index `first`.
  explicit state(Op const& op = {}, std::uint64_t first = 0)
      : op_(op), run_{reduction::start(op), first} {}
  state(Op const& op, detail::known_run<T> const& run) : op_(op), run_(run) {}

  // Adds the elements behind those that it knows.
  template <execution Where, detail::readable R>
    requires detail::gives<R, T>
  void add(Where&& where, R const& elements, reduce_options options = {}) {
    detail::settled_memory<detail::element_of<R>> const during;
    using calls = detail::calls_on<detail::states_on, Where>;
    decltype(auto) known = detail::as_elements<T>(reduction::name, elements);
    if constexpr (detail::spans_ranks<std::remove_cvref_t<Where>>)
      return append(calls::template all<state>(where, op_, run_.end(), known, options.nan));
    else
      calls::template visit<Op>(where, known, [&](auto& there, auto const& in) {
        auto const x = detail::input_of(reduction::name, "in", in);
        run_.require_indices(reduction::name, x.size());
        detail::calls_on<detail::states_on, decltype(there)>::append(there, run_, op_, x,
                                                                     options.nan);
        run_.count += x.size();
      });
  }
  void add_here(int threads, detail::elements<T> const& in, std::uint64_t n, nan_policy nan) {
    run_.known->add(threads, in, n, run_.end(), nan);
    run_.count += n;
  }

  // `right` knows other elements of the same array: an ordered aggregate's the ones that follow,
  // any other's any.
  void append(state const& right) { run_.append(right.run_); }
  // As if the first element had had the index `first`. Ordered aggregates can only be moved by
  // multiples of their largest node.
  void move_to(std::uint64_t first) { run_.move_to(first); }

  // Throws if there was no element and the aggregate has no answer to that.
  result_type result(detail::if_empty then = detail::if_empty::throws) const {
    return reduction::finish(op_, *run_.known, then);
  }

  std::uint64_t count() const { return run_.count; }
  std::uint64_t first() const { return run_.first; }
  // Whether only what follows can be appended.
  bool is_ordered() const { return !run_.known->any_order(); }
  detail::known_run<T> const& run() const { return run_; }

  // As bytes (saved.hpp), the same for the same elements, however they were cut: then the first
  // index and the count, of 64 bits, and what the aggregate says of itself. read() takes them in
  // place of what was known; options of the aggregate are not among them.
  void write(byte_writer& out) const {
    detail::write_head<T>(out, detail::saved::reduction, reduction::name);
    out.put(run_.first), out.put(run_.count);
    reduction::pack(op_, *run_.known, out);
  }
  void read(byte_reader& in) {
    detail::read_head<T>(in, detail::saved::reduction, reduction::name);
    auto const first = in.get<std::uint64_t>(), count = in.get<std::uint64_t>();
    detail::require_run(first, count);
    run_ = {reduction::unpack(op_, first, count, in), first, count};
  }
  std::vector<std::byte> serialise() const { return detail::bytes_of_state(*this); }
  static state deserialise(std::span<std::byte const> bytes, Op const& op = {}) {
    state s(op);
    detail::read_all_of_state(s, bytes);
    return s;
  }

 private:
  Op op_;
  detail::known_run<T> run_;
};

// Of several aggregates: a state of each. Cores read the elements once, a GPU once for each.
template <class... Ops, class T>
class state<joint<Ops...>, T> {
  using reduction = detail::reduction_of<joint<Ops...>, T>;
  using places = std::index_sequence_for<Ops...>;

 public:
  using result_type = typename reduction::result;

  explicit state(joint<Ops...> const& op = {}, std::uint64_t first = 0)
      : op_(op),
        each_(std::apply(
            [&](auto const&... one) { return std::tuple(state<Ops, T>(one, first)...); }, op.ops)) {
  }
  state(joint<Ops...> const& op, state<Ops, T> const&... each) : op_(op), each_(each...) {}

  template <execution Where, detail::readable R>
    requires detail::gives<R, T>
  void add(Where&& where, R const& elements, reduce_options options = {}) {
    detail::settled_memory<detail::element_of<R>> const during;
    using calls = detail::calls_on<detail::states_on, Where>;
    decltype(auto) known = detail::as_elements<T>(reduction::name, elements);
    if constexpr (detail::spans_ranks<std::remove_cvref_t<Where>>)
      return append(calls::template all<state>(where, op_, first() + count(), known, options.nan));
    else
      calls::template visit<joint<Ops...>>(where, known, [&](auto& there, auto const& in) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(there)>, cpu>) {
          auto const x = detail::input_of(reduction::name, "in", in);
          add_here(detail::thread_count(there), detail::elements_of(x), x.size(), options.nan);
        } else {
          for_each([&](auto& one, auto) { one.add(there, in, options); });
        }
      });
  }
  void add_here(int threads, detail::elements<T> const& in, std::uint64_t n, nan_policy nan) {
    auto const known = reduction::start(op_);
    auto const end = first() + count();
    known->add(threads, in, n, end, nan);
    for_each([&](auto& one, auto i) { one.append(part<i>(*known, end, n)); });
  }

  void append(state const& right) {
    for_each([&](auto& one, auto i) { one.append(std::get<i>(right.each_)); });
  }
  void move_to(std::uint64_t first) {
    for_each([&](auto& one, auto) { one.move_to(first); });
  }
  result_type result(detail::if_empty then = detail::if_empty::throws) const {
    return std::apply([&](auto const&... one) { return reduction::joined(one.result(then)...); },
                      each_);
  }
  std::uint64_t count() const { return std::get<0>(each_).count(); }
  std::uint64_t first() const { return std::get<0>(each_).first(); }
  bool is_ordered() const {
    return std::apply([](auto const&... one) { return (one.is_ordered() || ...); }, each_);
  }
  // The state of the i-th of them.
  template <std::size_t i>
  auto const& get() const {
    return std::get<i>(each_);
  }

  // As bytes: those of each, one after the other.
  void write(byte_writer& out) const {
    std::apply([&](auto const&... one) { (one.write(out), ...); }, each_);
  }
  void read(byte_reader& in) {
    for_each([&](auto& one, auto) { one.read(in); });
    for_each([&](auto& one, auto) {
      if (one.first() != first() || one.count() != count())
        throw error("state: its aggregates have seen different elements");
    });
  }
  std::vector<std::byte> serialise() const { return detail::bytes_of_state(*this); }
  static state deserialise(std::span<std::byte const> bytes, joint<Ops...> const& op = {}) {
    state s(op);
    detail::read_all_of_state(s, bytes);
    return s;
  }

 private:
  joint<Ops...> op_;
  std::tuple<state<Ops, T>...> each_;

  template <class F>
  void for_each(F const& f) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (f(std::get<i>(each_), std::integral_constant<std::size_t, i>{}), ...);
    }(places{});
  }
  // What the i-th of them needs of what all know of n elements that follow.
  template <std::size_t i>
  auto part(detail::running<T> const& known, std::uint64_t first, std::uint64_t n) const {
    using one = std::tuple_element_t<i, std::tuple<Ops...>>;
    using single = detail::reduction_of<one, T>;
    auto const& op = std::get<i>(op_.ops);
    if constexpr (detail::saves_states<one, T>::value) {
      byte_writer out;
      single::pack(op, reduction::at(known, i), out);
      auto const bytes = out.take();
      byte_reader in(bytes);
      return state<one, T>(op, {single::unpack(op, first, n, in), first, n});
    } else {  // nothing but such an aggregate knows what it knows
      return state<one, T>(op, {reduction::at(known, i).copy(), first, n});
    }
  }
};

namespace detail {

template <class Where, readable_rows R, class Op>
auto states_of_rows(Where& where, R const& in, as_state<Op> const& op, nan_policy nan) {
  using one = state<Op, element_of_rows<R>>;
  std::vector<one> all(std::size_t(in.layout().count), one(op.op, op.first));
  calls_on<states_on, Where>::template visit<Op>(where, in, [&](auto& there, auto const& rows) {
    calls_on<states_on, decltype(there)>::append_rows(there, all, op, rows, nan);
  });
  return all;
}

}  // namespace detail

// What `op` knows of the elements (state.hpp): a state. On a gpu the call waits for the stream.
template <execution Where, detail::readable R, class Op>
auto reduce(Where&& where, R const& in, as_state<Op> const& op, reduce_options options = {}) {
  decltype(auto) known = detail::elements_for<Op>("reduce", in);
  state<Op, detail::element_of<std::remove_cvref_t<decltype(known)>>> s(op.op, op.first);
  s.add(where, known, options);
  return s;
}

// A state of each row: a vector of them.
template <execution Where, detail::readable_rows R, class Op>
auto reduce(Where&& where, R const& in, as_state<Op> const& op, reduce_options options = {}) {
  detail::settled_memory<detail::element_of_rows<R>> const during;
  return detail::states_of_rows(where, detail::rows_for<Op>(in), op, options.nan);
}

// A reduction in instalments: of an array that comes in chunks, or in parts on several machines.
//
//   tally::reducer<float, tally::sum> total;
//   while (...) total.add(here, chunk);          // each chunk follows what was added before
//   total.append(rest);                          // another one, whose elements follow
//   float s = total.result();
//
// Each chunk may be in another memory: on a gpu add() waits for the stream. The result is the one
// of a single call over the whole array, bit for bit.
template <class T, class Op>
class reducer {
 public:
  using result_type = typename state<Op, T>::result_type;

  // `first` is the index of the first element to come, for aggregates that give an index and for
  // ordered ones.
  explicit reducer(Op const& op = {}, reduce_options options = {}, std::uint64_t first = 0)
      : state_(op, first), options_(options) {}
  // Goes on behind what a state knows.
  template <std::same_as<tally::state<Op, T>> Known>  // so that {} is the other one's
  explicit reducer(Known const& known, reduce_options options = {})
      : state_(known), options_(options) {}

  template <execution Where>
  void add(Where&& where, std::span<T const> chunk) {
    state_.add(where, chunk, options_);
  }
  template <execution Where, detail::readable R>
    requires detail::gives<R, T>
  void add(Where&& where, R const& chunk) {
    state_.add(where, chunk, options_);
  }

  // As of states.
  void append(reducer const& right) { state_.append(right.state_); }
  void append(tally::state<Op, T> const& right) { state_.append(right); }
  void move_to(std::uint64_t first) { state_.move_to(first); }
  result_type result() const { return state_.result(); }
  std::uint64_t count() const { return state_.count(); }
  std::uint64_t first() const { return state_.first(); }
  bool is_ordered() const { return state_.is_ordered(); }
  void write(byte_writer& out) const { state_.write(out); }
  void read(byte_reader& in) { state_.read(in); }

  // What it knows.
  tally::state<Op, T> const& state() const { return state_; }

 private:
  tally::state<Op, T> state_;
  reduce_options options_;
};
template <class Op, class T>
reducer(state<Op, T> const&, reduce_options = {}) -> reducer<T, Op>;

}  // namespace tally
