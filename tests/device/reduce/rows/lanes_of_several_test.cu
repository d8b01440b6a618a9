// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/lanes_of_several.cuh"

#include "support/device_reduce_rows.cuh"
#include "tally/device/reduce/agent/describe.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/device/reduce/agent/together.cuh"

namespace {

using namespace support;

// In every third row only the second way tells the variance, in the next one the sum.
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
// A zero with a sign is the lesser one, but the first of both is where each is.
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

}  // namespace
