// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute several aggregates in one read: the form (plain.cuh) of all_together() and
// describe{}. Those of sums and squares have their totals in common.
#pragma once

#include "tally/aggregate/all_together.hpp"
#include "tally/device/agent/joint_moments.cuh"
#include "tally/device/agent/sum.cuh"

namespace tally::device {

// Some of a list of results, for a form that fills several.
template <class Results, std::size_t... At>
struct chosen {
  Results* all;
  template <std::size_t k>
  __device__ auto* at() const {
    constexpr std::size_t i[] = {At...};
    return &get<i[k]>(*all);
  }
};

// A form, and which of the results it gives.
template <class Form, std::size_t... At>
struct part {
  Form form;

  template <class Results>
  __device__ bool finish(typename Form::accumulator const& acc, typename Form::shared& s,
                         std::uint64_t n, Results* out) const {
    if constexpr (sizeof...(At) == 1)
      return form.finish(acc, s, n, &get<At...>(*out));
    else
      return form.finish(acc, s, n, chosen<Results, At...>{out});
  }
};

// Parts one after the other.
template <class... Parts>
struct chain;

template <>
struct chain<> {
  static constexpr int threads = 512, blocks_a_multiprocessor = 2;
  static constexpr int words = 0, sums = 0, dynamic_bytes = 0;
  struct shared {};
  struct accumulator {};

  __device__ void start(accumulator&, shared&) const {}
  template <class Batch, class Index>
  __device__ void add(accumulator&, shared&, Batch const&, unsigned, Index) const {}
  template <class T>
  __device__ void add(accumulator&, shared&, T const&, std::uint64_t) const {}
  __device__ void close(accumulator&, shared&) const {}
  __device__ void publish(accumulator const&, shared&, channel const&) const {}
  __device__ void collect(accumulator&, shared&, channel const&, int) const {}
  template <class Results>
  __device__ bool finish(accumulator const&, shared&, std::uint64_t, Results*) const {
    return true;
  }
};

template <class Form, std::size_t... At, class... Parts>
struct chain<part<Form, At...>, Parts...> {
  using after = chain<Parts...>;
  static constexpr int threads = Form::threads < after::threads ? Form::threads : after::threads;
  static constexpr int blocks_a_multiprocessor =
      Form::blocks_a_multiprocessor < after::blocks_a_multiprocessor
          ? Form::blocks_a_multiprocessor
          : after::blocks_a_multiprocessor;
  static constexpr int words = Form::words + after::words, sums = Form::sums + after::sums;
  // A form's is behind that of those after it.
  static constexpr int dynamic_bytes = Form::dynamic_bytes + after::dynamic_bytes;
  struct shared {
    typename Form::shared first;
    typename after::shared rest;
  };
  struct accumulator {
    typename Form::accumulator first;
    typename after::accumulator rest;
  };

  part<Form, At...> first;
  after rest;

  __device__ void start(accumulator& acc, shared& s) const {
    first.form.start(acc.first, s.first);
    rest.start(acc.rest, s.rest);
  }
  template <class Batch, class Index>
  __device__ void add(accumulator& acc, shared& s, Batch const& x, unsigned live,
                      Index index) const {
    rest.add(acc.rest, s.rest, x, live, index);
    Batch own = x;  // which the form may change
    first.form.add(acc.first, s.first, own, live, index);
  }
  template <class T>
  __device__ void add(accumulator& acc, shared& s, T const& x, std::uint64_t index) const {
    first.form.add(acc.first, s.first, x, index);
    rest.add(acc.rest, s.rest, x, index);
  }
  __device__ void close(accumulator& acc, shared& s) const {
    first.form.close(acc.first, s.first);
    rest.close(acc.rest, s.rest);
  }
  __device__ void publish(accumulator const& acc, shared& s, channel const& to) const {
    first.form.publish(acc.first, s.first, to);
    rest.publish(acc.rest, s.rest, behind_first(to, int(gridDim.x) - 1));
  }
  __device__ void collect(accumulator& acc, shared& s, channel const& from, int blocks) const {
    first.form.collect(acc.first, s.first, from, blocks);
    rest.collect(acc.rest, s.rest, behind_first(from, blocks), blocks);
  }
  template <class Results>
  __device__ bool finish(accumulator const& acc, shared& s, std::uint64_t n, Results* out) const {
    bool const found = first.finish(acc.first, s.first, n, out);
    return rest.finish(acc.rest, s.rest, n, out) && found;
  }

 private:
  __device__ static channel behind_first(channel const& c, int blocks) {
    return {c.slots + blocks * Form::words, c.sums ? c.sums + Form::sums : nullptr, c.epoch};
  }
};

// A is made of the aggregates that the chain is for. A::assemble, if it has that, makes its result
// of theirs.
template <class A, class Chain>
struct together_form : Chain {
  using element = typename A::element;
  using result = typename A::result;
  using typename Chain::accumulator;
  using typename Chain::shared;

