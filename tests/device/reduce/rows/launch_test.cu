// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/launch.cuh"

#include <cstring>
#include <random>

#include "support/device_reduce.cuh"
#include "support/row_cases.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/device/reduce/agent/describe.cuh"
#include "tally/device/reduce/agent/dot.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/device/reduce/agent/together.cuh"
#include "tally/row_inputs.hpp"

namespace {

using namespace support;
using tally::nan_policy;

template <class T>
std::vector<T> elements(std::size_t n, std::mt19937_64& random) {
  std::vector<T> x(n);
  for (auto& e : x)
    if constexpr (tally::floating<T>)
      e = random() % 60 ? tally::convert<T>(std::ldexp(double(int(random() % 2001) - 1000),
                                                       int(random() % 9) - 4))
                        : tally::quiet_nan<T>();
    else
      e = T(random());
  return x;
}

// The aggregate of a row's elements in order or, where that matters, along the aligned tree.
template <class A, class Row>
typename A::result result_of(A const& a, Row const& row, nan_policy nan) {
  std::vector<tally::maybe<typename A::state>> nodes;
  for (std::uint64_t i = 0; i < row.size(); ++i) {
    auto const x = row[i];
    bool counts = true;
    if constexpr (tally::has_nan<typename A::element>)
      counts = nan == tally::propagate || !tally::is_nan(x);
    nodes.push_back({a.lift(x, i), counts});
  }
  while (nodes.size() > 1) {
    for (std::size_t i = 0; i < nodes.size(); i += 2)
      nodes[i / 2] = i + 1 < nodes.size() ? tally::combine(a, nodes[i], nodes[i + 1]) : nodes[i];
    nodes.resize((nodes.size() + 1) / 2);
  }
  if (!nodes.empty() && nodes[0].present) return a.lower(nodes[0].value);
  if constexpr (tally::has_identity<A>)
    return a.lower(a.identity());
  else
    return {};
}

// Whether results have the same bits; of those with gaps between their numbers, each of these.
template <class R>
bool same(R const& x, R const& y);
template <class... Rs>
bool same(tally::results<Rs...> const& x, tally::results<Rs...> const& y) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (same(get<i>(x), get<i>(y)) && ...);
  }(std::index_sequence_for<Rs...>());
}
template <class R>
bool same(R const& x, R const& y) {
  if constexpr (requires { x.each([](auto, auto) {}); }) {
    std::vector<std::string> texts[2];
    x.each([&](auto, auto number) { texts[0].push_back(bits_text(number)); });
    y.each([&](auto, auto number) { texts[1].push_back(bits_text(number)); });
    return texts[0] == texts[1];
  } else {
    return memcmp(&x, &y, sizeof(R)) == 0;
  }
}

// What each row gives on a device, between canaries.
template <class A, class In>
void expect_rows(A const& a, In const& there, In const& here, test_call& call,
                 nan_policy nan = tally::propagate) {
  using R = typename A::result;
  auto const& rows = here.layout();
  auto const count = std::size_t(rows.count);
  std::vector<R> want(count);
  for (std::size_t r = 0; r < count; ++r) {
    auto const row = here.row(r);
    want[r] = result_of(a, row, nan);
    if constexpr (requires { want[r].nan_count; }) {
      want[r].nan_count = 0;  // a device has counted those that it skips, too
      for (std::uint64_t i = 0; i < row.size(); ++i) want[r].nan_count += tally::is_nan(row[i]);
    }
  }
  tally::device_array<R> const out(count + 2);
  out.fill_bytes(0xa5);
  auto const before = out.to_host();
  tally::detail::reduce_rows_on_gpu(call, a, nan, there, tally::rows<R>(out.data() + 1, count, 1));
  auto const got = out.to_host();
  for (std::size_t r = 0; r < count; ++r)
    ASSERT_TRUE(same(got[r + 1], want[r]))
        << ::testing::PrintToString(got[r + 1]) << ", not " << ::testing::PrintToString(want[r])
        << ": row " << r << " of " << rows.count << ", of " << rows.length << " elements, stride "
        << rows.stride << ", step " << rows.step;
  EXPECT_EQ(memcmp(&got.front(), &before.front(), sizeof(R)), 0);
  EXPECT_EQ(memcmp(&got.back(), &before.back(), sizeof(R)), 0);
}

