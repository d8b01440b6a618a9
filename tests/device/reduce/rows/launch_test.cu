// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/launch.cuh"

#include "support/device_reduce_rows.cuh"
#include "tally/definition/dot.hpp"
#include "tally/device/reduce/agent/dot.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"

namespace {

using namespace support;

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

struct doubled {
  TALLY_FN float operator()(float x) const { return 2 * x; }
};
TEST(rows_reduced_on_a_device, may_be_computed) {
  std::mt19937_64 random(6);
  test_call call(2);
  for (auto const& [count, length] : row_shapes)
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
