// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/segments.cuh"

#include "support/device_reduce_rows.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"

namespace {

using namespace support;

template <class T>
struct segments_reduced_on_a_device : ::testing::Test {};
using types = ::testing::Types<float, tally::bfloat16, double, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(segments_reduced_on_a_device, types);

// Some are many times as long as most, and are a warp's; where all are long, lanes have parts.
TYPED_TEST(segments_reduced_on_a_device, may_be_segments_of_very_different_lengths) {
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

}  // namespace