constexpr std::pair<std::uint64_t, std::uint64_t> shapes[] = {
    {1, 1},  {3, 0},   {40, 1},  {33, 3},  {17, 8},  {9, 31},
    {7, 33}, {37, 64}, {5, 129}, {6, 512}, {3, 700}, {1, 3000}};

// Rows of every layout, at every address.
template <class T, class Op>
void expect_all(Op const& op, nan_policy nan = tally::propagate, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  test_call call(1);
  for (auto const& [count, length] : shapes)
    for (auto const& c : row_cases(count, length, random)) {
      call.set_multiprocessors(1 + int(random() % 3));
      int const offset = random() % 2 ? int(random() % 5) : 0;
      auto const x = elements<T>(std::size_t(c.size) + offset, random);
      tally::device_array<T> const data(x);
      tally::device_array<std::int64_t> const offsets(c.offsets);
      tally::rows<T const> const here(x.data() + offset + c.origin,
                                      with_offsets(c, c.offsets.data()));
      tally::rows<T const> there(data.data() + offset + c.origin, with_offsets(c, offsets.data()));
      if (random() % 2) there.array_size = std::uint64_t(c.size);  // where segments are, for these
      expect_rows(tally::detail::bind_reduce<T>(op), there, here, call, nan);
    }
}

template <class T>
struct rows_reduced_on_a_device : ::testing::Test {};
using types = ::testing::Types<float, tally::bfloat16, double, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(rows_reduced_on_a_device, types);

TYPED_TEST(rows_reduced_on_a_device, have_exact_sums) {
  expect_all<TypeParam>(tally::sum{});
  expect_all<TypeParam>(tally::sum{}, tally::skip, 2);
}
TYPED_TEST(rows_reduced_on_a_device, have_means) {
  expect_all<TypeParam>(tally::mean{});
  expect_all<TypeParam>(tally::mean{}, tally::skip, 2);
}
TYPED_TEST(rows_reduced_on_a_device, have_extrema_and_places) {
  expect_all<TypeParam>(tally::maximum{}, tally::skip);
  expect_all<TypeParam>(tally::arg_minimum{});
  expect_all<TypeParam>(tally::min_max{});
}
TYPED_TEST(rows_reduced_on_a_device, have_variances_and_norms) {
  expect_all<TypeParam>(tally::variance{1});
  expect_all<TypeParam>(tally::standard_deviation{}, tally::skip, 2);
  expect_all<TypeParam>(tally::norm{}, tally::skip, 3);
}
// Some are many times as long as most, and are a warp's; where all are long, lanes have parts.
TYPED_TEST(rows_reduced_on_a_device, may_be_segments_of_very_different_lengths) {
  std::mt19937_64 random(5);
  for (std::uint64_t const usual : {2, 60, 5000}) {
    std::vector<std::int64_t> offsets = {0};
    std::uint64_t const count = usual == 5000 ? 5 : 300 / usual + 50;
    for (std::uint64_t s = 0; s < count; ++s)
      offsets.push_back(offsets.back() +
                        std::int64_t(s % 19 == 3 ? 40 * usual + random() % 500 : random() % usual));
    auto const x = elements<TypeParam>(std::size_t(offsets.back()), random);
    tally::device_array<TypeParam> const data(x);
    tally::device_array<std::int64_t> const begins(offsets);
    auto const n = std::size_t(offsets.back());
    tally::segments const there(std::span(data.data(), n), std::span(begins.data(), count + 1));
    tally::segments const here(std::span(x.data(), n), std::span(offsets.data(), count + 1));
    test_call call(2);
    std::string text;
    call.explanation = &text;
    auto const expect = [&](auto const& op, nan_policy nan) {
      expect_rows(tally::detail::bind_reduce<TypeParam>(op), tally::rows<TypeParam const>(there),
                  tally::rows<TypeParam const>(here), call, nan);
      EXPECT_EQ(text.find("a segment") != text.npos, usual < 5000) << text;
      text.clear();
    };
    expect(tally::sum{}, tally::propagate);
    expect(tally::arg_maximum{}, tally::skip);
    expect(tally::variance{}, tally::skip);
  }
}
TYPED_TEST(rows_reduced_on_a_device, follow_a_fixed_tree_where_order_matters) {
  expect_all<TypeParam>(tally::fast_sum{});
}

