// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/ordered.cuh"

#include "support/device_reduce.cuh"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/product.hpp"

namespace {

using namespace support;

// The aligned tree over the index, as partial.hpp defines it, from the leaves up.
template <class A>
tally::maybe<typename A::state> tree(A const& a, std::vector<typename A::element> const& in,
                                     tally::nan_policy nan) {
  std::vector<tally::maybe<typename A::state>> nodes;
  for (std::size_t i = 0; i < in.size(); ++i) {
    bool present = true;
    if constexpr (tally::floating<typename A::element>)
      present = nan == tally::propagate || !tally::is_nan(in[i]);
    nodes.push_back({a.lift(in[i], i), present});
  }
  while (nodes.size() > 1) {
    for (std::size_t i = 0; i < nodes.size(); i += 2)
      nodes[i / 2] = i + 1 < nodes.size() ? tally::combine(a, nodes[i], nodes[i + 1]) : nodes[i];
    nodes.resize((nodes.size() + 1) / 2);
  }
  if (nodes.empty()) return {{}, false};
  return nodes[0];
}

template <class A>
void expect_tree(A const& a, std::vector<typename A::element> const& in, test_call& call,
                 int offset = 0, tally::nan_policy nan = tally::propagate) {
  auto const got = run_on_device(a, in, call, nan, offset);
  auto want = tree(a, in, nan);
  if constexpr (tally::has_identity<A>)
    if (!want.present) want = {a.identity(), true};
  EXPECT_EQ(got.found, want.present);
  auto const value = want.present ? a.lower(want.value) : typename A::result{};
  EXPECT_EQ(memcmp(&got.result, &value, sizeof value), 0) << in.size() << " elements at " << offset;
}

constexpr std::size_t sizes[] = {0,   1,   2,   3,    31,   32,   33,   127,  128,  129,   255,
                                 511, 512, 513, 1000, 4095, 4096, 4097, 8193, 9000, 20000, 65537};

template <class T>
struct fast_sums_on_a_device : ::testing::Test {};
using floats = ::testing::Types<float, double, tally::float16, tally::bfloat16>;
TYPED_TEST_SUITE(fast_sums_on_a_device, floats);

TYPED_TEST(fast_sums_on_a_device, follow_the_tree_for_every_size) {
  test_call call(1);
  for (std::size_t n : sizes)
    expect_tree(tally::tree_sum<TypeParam>{}, values<TypeParam>(kind::wide, n), call);
}

TYPED_TEST(fast_sums_on_a_device, follow_the_tree_at_every_address) {
  test_call call(2);
  for (int offset = 0; offset < 17; ++offset)
    for (std::size_t n : {5, 4097})
      expect_tree(tally::tree_sum<TypeParam>{}, values<TypeParam>(kind::normal, n), call, offset);
}

TYPED_TEST(fast_sums_on_a_device, can_skip_nan) {
  test_call call(1);
  for (std::size_t n : {6, 200, 20000})
    expect_tree(tally::tree_sum<TypeParam>{}, values<TypeParam>(kind::nans, n), call, 0,
                tally::skip);
}

TYPED_TEST(fast_sums_on_a_device, follow_the_tree_on_every_grid) {
  auto const in = values<TypeParam>(kind::wide, 70001);
  for (int multiprocessors : {1, 2, 7}) {
    test_call call(multiprocessors);
    expect_tree(tally::tree_sum<TypeParam>{}, in, call);
    expect_tree(tally::tree_product<TypeParam>{}, in, call);
  }
}

// Of a type that no power of two divides, and with an operator that has no identity.
struct interval {
  int begin, end, spoilt;
  bool operator==(interval const&) const = default;
};
struct join {
  TALLY_FN interval operator()(interval const& a, interval const& b) const {
    return {a.begin, b.end, a.spoilt | b.spoilt | (a.end != b.begin)};
  }
};

TEST(users_operators_on_a_device, see_their_operands_in_order) {
  test_call call(1);
  for (std::size_t n : sizes) {
    std::vector<interval> in(n);
    for (int i = 0; i < int(n); ++i) in[i] = {i, i + 1, 0};
    expect_tree(tally::operation<interval, join>{}, in, call, 1);
  }
}

// Whose operands tell where they are.
template <class T>
struct placed_numbers {
  using element = T;
  using state = interval;
  using result = interval;
  static constexpr bool any_order = false;
  TALLY_FN state lift(T x, std::uint64_t i) const {
    return {int(i), int(i) + 1, x != T(i % 30000)};
  }
  TALLY_FN state combine(state const& a, state const& b) const { return join{}(a, b); }
  TALLY_FN interval lower(state const& s) const { return s; }
};

template <class T>
void expect_indices() {
  test_call call(2);
  for (std::size_t n : sizes)
    for (int offset : {0, 1}) {
      std::vector<T> in(n);
      for (std::size_t i = 0; i < n; ++i) in[i] = T(i % 30000);
      expect_tree(placed_numbers<T>{}, in, call, offset);
    }
}
TEST(users_operators_on_a_device, see_the_index_of_each_element) {
  expect_indices<std::uint16_t>();
  expect_indices<float>();
  expect_indices<double>();
}

struct less_regular {
  TALLY_FN float operator()(float a, float b) const { return a * 0.75f - b; }
};

TEST(users_operators_on_a_device, are_applied_as_on_the_cpu_though_not_associative) {
  test_call call(1);
  for (std::size_t n : sizes)
    expect_tree(tally::operation<float, less_regular>{}, values<float>(kind::normal, n), call);
}

TEST(users_operators_on_a_device, can_skip_nan) {
  test_call call(1);
  for (std::size_t n : {1, 7, 8, 4000})
    expect_tree(tally::operation<float, less_regular>{}, values<float>(kind::nans, n), call, 0,
                tally::skip);
  std::vector<float> const nothing(100, tally::quiet_nan<float>());
  expect_tree(tally::operation<float, less_regular>{}, nothing, call, 0, tally::skip);
}

// Any word may be published.
struct less_regular_still {
  template <class T>
  TALLY_FN T operator()(T const& a, T const& b) const {
    return T(3) * a - b;
  }
};

TEST(users_operators_on_a_device, of_eight_bytes_see_new_elements_at_every_call) {
  test_call call(1);
  for (unsigned seed = 0; seed < 8; ++seed) {
    auto const in = values<double>(kind::normal, 30000 + seed, seed);
    expect_tree(tally::operation<double, less_regular_still>{}, in, call);
    std::vector<std::uint64_t> words(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) words[i] = tally::to_bits(in[i]);
    expect_tree(tally::operation<std::uint64_t, less_regular_still>{}, words, call);
  }
}

TEST(runs_on_a_device, may_be_more_than_blocks) {
  test_call call(1);
  for (std::size_t n : {(1 << 18) + 1, (1 << 20) + 513})
    expect_tree(tally::operation<float, less_regular>{}, values<float>(kind::normal, n), call);
}

TEST(runs_on_a_device, are_drawn_of_long_arrays) {
  constexpr std::size_t tile = 8192;
  test_call call(1);
  expect_tree(tally::operation<float, less_regular>{}, values<float>(kind::normal, 48 * tile),
              call);
  for (unsigned seed = 0; seed < 2; ++seed)
    for (int offset : {0, 3})
      expect_tree(tally::operation<float, less_regular>{},
                  values<float>(kind::normal, 97 * tile + 5, seed), call, offset);
}

TEST(runs_on_a_device, may_be_more_than_are_put_together_at_once) {
  test_call call(4);
  expect_tree(tally::operation<float, less_regular>{},
              values<float>(kind::normal, 513 * std::size_t(8192) + 1), call);
}

TEST(strips_on_a_device, may_end_anywhere) {
  test_call call(2);
  constexpr std::size_t strip = 512;
  for (std::size_t strips : {1, 16, 17, 33, 512, 513})
    for (int beside : {-1, 0, 3, 4, 5}) {
      auto const in = values<float>(kind::normal, strips * strip + beside);
      expect_tree(tally::operation<float, less_regular>{}, in, call);
      if (strips < 100) expect_tree(tally::operation<float, less_regular>{}, in, call, 1);
    }
}

TEST(runs_on_a_device, are_refused_where_there_are_more_than_the_last_tree_holds) {
  test_call call(132);
  auto const reduce = [&](std::uint64_t n) {
    tally::array_input<float> const nowhere{nullptr, n};
    tally::detail::reduce_on_gpu(call, tally::tree_sum<float>{}, tally::propagate, nowhere,
                                 static_cast<float*>(nullptr), nullptr);
  };
  try {
    reduce((std::uint64_t(1) << 37) + 1);
    FAIL();
  } catch (tally::error const& e) {
    EXPECT_NE(std::string(e.what()).find("an array of 137438953473 elements"), std::string::npos)
        << e.what();
  }
}

// Of which a block has not the room for a node a thread.
struct large_interval {
  int begin, end, spoilt, rest[61];
  bool operator==(large_interval const&) const = default;
};
struct join_large {
  TALLY_FN large_interval operator()(large_interval const& a, large_interval const& b) const {
    large_interval both = a;
    both.end = b.end, both.spoilt |= b.spoilt | (a.end != b.begin), both.rest[60] ^= b.rest[60];
    return both;
  }
};

TEST(runs_on_a_device, are_shorter_of_large_states) {
  test_call call(1);
  using large = tally::operation<large_interval, join_large>;
  static_assert(tally::device::max_levels<tally::maybe<large::state>> == 2);
  std::vector<large_interval> in(70001);
  for (int i = 0; i < int(in.size()); ++i) in[i] = {i, i + 1, 0, {}}, in[i].rest[60] = i * i;
  expect_tree(large{}, in, call);
}

// Of whose states a block has room for no more than 16.
struct joined_numbers {
  struct state {
    interval all;
    int rest[273];
  };
  using element = int;
  using result = interval;
  static constexpr bool any_order = false;
  TALLY_FN state lift(int x, std::uint64_t i) const {
    state s{{x, x + 1, x != int(i)}, {}};
    s.rest[272] = x;
    return s;
  }
  TALLY_FN state combine(state const& a, state const& b) const {
    state both = a;
    both.all = join{}(a.all, b.all);
    both.all.spoilt |= a.rest[272] != a.all.begin;
    return both;
  }
  TALLY_FN interval lower(state const& s) const { return s.all; }
};

// What a block makes of runs that have been published, each of one element.
template <class A, class Source>
__global__ void __launch_bounds__(tally::device::ordered_threads)
    fold_published(tally::device::ordered_call<A, Source> const call, typename A::result* out) {
  using state = typename A::state;
  __shared__ tally::device::shared_nodes<state> nodes;
  for (unsigned run = threadIdx.x; run < call.runs; run += blockDim.x)
    tally::device::tile_states<state>(call.w.words, 1).publish(run, call.a.lift(int(run), run));
  __syncthreads();
  auto const total = tally::device::fold_runs(call, 1, nodes);
  if (threadIdx.x == 0) *out = call.a.lower(total);
}

void expect_folded_runs(unsigned runs) {
  using aggregate = tally::device::with_identity<joined_numbers>;
  using source = decltype(tally::device::source_of(tally::array_input<int>{nullptr, 0}));
  tally::device_array<tally::device::status_word> words(
      runs * tally::device::words_of<typename aggregate::state>);
  words.fill_bytes(0);
  tally::device_array<interval> out(1);
  tally::device::ordered_call<aggregate, source> call{};
  call.runs = runs;
  call.w.words = words.data();
  tally::launch(fold_published<aggregate, source>, 1, tally::device::ordered_threads)(call,
                                                                                      out.data());
  EXPECT_EQ(out.to_host()[0], (interval{0, int(runs), 0})) << runs << " runs";
}

TEST(runs_on_a_device, are_put_together_though_few_have_room) {
  static_assert(!joined_numbers::any_order);
  static_assert(tally::device::shared_nodes<tally::maybe<joined_numbers::state>>::capacity == 16);
  for (unsigned const runs : {2, 17, 32, 33, 129, 513}) expect_folded_runs(runs);
}

}  // namespace