  __device__ bool finish(accumulator const& acc, shared& s, std::uint64_t n, result* out) const {
    if constexpr (requires { typename A::pieces; }) {
      using pieces_type = typename A::pieces;
      alignas(pieces_type) __shared__ unsigned char memory[sizeof(pieces_type)];
      auto* const pieces = reinterpret_cast<pieces_type*>(memory);  // no constructor runs
      bool const found = Chain::finish(acc, s, n, pieces);
      __syncthreads();
      if (threadIdx.x == 0) *out = A::assemble(*pieces);
      return found;
    } else {
      return Chain::finish(acc, s, n, out);
    }
  }
};

// The list that bind_all() made pairs of.
template <class A>
auto list_of(A const& last) {
  return results<A>{last};
}
template <class A, class B>
auto list_of(detail::both<A, B> const& pair) {
  return [&]<class... Rest>(results<Rest...> const& rest) {
    return results<A, Rest...>{pair.first, rest};
  }(list_of(pair.second));
}
template <class A, class B>
detail::both<A, B> const& pair_of(detail::both<A, B> const& pair) {
  return pair;
}

// The chain for the aggregates Ops.
template <class... Ops>
class chain_maker {
  using list = results<Ops...>;
  template <std::size_t i>
  using op = std::tuple_element_t<i, list>;
  static constexpr std::size_t count = sizeof...(Ops);
  static constexpr bool joins = (is_from_moments<Ops> + ...) > 1 &&
                                ((is_moment<Ops> || floating<typename Ops::element>) || ...);
  static constexpr bool squares = (has_squares<Ops> || ...);

  list const& ops_;
  bool skips_nan_;

  template <std::size_t i>
  static constexpr bool joined() {
    if constexpr (i < count)
      return joins && is_from_moments<op<i>>;
    else
      return false;
  }
  template <class First, class... Rest>
  static chain<First, Rest...> join(First const& first, chain<Rest...> const& rest) {
    return {first, rest};
  }

  // The joined ones from i on, the first of all having been found.
  template <std::size_t i, std::size_t... before>
  auto joint() const {
    if constexpr (i < count) {
      if constexpr (joined<i>())
        return joint<i + 1, before..., i>();
      else
        return joint<i + 1, before...>();
    } else {
      using form = joint_moments_form<squares, op<before>...>;
      joint_moments<squares, op<before>...> a;
      ((get<nth<before, before...>()>(a.all) = get<before>(ops_)), ...);
      return part<form, before...>{form{{skips_nan_, a}}};
    }
  }
  // Which of `all` is `i`.
  template <std::size_t i, std::size_t... all>
  static constexpr std::size_t nth() {
    std::size_t at = 0;
    for (std::size_t const each : {all...}) {
      if (each == i) break;
      ++at;
    }
    return at;
  }
  // Others are being added up while an addition of one is under way.
  template <class Form>
  static Form slender(Form const& form) {
    return form;
  }
  template <class A, int chains>
  static plain_form<A, 1> slender(plain_form<A, chains> const& form) {
    return {form.skips_nan, form.a};
  }
  // And its dynamic shared memory is behind so many bytes of theirs: in fewer columns where not all
  // have room otherwise.
  template <int Bytes, class Form>
  static auto behind(Form const& form) {
    if constexpr (Form::dynamic_bytes == 0 || (Bytes == 0 && columns == warp_size))
      return form;
    else
      return typename form_behind<Form, Bytes, columns>::type{form.skips_nan, form.a};
  }
  template <std::size_t i>
  static constexpr int bytes_with(int columns) {
    if constexpr (joined<i>()) {
      return 0;
    } else {
      using form = decltype(form_of(std::declval<op<i> const&>(), false));
      return int(sizeof(typename form::shared)) + form::dynamic_bytes * columns / warp_size;
    }
  }
  static constexpr int columns = []<std::size_t... i>(std::index_sequence<i...>) {
    constexpr int room = 98 << 10;  // of a block on every device from compute capability 8.0 on
    int fit = warp_size;
    while (fit > 1 && (bytes_with<i>(fit) + ...) > room) fit /= 2;
    return fit;
  }(std::make_index_sequence<count>());
  // The others, each with a form of its own.
  template <std::size_t i>
  auto apart() const {
    if constexpr (i == count) {
      return chain<>{};
    } else if constexpr (joined<i>()) {
      return apart<i + 1>();
    } else {
      auto const rest = apart<i + 1>();
      auto const form =
          behind<decltype(rest)::dynamic_bytes>(slender(form_of(get<i>(ops_), skips_nan_)));
      return join(part<std::remove_const_t<decltype(form)>, i>{form}, rest);
    }
  }

 public:
  chain_maker(list const& ops, bool skips_nan) : ops_(ops), skips_nan_(skips_nan) {}
  auto make() const {
    if constexpr (joins) {
      auto const rest = apart<0>();
      static_assert(decltype(rest)::dynamic_bytes == 0);  // all sums are joined
      return join(joint<0>(), rest);
    } else {
      return apart<0>();
    }
  }
};

template <aggregate A, class... Ops>
auto together_form_of(A const&, results<Ops...> const& ops, bool skips_nan) {
  auto const chain = chain_maker<Ops...>(ops, skips_nan).make();
  return together_form<A, std::remove_const_t<decltype(chain)>>{chain};
}

template <aggregate A>
  requires detail::is_together<A>
struct form_for<A> {
  static auto make(A const& a, bool skips_nan) {
    return together_form_of(a, list_of(pair_of(a)), skips_nan);
  }
};

}  // namespace tally::device