// Sums that doubles do not tell, of more rows than blocks have groups for: three doubles tell most,
// the agent alone those of every fifth row, if `agent`, and of one that is not finite.
std::vector<float> sums_in_doubt(std::uint64_t count, std::uint64_t length, bool agent) {
  std::mt19937_64 random(8);
  std::vector<float> x(count * length);
  auto const power = [](int e) { return std::ldexp(1.0f, e); };
  for (std::uint64_t r = 0; r < count; ++r) {
    auto* const row = x.data() + r * length;
    float const small = std::ldexp(float(1 + random() % 1000), -60);
    std::vector<float> const two_ends = {power(60), small, -power(60)},
                             three = {power(120), power(40), small, -power(120), -power(40)};
    auto const& hard = agent && r % 5 == 0 ? three : two_ends;
    std::copy(hard.begin(), hard.end(), row + random() % (length - hard.size() + 1));
  }
  if (agent) x[10 * length] = tally::infinity<float>(true);
  return x;
}
TEST(rows_reduced_on_a_device_in_doubt, are_computed_again) {
  constexpr std::uint64_t count = 700, length = 16;
  auto const a = tally::detail::bind_reduce<float>(tally::sum{});
  for (bool const agent : {false, true}) {
    auto const x = sums_in_doubt(count, length, agent);
    tally::device_array<float> const data(x);
    for (int const multiprocessors : {1, 3}) {
      test_call call(multiprocessors);
      auto const expect = [&](tally::row_layout const& all) {
        expect_rows(a, tally::rows<float const>(data.data(), all),
                    tally::rows<float const>(x.data(), all), call);
        EXPECT_EQ(call.sums(), std::vector<std::uint32_t>(2 * tally::device::workspace::max_sums));
      };
      expect({.count = count, .length = length, .stride = length});
      expect({.count = length, .length = count, .stride = 1, .step = length});
    }
  }
}

// Few long ones are shared among all blocks, of which one is left with the row that only the agent
// tells.
TEST(rows_reduced_on_a_device_in_doubt, are_computed_again_in_pieces) {
  constexpr std::uint64_t count = 3, length = tally::device::longest_tried_again + 20;
  auto x = sums_in_doubt(count, length, false);
  for (int const e : {120, 40}) x[2 * length + e] = std::ldexp(1.0f, e);
  for (int const e : {120, 40}) x[3 * length - e] = -std::ldexp(1.0f, e);
  tally::device_array<float> const data(x);
  auto const a = tally::detail::bind_reduce<float>(tally::sum{});
  for (int const multiprocessors : {3, 5}) {
    test_call call(multiprocessors);
    auto const expect = [&](tally::row_layout const& all) {
      expect_rows(a, tally::rows<float const>(data.data(), all),
                  tally::rows<float const>(x.data(), all), call);
      EXPECT_EQ(call.sums(), std::vector<std::uint32_t>(2 * tally::device::workspace::max_sums));
    };
    expect({.count = count, .length = length, .stride = length});
    expect(
        {.count = count, .length = length - 1, .stride = length, .inner = 2, .outer = 2 * length});
  }
}

