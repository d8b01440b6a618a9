// SPDX-License-Identifier: Apache-2.0
//
// Rows of which each rank has a slice.
#include "tally/nodes/row_results.hpp"

#include "support/failure_of.hpp"
#include "support/slices.hpp"
#include "support/state_cases.hpp"

namespace {

using namespace tally;
using support::failure_of, support::random_slices;

// Bools in a vector would be no array.
template <class T>
std::string texts_of(std::vector<T> const& all) {
  std::string text;
  for (auto const& one : all) {
    if constexpr (requires { one.serialise(); })
      for (auto const b : one.serialise()) text += char(b);
    else
      text += support::text_of_result(one);
    text += "\n";
  }
  return text;
}

// So many rows of so many elements, apart from one another; where the ranks' slices begin.
template <class T>
struct matrix {
  std::uint64_t count, length;
  detail::values_of<T> memory, other;
  std::vector<std::size_t> cuts;

  matrix(std::uint64_t rows, std::uint64_t columns, int ranks, bool any)
      : count(rows), length(columns), cuts(random_slices(columns, ranks, unsigned(rows))) {
    auto const x = support::state_values<T>(rows * (columns + 3), any, unsigned(rows)),
               y = support::state_values<T>(rows * (columns + 3), any, 7);
    memory.assign(x.begin(), x.end()), other.assign(y.begin(), y.end());
  }
  static T const* of(detail::values_of<T> const& x) { return reinterpret_cast<T const*>(x.data()); }
  rows<T const> part(detail::values_of<T> const& x, std::size_t from, std::size_t to) const {
    return {of(x) + from, count, to - from, length + 3};
  }
  rows<T const> slice(detail::values_of<T> const& x, int rank) const {
    return part(x, cuts[std::size_t(rank)], cuts[std::size_t(rank) + 1]);
  }
};

template <class T, class Where, class Op>
auto reduced(Where&& where, rows<T const> const& x, rows<T const> const& y, Op const& op,
             reduce_options how) {
  if constexpr (named_aggregate<Op, T>)
    return reduce(where, x, op, how);
  else
    return reduce(where, zip(x, y), op, how);
}

template <class T>
void expect_rows_of_one_call(int size, std::uint64_t count, std::uint64_t length, bool any,
                             nan_policy nan) {
  matrix<T> const all(count, length, size, any);
  auto const x = all.part(all.memory, 0, length), y = all.part(all.other, 0, length);
  run_ranks(size, [&](communicator& ranks) {
    auto const a = all.slice(all.memory, ranks.rank()), b = all.slice(all.other, ranks.rank());
    support::for_all_aggregates<T>([&]<class Op>(Op const& op) {
      distributed const where{ranks, cpu{1}};
      EXPECT_EQ(texts_of(reduced<T>(where, a, b, op, {nan})),
                texts_of(reduced<T>(cpu{1}, x, y, op, {nan})))
          << Op::name << " of " << count << " x " << length << (any ? ", any bits" : "") << " by "
          << size;
    });
  });
}

template <class T>
struct rows_of_ranks : ::testing::Test {};
using some_types = ::testing::Types<bool, std::int8_t, std::uint32_t, bfloat16, float, double>;
TYPED_TEST_SUITE(rows_of_ranks, some_types);

TYPED_TEST(rows_of_ranks, have_the_bits_of_one_call) {
  for (int const size : {1, 3, 8})
    for (auto const& [count, length] : {std::pair(0, 5), {1, 0}, {1, 100}, {5, 0}, {7, 65}})
      for (bool const any : {false, true})
        for (auto const nan : {propagate, skip})
          expect_rows_of_one_call<TypeParam>(size, std::uint64_t(count), std::uint64_t(length), any,
                                             nan);
}

TEST(states_of_rows_of_ranks, are_those_of_a_single_call) {
  matrix<float> const all(9, 200, 4, true);
  auto const whole = all.part(all.memory, 0, 200);
  run_ranks(4, [&](communicator& ranks) {
    auto const own = all.slice(all.memory, ranks.rank());
    distributed const where{ranks, cpu{}};
    EXPECT_EQ(texts_of(reduce(where, own, as_state{fast_sum{}, 33})),
              texts_of(reduce(cpu{}, whole, as_state{fast_sum{}, 33})));
    auto const op = as_state{all_together(sum{}, arg_maximum{})};
    EXPECT_EQ(texts_of(reduce(where, own, op, {skip})), texts_of(reduce(cpu{}, whole, op, {skip})));
  });
}

// Rows of several lengths, some of which begin elsewhere on each rank.
TEST(segments_of_ranks, have_the_bits_of_one_call) {
  int const size = 3;
  std::size_t const count = 50;
  std::mt19937_64 random(5);
  std::vector<std::vector<float>> parts(size);
  std::vector<std::vector<std::int64_t>> offsets(size, {0});
  std::vector<float> whole;
  std::vector<std::int64_t> ends{0};
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t k = 0; k < std::size_t(size); ++k) {
      for (auto const x : support::state_values<float>(random() % 30, false, unsigned(random())))
        parts[k].push_back(x), whole.push_back(x);
      offsets[k].push_back(std::int64_t(parts[k].size()));
    }
    ends.push_back(std::int64_t(whole.size()));
  }
  run_ranks(size, [&](communicator& ranks) {
    auto const rank = std::size_t(ranks.rank());
    segments const own(parts[rank], offsets[rank]), all(whole, ends);
    auto const expect = [&](auto const& op) {
      EXPECT_EQ(texts_of(reduce(distributed{ranks, cpu{}}, own, op)),
                texts_of(reduce(cpu{}, all, op)));
      EXPECT_EQ(texts_of(reduce(distributed{ranks, best()}, own, op)),
                texts_of(reduce(cpu{}, all, op)));
    };
    expect(sum{}), expect(fast_sum{}), expect(arg_minimum{}), expect(mean{});
    expect([](float a, float b) { return 0.5f * a + b; });
  });
}

