// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/reduce.hpp"

#include "cpu/operators.hpp"
#include "support/failure_of.hpp"
#include "support/slices.hpp"
#include "support/state_cases.hpp"

namespace {

using namespace tally;
using operators::affine, operators::leftmost, operators::then, operators::weighted;
using support::failure_of, support::slice_of;

template <class R>
std::string text_of(R const& r) {
  if constexpr (requires { r.serialise(); }) {
    std::string text;
    for (auto const b : r.serialise()) text += char(b);
    return text;
  } else {
    return support::text_of_result(r);
  }
}
template <class F>
std::string text_or_error(F const& f) {
  try {
    return text_of(f());
  } catch (error const& e) {
    return e.what();
  }
}

// What op makes of x, or of the pairs of x and y, by `where`.
template <class T, class Where, class Op>
std::string reduced(Where&& where, std::span<T const> x, std::span<T const> y, Op const& op,
                    reduce_options how) {
  return text_or_error([&] {
    if constexpr (named_aggregate<Op, T>)
      return reduce(where, x, op, how);
    else
      return reduce(where, zip(x, y), op, how);
  });
}

// A vector of bools would be no array.
template <class T>
detail::values_of<T> values(std::size_t n, bool any, unsigned seed) {
  auto const x = support::state_values<T>(n, any, seed);
  return {x.begin(), x.end()};
}
template <class T>
std::span<T const> elements(detail::values_of<T> const& x) {
  return {reinterpret_cast<T const*>(x.data()), x.size()};
}

template <class T>
void expect_values_of_one_call(int size, std::size_t n, bool any, nan_policy nan) {
  auto const x = values<T>(n, any, unsigned(n)), y = values<T>(n, any, 1);
  run_ranks(size, [&](communicator& ranks) {
    auto const a = elements<T>(x), b = elements<T>(y);
    support::for_all_aggregates<T>([&]<class Op>(Op const& op) {
      EXPECT_EQ(
          reduced<T>(distributed{ranks, cpu{2}}, slice_of(ranks, a), slice_of(ranks, b), op, {nan}),
          reduced<T>(cpu{1}, a, b, op, {nan}))
          << Op::name << " of " << n << (any ? ", any bits" : "") << " by " << size;
    });
  });
}

template <class T>
struct reductions_of_ranks : ::testing::Test {};
using all_types =
    ::testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(reductions_of_ranks, all_types);

TYPED_TEST(reductions_of_ranks, have_the_bits_of_one_call) {
  for (int const size : {1, 2, 3, 8})
    for (std::size_t const n : {0, 1, 5, 3001})
      for (bool const any : {false, true}) {
        expect_values_of_one_call<TypeParam>(size, n, any, propagate);
        if (has_nan<TypeParam>) expect_values_of_one_call<TypeParam>(size, n, any, skip);
      }
}

// Each array that a test asks for, shared out.
struct slices {
  communicator& ranks;
  static constexpr bool without_rows = true;