// Of rows of equal elements, and of far ones that lie close together, a row's first tells all; and
// of a tie of rounding only the agent.
TEST(rows_reduced_on_a_device_in_doubt, have_variances_around_their_first_element) {
  constexpr std::uint64_t count = 200, length = 64;
  std::mt19937_64 random(3);
  std::vector<float> x(count * length);
  for (std::uint64_t r = 0; r < count; ++r)
    for (std::uint64_t i = 0; i < length; ++i)
      x[r * length + i] = r % 3 == 0   ? 1.1f + float(r)
                          : r % 3 == 1 ? 0x1p22f + float(int(random() % 9)) / 2
                                       : 0x1p23f + float(i % 2) * 4097;
  tally::device_array<float> const data(x);
  test_call call(2);
  tally::row_layout const all{.count = count, .length = length, .stride = length};
  for (std::uint64_t const ddof : {0, 1})
    expect_rows(tally::detail::bind_reduce<float>(tally::variance{ddof}),
                tally::rows<float const>(data.data(), all), tally::rows<float const>(x.data(), all),
                call);
}

TYPED_TEST(rows_reduced_on_a_device, have_several_results_at_once) {
  expect_all<TypeParam>(tally::describe{1});
  expect_all<TypeParam>(tally::describe{}, tally::skip, 2);
  expect_all<TypeParam>(tally::all_together(tally::sum{}, tally::arg_maximum{}, tally::mean{}));
  expect_all<TypeParam>(tally::all_together(tally::maximum{}, tally::variance{}), tally::skip);
}
// Of every third row the second way tells the variance, of the next one the sum.
TEST(rows_reduced_on_a_device_several_at_once, are_in_doubt_where_one_is) {
  constexpr std::uint64_t count = 100, length = 32;
  std::vector<float> x(count * length, 0.1f);
  for (std::uint64_t r = 1; r < count; r += 3)
    x[r * length + 1] = 0x1p60f, x[r * length + 9] = -0x1p60f, x[r * length + 5] = 0x1p-50f;
  for (std::uint64_t i = 2 * length; i < x.size(); i += i % length == 31 ? 2 * length + 1 : 1)
    x[i] = float(i % 7);
  tally::device_array<float> const data(x);
  test_call call(2);
  tally::row_layout const all{.count = count, .length = length, .stride = length};
  tally::rows<float const> const there(data.data(), all), here(x.data(), all);
  auto const expect = [&](auto const& op) {
    expect_rows(tally::detail::bind_reduce<float>(op), there, here, call);
  };
  expect(tally::all_together(tally::maximum{}, tally::variance{}));
  expect(tally::all_together(tally::sum{}, tally::maximum{}));
  expect(tally::describe{});
}
// Of zeros that with a sign is the lesser one, but the first of both is where each is.
TEST(rows_reduced_on_a_device_several_at_once, know_the_ends_of_rows_of_zeros) {
  test_call call(2);
  std::vector<float> x(40 * 32);
  for (std::size_t i = 0; i < x.size(); i += i % 32 == 31 ? 33 : 1)
    x[i] = (i / 32 + i) % 3 == 0 ? -0.0f : 0.0f;
  tally::device_array<float> const data(x);
  tally::row_layout const all{.count = 40, .length = 32, .stride = 32};
  expect_rows(tally::detail::bind_reduce<float>(tally::describe{}),
              tally::rows<float const>(data.data(), all), tally::rows<float const>(x.data(), all),
              call);
  std::vector<double> y(x.begin(), x.end());
  tally::device_array<double> const there(y);
  expect_rows(tally::detail::bind_reduce<double>(tally::describe{}),
              tally::rows<double const>(there.data(), all),
              tally::rows<double const>(y.data(), all), call);
}
// States are an agent's.
TEST(rows_reduced_on_a_device_several_at_once, may_be_states) {
  std::mt19937_64 random(9);
  test_call call(2);
  auto const x = elements<float>(5 * 130, random);
  tally::device_array<float> const data(x);
  tally::row_layout const all{.count = 5, .length = 130, .stride = 130};
  auto const a =
      tally::detail::bind_reduce<float>(tally::all_together(tally::sum_state{}, tally::mean{}));
  auto const want = result_of(a, tally::rows<float const>(x.data(), all).row(3), tally::propagate);
  tally::device_array<decltype(a.lower({}))> const out(5);
  tally::detail::reduce_rows_on_gpu(call, a, tally::propagate,
                                    tally::rows<float const>(data.data(), all),
                                    tally::rows(out.data(), 5, 1));
  auto const got = out.to_host()[3];
  EXPECT_EQ(get<0>(got).serialise(), get<0>(want).serialise());
  EXPECT_EQ(bits_text(get<1>(got)), bits_text(get<1>(want)));
}