// More rows than are told of at once; of a layout of groups.
TEST(rows_of_many_ranks, are_told_of_in_parts) {
  std::uint64_t const outer = 3, inner = 25000;
  std::vector<std::uint16_t> x(outer * 4 * inner);
  std::mt19937_64 random(2);
  for (auto& v : x) v = std::uint16_t(random());
  along const whole(x.data(), std::array{outer, std::uint64_t(4), inner}, 1);
  run_ranks(2, [&](communicator& ranks) {
    auto own = whole;
    own.length = ranks.rank() == 0 ? 1 : 3;
    own.data += ranks.rank() == 0 ? 0 : inner;
    distributed const where{ranks, cpu{}};
    EXPECT_EQ(reduce(where, own, sum{}), reduce(cpu{}, whole, sum{}));
    EXPECT_EQ(reduce(where, own, arg_maximum{}), reduce(cpu{}, whole, arg_maximum{}));
    auto const doubled = [](std::uint16_t v) { return 2.0f * float(v); };
    EXPECT_EQ(reduce(where, transform(own, doubled), minimum{}),
              reduce(cpu{}, transform(whole, doubled), minimum{}));
  });
}

// Where rows lie in groups on one rank, and all alike on the other.
TEST(rows_of_many_ranks, may_lie_otherwise_on_each) {
  std::uint64_t const outer = 3, inner = 25000, count = outer * inner;
  std::vector<std::uint16_t> x(2 * count), first(count);
  std::mt19937_64 random(3);
  for (auto& v : x) v = std::uint16_t(random());
  for (std::uint64_t r = 0; r < count; ++r) first[r] = x[r / inner * 2 * inner + r % inner];
  along const whole(x.data(), std::array{outer, std::uint64_t(2), inner}, 1);
  run_ranks(2, [&](communicator& ranks) {
    auto own = rows<std::uint16_t const>{first.data(), count, 1};
    if (ranks.rank() == 1) {
      own = whole;
      own.length = 1;
      own.data += inner;
    }
    distributed const where{ranks, cpu{}};
    EXPECT_EQ(reduce(where, own, sum{}), reduce(cpu{}, whole, sum{}));
    EXPECT_EQ(reduce(where, own, arg_maximum{}), reduce(cpu{}, whole, arg_maximum{}));
  });
}

TEST(results_of_rows_of_ranks, are_written_to_places_of_their_own) {
  matrix<float> const all(6, 40, 3, true);
  auto const want = reduce(cpu{}, all.part(all.memory, 0, 40), sum{});
  run_ranks(3, [&](communicator& ranks) {
    std::vector<float> side_by_side(6), apart(12);
    auto const own = all.slice(all.memory, ranks.rank());
    reduce_into(distributed{ranks, cpu{}}, own, side_by_side, sum{});
    reduce_into(distributed{ranks, best()}, own, rows{apart.data(), 6, 1, 2}, sum{});
    for (std::size_t r = 0; r < 6; ++r) {
      EXPECT_EQ(to_bits(side_by_side[r]), to_bits(want[r]));
      EXPECT_EQ(to_bits(apart[2 * r]), to_bits(want[r]));
    }
  });
}

// Sums whose digits carry over all places, and what no rank has but all together.
TEST(sums_of_rows_of_ranks, round_once) {
  std::vector<double> const x = {
      0x1p1000,  1,       -0x1p1000, 0x1p-1074, -0.0, 0x1.fffffffffffffp1023,
      1,         0x1p-53, -1,        0x1p-1074, -0.0, 0x1p970,
      0x1p-1074, 0x1p-53, 0x1p-1074, -3,        -0.0, 0};
  run_ranks(3, [&](communicator& ranks) {
    columns const own(x.data() + 6 * ranks.rank(), 1, 6);
    std::vector<double> const want = {0x1p1000, 0x1.0000000000001p0,    -0x1p1000, -3,
                                      0.0,      infinity<double>(false)};
    EXPECT_EQ(texts_of(reduce(distributed{ranks, cpu{}}, own, sum{})), texts_of(want));
    EXPECT_EQ(reduce(distributed{ranks, cpu{}}, own, sum{}.as<float>())[1], 1);
  });
}

TEST(results_of_rows_of_ranks, are_as_many_on_all) {
  std::vector<float> const x(20);
  run_ranks(3, [&](communicator& ranks) {
    rows const own(x.data(), ranks.rank() == 2 ? 4 : 5, 2);
    EXPECT_EQ(failure_of([&] { reduce(distributed{ranks, cpu{}}, own, sum{}); }),
              "reduce: rank 0 has 5 rows, rank 2 has 4");
    std::vector<float> out(ranks.rank() == 1 ? 3 : 5);
    auto const failure = failure_of(
        [&] { reduce_into(distributed{ranks, cpu{}}, rows(x.data(), 5, 2), out, maximum{}); });
    EXPECT_EQ(failure, std::string(ranks.rank() == 1 ? "" : "rank 1: ") +
                           "reduce_into: out has 3 rows of 1 elements, not 5 of one");
  });
}

}  // namespace