  distributed<cpu> where() const { return {ranks, cpu{1}}; }
  template <class T>
  std::span<T const> array(T const* x, std::size_t n) const {
    return slice_of(ranks, std::span(x, n));
  }
  template <class T>
  std::span<T const> other_array(T const* y, std::size_t n) const {
    return array(y, n);
  }
};

TEST(states_of_ranks, are_those_of_a_single_call) {
  run_ranks(3, [](communicator& ranks) {
    slices here{ranks};
    support::expect_all_states<float>(here);
    support::expect_all_states<bfloat16>(here);
    support::expect_all_states<std::int16_t>(here);
  });
}

TEST(states_of_ranks, go_on_behind_what_was_known) {
  auto const x = support::state_values<double>(900, true, 3);
  auto const op = all_together(fast_sum{}, arg_minimum{}, variance{});
  run_ranks(4, [&](communicator& ranks) {
    reducer<double, std::remove_const_t<decltype(op)>> all(op, {skip});
    for (std::size_t at = 0; at < 900; at += 300)
      all.add(distributed{ranks, cpu{}}, slice_of(ranks, std::span(x).subspan(at, 300)));
    EXPECT_EQ(all.count(), 900u);
    auto const got = all.result(), want = reduce(cpu{}, x, op, {skip});
    EXPECT_EQ(text_of(tally::get<0>(got)), text_of(tally::get<0>(want)));
    EXPECT_EQ(tally::get<1>(got), tally::get<1>(want));
    EXPECT_EQ(text_of(tally::get<2>(got)), text_of(tally::get<2>(want)));
  });
}

TEST(operators_on_ranks, keep_the_order_of_elements) {
  for (std::uint32_t const n : {1, 2, 1000}) {
    auto const x = operators::random_affine(n);
    auto const f = support::state_values<float>(n, true, n);
    auto const folded = [](float a, float b) { return 0.5f * a + b; };
    for (int const size : {1, 2, 5, 8})
      run_ranks(size, [&](communicator& ranks) {
        distributed const all{ranks, cpu{}};
        auto const own = slice_of(ranks, std::span<affine const>(x));
        EXPECT_EQ(reduce(all, own, then{}), reduce(cpu{}, x, then{}));
        auto const both = reduce(all, own, all_together(leftmost{}, then{}));
        EXPECT_EQ(tally::get<0>(both), x[0]);
        EXPECT_EQ(tally::get<1>(both), reduce(cpu{}, x, then{}));
        auto const state = reduce(all, own, as_state{then{}, 77});
        EXPECT_EQ(state.first(), 77u);
        EXPECT_EQ(state.count(), n);
        EXPECT_EQ(state.result(), reduce(cpu{}, x, as_state{then{}, 77}).result());
        EXPECT_EQ(to_bits(reduce(all, slice_of(ranks, std::span<float const>(f)), folded)),
                  to_bits(reduce(cpu{}, f, folded)));
      });
  }
}

TEST(operators_on_ranks, see_the_indices_of_the_whole_array) {
  auto const x = support::state_values<std::uint32_t>(500, true, 1);
  run_ranks(4, [&](communicator& ranks) {
    EXPECT_EQ(
        reduce(distributed{ranks, cpu{}}, slice_of(ranks, std::span(x)), weighted<std::uint32_t>{}),
        reduce(cpu{}, x, weighted<std::uint32_t>{}));
  });
}

TEST(operators_on_ranks, without_an_identity_need_an_element) {
  std::vector<affine> const none;
  run_ranks(3, [&](communicator& ranks) {
    EXPECT_EQ(failure_of([&] { reduce(distributed{ranks, cpu{}}, none, then{}); }),
              failure_of([&] { reduce(cpu{}, none, then{}); }));
  });
}

TEST(reductions_of_ranks, of_what_is_computed) {
  auto const x = support::state_values<float>(700, true, 4);
  auto const halved = [](float v) { return double(v) / 2; };
  run_ranks(5, [&](communicator& ranks) {
    cpu const cores{1};
    auto const where = best();
    auto const own = slice_of(ranks, std::span(x));
    auto const want = to_bits(reduce(cores, transform(x, halved), sum{}));
    EXPECT_EQ(to_bits(reduce(distributed{ranks, cores}, transform(own, halved), sum{})), want);
    EXPECT_EQ(to_bits(reduce(distributed{ranks, where}, transform(own, halved), sum{})), want);
    EXPECT_EQ(where.ran(), "cpu");
    EXPECT_EQ(to_bits(reduce(distributed{ranks, best()}, own, sum{}.as<double>())),
              to_bits(reduce(cores, x, sum{}.as<double>())));
    std::vector<long> const odd(std::size_t(ranks.rank()), 3);  // counts as a type of Tally's
    EXPECT_EQ(reduce(distributed{ranks, cores}, odd, sum{}), 30);
  });
}

TEST(reductions_of_ranks, are_written_to_every_rank) {
  std::vector<float> const x = {1, 2, 4};
  run_ranks(3, [&](communicator& ranks) {
    float out = 0;
    std::vector<float> one(1);
    auto const own = std::span(x).subspan(std::size_t(ranks.rank()), 1);
    reduce_into(distributed{ranks, cpu{}}, own, &out, sum{});
    reduce_into(distributed{ranks, best()}, own, one, maximum{});
    EXPECT_EQ(out, 7);
    EXPECT_EQ(one[0], 4);
  });
}

TEST(reductions_of_ranks, fail_on_all_where_one_fails) {
  std::vector<float> const x = {1, 2, 4};
  run_ranks(3, [&](communicator& ranks) {
    distributed const all{ranks, cpu{}};
    auto const as_failure = [&](std::string const& what, auto const& call) {
      auto const got = failure_of(call);
      EXPECT_EQ(got.substr(0, got.find(" 0x")), ranks.rank() == 1 ? what : "rank 1: " + what);
    };
    std::vector<float> out(ranks.rank() == 1 ? 2 : 1);
    for (int again = 0; again < 2; ++again)
      as_failure("reduce_into: out has 2 elements, not one",
                 [&] { reduce_into(all, x, out, sum{}); });
    as_failure("reduce_into: out has 2 elements, not one",
               [&] { reduce_into(all, x, out, fast_sum{}); });
    EXPECT_EQ(reduce(all, x, sum{}), 21);  // they go on
    for (auto const nan : {propagate, skip}) {
      std::vector<float> const nothing(nan == skip, quiet_nan<float>());
      EXPECT_EQ(failure_of([&] { reduce(all, nothing, minimum{}, {nan}); }),
                "minimum: the array is empty");
    }
  });
}

}  // namespace