// x -> a * x + b, one after the other: neither commutes, nor has what does nothing.
struct affine {
  std::uint32_t a, b;
};
struct then {
  TALLY_FN affine operator()(affine const& f, affine const& g) const {
    return {g.a * f.a, g.a * f.b + g.b};
  }
};
TEST(rows_reduced_on_a_device_by_ones_own, keep_their_order) {
  std::mt19937_64 random(5);
  test_call call(2);
  tally::operation<affine, then> const a{};
  for (auto const& [count, length] : shapes)
    for (auto const& c : row_cases(count, length, random)) {
      std::vector<affine> x(std::size_t(c.size));
      for (auto& f : x) f = {std::uint32_t(random()) | 1, std::uint32_t(random())};
      tally::device_array<affine> const data(x);
      tally::device_array<std::int64_t> const offsets(c.offsets);
      expect_rows(
          a, tally::rows<affine const>(data.data() + c.origin, with_offsets(c, offsets.data())),
          tally::rows<affine const>(x.data() + c.origin, with_offsets(c, c.offsets.data())), call);
    }
}

// Of parts, the last of them a part of one.
TEST(rows_reduced_on_a_device_by_ones_own, keep_the_order_of_long_columns) {
  std::mt19937_64 random(7);
  tally::operation<affine, then> const a{};
  for (std::uint64_t const length : {33, 700, 3000})
    for (std::uint64_t const count : {1, 2, 19}) {
      test_call call(1 + int(random() % 20));
      std::vector<affine> x(length * count);
      for (auto& f : x) f = {std::uint32_t(random()) | 1, std::uint32_t(random())};
      tally::device_array<affine> const data(x);
      tally::row_layout const all{
          .count = count, .length = length, .stride = 1, .step = std::int64_t(count)};
      expect_rows(a, tally::rows<affine const>(data.data(), all),
                  tally::rows<affine const>(x.data(), all), call);
    }
}

struct doubled {
  TALLY_FN float operator()(float x) const { return 2 * x; }
};
TEST(rows_reduced_on_a_device, may_be_computed) {
  std::mt19937_64 random(6);
  test_call call(2);
  for (auto const& [count, length] : shapes)
    for (auto const& c : row_cases(count, length, random)) {
      auto const x = elements<float>(std::size_t(c.size), random);
      auto const y = elements<float>(std::size_t(length), random);
      tally::device_array<float> const data(x), weights(y);
      tally::device_array<std::int64_t> const offsets(c.offsets);
      tally::rows<float const> const here(x.data() + c.origin, with_offsets(c, c.offsets.data()));
      tally::rows<float const> const there(data.data() + c.origin, with_offsets(c, offsets.data()));
      auto const n = c.rows.count;
      expect_rows(tally::detail::bind_reduce<float>(tally::sum{}),
                  tally::transform(there, doubled{}), tally::transform(here, doubled{}), call);
      expect_rows(tally::detail::bind_reduce<tally::zipped<float, float>>(tally::dot{}),
                  tally::zip(there, tally::rows<float const>(weights.data(), n, length, 0)),
                  tally::zip(here, tally::rows<float const>(y.data(), n, length, 0)), call);
    }
}

}  // namespace
