// SPDX-License-Identifier: Apache-2.0
//
// A top-k of what comes in chunks.
#include "tally/top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu/top_k_cases.hpp"
#include "cpu/top_k_oracle.hpp"

namespace tally {
namespace {

using namespace top_k_cases;
using top_k_oracle::expect_best;
using top_k_oracle::ranked;

TYPED_TEST_SUITE(top_k_of, test_types<element_types>::type, type_names);

TYPED_TEST(top_k_of, a_stream_in_any_chunks_equals_the_whole) {
  source random(6);
  for (std::size_t n : {0, 1, 500, 20'000, 100'000})
    for (auto options : all_options<TypeParam>()) {
      auto const kinds = inputs<TypeParam>();
      auto const& kind = kinds[random() % kinds.size()];
      auto const values = kind.make(n, random);
      auto const in = std::as_const(values).span();
      std::uint64_t const k = random() % ((random() % 2 ? n : std::min<std::size_t>(n, 100)) + 1);
      int const team = 1 + int(random() % 3);
      selector<TypeParam> stream(k, options);
      std::size_t const most = random() % 2 ? n + 1 : 5000;
      for (std::size_t at = 0; at < n;) {
        std::size_t const size = std::min(n - at, std::size_t(random() % most));
        stream.add(cpu{team}, in.subspan(at, size));
        at += size;
      }
      ASSERT_EQ(stream.count(), n);
      expect_best(in, ranked(in, options), k, options, std::move(stream).result(),
                  "stream of " + describe<TypeParam>(kind.name, n, k, options, team));
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(top_k_of, streams_merge_in_any_order) {
  source random(7);
  for (int round = 0; round < 30; ++round) {
    std::size_t const n = random() % 20'000, parts = 1 + random() % 6;
    auto const options = all_options<TypeParam>()[random() % all_options<TypeParam>().size()];
    auto const kinds = inputs<TypeParam>();
    auto const& kind = kinds[random() % kinds.size()];
    auto const values = kind.make(n, random);
    auto const in = std::as_const(values).span();
    std::uint64_t const k = random() % (n + 1);
    std::vector<selector<TypeParam>> streams;
    for (std::size_t p = 0; p < parts; ++p) {
      std::size_t const begin = n * p / parts, end = n * (p + 1) / parts;
      streams.emplace_back(k, options, begin);
      streams.back().add(cpu{1}, in.subspan(begin, end - begin));
    }
    std::shuffle(streams.begin(), streams.end(), random);
    while (streams.size() > 1) {
      std::size_t const left = random() % (streams.size() - 1);
      streams[left].append(std::move(streams.back()));
      streams.pop_back();
    }
    ASSERT_EQ(streams[0].count(), n);
    expect_best(in, ranked(in, options), k, options, std::move(streams[0]).result(),
                "merge of " + describe<TypeParam>(kind.name, n, k, options, 1));
    if (this->HasFatalFailure()) return;
  }
}

// Behind the last index of either, however many they have seen.
TEST(top_k, a_stream_goes_on_behind_what_was_appended) {
  std::vector<std::int32_t> const in = {3, 1, 2, 9, 9, 1, 9, 7};
  auto const whole = std::span(in);
  auto const of = [&](std::size_t begin, std::size_t end, top_k_options options) {
    selector<std::int32_t> one(3, options, begin);
    one.add(cpu{1}, whole.subspan(begin, end - begin));
    return one;
  };
  for (bool distinct : {false, true})
    for (bool earlier : {false, true}) {
      top_k_options const options{.distinct = distinct};
      auto stream = earlier ? of(2, 4, options) : of(0, 2, options);
      stream.append(earlier ? of(0, 2, options) : of(2, 4, options));
      stream.append(of(4, 4, options));
      stream.add(cpu{1}, whole.subspan(4, 3));
      stream.add(cpu{1}, whole.subspan(7));
      EXPECT_EQ(stream.count(), in.size());
      expect_best<std::int32_t>(in, ranked<std::int32_t>(in, options), 3, options,
                                std::move(stream).result(), earlier ? "earlier" : "later");
    }
}

TEST(top_k, a_stream_may_begin_beyond_32_bits) {
  std::int64_t const far = std::int64_t(1) << 40;
  selector<std::uint8_t> stream(2, {}, std::uint64_t(far)), next(2, {}, std::uint64_t(far) + 3);
  stream.add(cpu{1}, std::vector<std::uint8_t>{3, 9, 1});
  next.add(cpu{1}, std::vector<std::uint8_t>{0, 9});
  stream.append(std::move(next));
  EXPECT_EQ(std::move(stream).result().indices, (std::vector<std::int64_t>{far + 1, far + 4}));
}

TEST(top_k, a_full_stream_takes_the_least_better_key_and_no_equal_one) {
  for (bool distinct : {false, true}) {
    top_k_options const options = {.distinct = distinct};
    std::vector<std::int32_t> v(1 << 15);  // as many as fill the buffer of a stream
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 2 * std::int32_t(i);
    std::int32_t const worst = v[v.size() - 100];
    v.insert(v.end(), {worst - 1, worst, worst + 1, worst});
    selector<std::int32_t> stream(100, options);
    for (std::size_t i = 0; i < v.size(); i += 4) stream.add(cpu{1}, std::span(v).subspan(i, 4));
    expect_best<std::int32_t>(v, ranked<std::int32_t>(v, options), 100, options,
                              std::move(stream).result(), "");
  }
}

}  // namespace
}  // namespace tally
