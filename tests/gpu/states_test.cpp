// SPDX-License-Identifier: Apache-2.0
//
// States by results of a GPU, where cores give these in its place (support/host_kernels.cpp).
#include "tally/gpu/states.hpp"

#include "support/failure_of.hpp"
#include "support/host_gpu.hpp"
#include "support/slices.hpp"
#include "support/state_cases.hpp"

namespace {

using namespace tally;

struct host_place : support::arrays_here {
  support::host_memory memory;
  gpu there = support::gpu_with(memory);

  gpu const& where() const { return there; }
};

template <class T>
struct states_of_a_gpu : ::testing::Test {};
using types = ::testing::Types<float, float16, std::int8_t>;
TYPED_TEST_SUITE(states_of_a_gpu, types);

TYPED_TEST(states_of_a_gpu, have_the_bytes_of_those_of_cores) {
  host_place place;
  support::expect_all_states<TypeParam>(place);
}

TEST(states_of_a_gpu_and_cores, go_on_with_one_another) {
  host_place place;
  auto const x = support::state_values<float>(5000, true, 1);
  auto const all = all_together(sum{}, fast_sum{}, arg_maximum{}, describe{});
  reducer<float, std::remove_const_t<decltype(all)>> parts(all, {skip});
  parts.add(cpu{}, std::span<float const>(x.data(), 1111));
  parts.add(place.there, std::span<float const>(x.data() + 1111, 2222));
  parts.add(best(), std::span<float const>(x.data() + 3333, 1667));
  EXPECT_EQ(parts.state().serialise(), reduce(cpu{}, x, as_state{all}, {skip}).serialise());
}

TEST(scans_of_a_gpu_and_cores, go_on_with_one_another) {
  host_place place;
  auto const x = support::state_values<float>(3000, false, 1);
  for (bool reverse : {false, true}) {
    std::vector<float> want(3000), got(3000);
    exclusive_scan(cpu{}, x, want, sum{}, {.init = 0.3f, .reverse = reverse});
    scanner<float, float, sum> all(sum{}, {.init = 0.3f, .reverse = reverse}, reverse ? 3000 : 0);
    auto const scan = [&](auto const& where, std::size_t from, std::size_t to) {
      all.exclusive(where, std::span<float const>(x).subspan(from, to - from),
                    std::span<float>(got).subspan(from, to - from));
    };
    scan(place.there, reverse ? 2000 : 0, reverse ? 3000 : 1000);
    scan(cpu{}, 1000, 2000);
    scan(place.there, reverse ? 999 : 2000, reverse ? 1000 : 2001);
    scan(place.there, 999, 999);
    scan(best(), reverse ? 0 : 2001, reverse ? 999 : 3000);
    EXPECT_EQ(got, want);
    EXPECT_EQ(all.carry().next(), reverse ? 0u : 3000u);
  }
}

TEST(scans_of_a_gpu_and_cores, go_on_behind_what_was_skipped) {
  host_place place;
  std::size_t const n = (std::size_t(1) << 24) + 100;  // more than is skipped at once
  std::vector<std::int8_t> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::int8_t(i % 101);
  for (bool const reverse : {false, true}) {
    scanner<std::int8_t, std::int64_t, sum> on_gpu({}, {.reverse = reverse}), here;
    on_gpu.skip(place.there, x), here.skip(cpu{}, x);
    EXPECT_EQ(on_gpu.total(), here.total());
    EXPECT_EQ(on_gpu.carry().next(), reverse ? 0 - n : n);
  }
  EXPECT_TRUE(place.memory.allocations.empty());
}

TEST(gpus_of_ranks, give_the_bits_of_one_call) {
  auto const x = support::state_values<float>(3000, true, 1);
  auto const all = all_together(sum{}, fast_sum{}, arg_maximum{});
  std::vector<float> prefixes(3000), totals(4), got(3000), got_totals(4), sums(4);
  inclusive_scan(cpu{}, x, prefixes, sum{}, {.init = 2.f, .reverse = true, .total = &totals[0]});
  auto const bits = [](float v) { return to_bits(v); };
  run_ranks(4, [&](communicator& ranks) {
    host_place place;
    distributed const where{ranks, place.there};
    auto const own = support::slice_of(ranks, std::span(x));
    auto const found = reduce(where, own, all), want = reduce(cpu{}, x, all);
    EXPECT_EQ(bits(tally::get<0>(found)), bits(tally::get<0>(want)));
    EXPECT_EQ(bits(tally::get<1>(found)), bits(tally::get<1>(want)));
    EXPECT_EQ(tally::get<2>(found), tally::get<2>(want));
    auto const rank = std::size_t(ranks.rank());
    reduce_into(where, own, &sums[rank], sum{});
    EXPECT_EQ(bits(sums[rank]), bits(tally::get<0>(want)));
    inclusive_scan(where, own, support::slice_of(ranks, std::span(got)), sum{},
                   {.init = 2.f, .reverse = true, .total = &got_totals[rank]});
    EXPECT_EQ(bits(got_totals[rank]), bits(totals[0]));

    place.memory.out_of_reach = ranks.rank() == 2 ? &sums[2] : nullptr;
    auto const failure = support::failure_of([&] { reduce_into(where, own, &sums[rank], sum{}); });
    EXPECT_NE(failure.find("out"), std::string::npos) << failure;
    EXPECT_EQ(failure.starts_with("rank 2: "), ranks.rank() != 2) << failure;
  });
  EXPECT_EQ(std::memcmp(got.data(), prefixes.data(), 3000 * sizeof(float)), 0);
}

TEST(gpus_of_ranks, reduce_slices_of_rows) {
  auto const x = support::state_values<float>(40 * 100, true, 1);
  auto const all = rows(x.data(), 40, 100);
  auto const op = all_together(arg_maximum{}, mean{});
  run_ranks(4, [&](communicator& ranks) {
    host_place place;
    distributed const where{ranks, place.there};
    rows const own(x.data() + 25 * ranks.rank(), 40, 25, 100);
    std::vector<float> side_by_side(40), apart(120);
    std::vector<std::int64_t> starts;
    for (std::int64_t r = 0; r < 40; ++r) starts.push_back(3 * r);
    reduce_into(where, own, side_by_side, sum{});
    reduce_into(where, own, rows(apart.data(), 40, 1, 0, starts.data()), sum{});
    auto const sums = reduce(cpu{}, all, sum{});
    auto const found = reduce(where, own, op, {skip}), want = reduce(cpu{}, all, op, {skip});
    auto const ordered = reduce(where, own, fast_sum{}), in_order = reduce(cpu{}, all, fast_sum{});
    for (std::size_t r = 0; r < 40; ++r) {
      EXPECT_EQ(to_bits(side_by_side[r]), to_bits(sums[r]));
      EXPECT_EQ(to_bits(apart[3 * r]), to_bits(sums[r]));
      EXPECT_EQ(tally::get<0>(found[r]), tally::get<0>(want[r]));
      EXPECT_EQ(to_bits(tally::get<1>(found[r])), to_bits(tally::get<1>(want[r])));
      EXPECT_EQ(to_bits(ordered[r]), to_bits(in_order[r]));
    }
    std::vector<std::int64_t> const lengths(40, 25);
    auto of_any_length = own;
    of_any_length.lengths = lengths.data();
    EXPECT_EQ(reduce(where, of_any_length, arg_maximum{}), reduce(cpu{}, all, arg_maximum{}));
    auto const failure = support::failure_of([&] { reduce(where, of_any_length, fast_sum{}); });
    EXPECT_NE(failure.find("a gpu's slices of rows are all of one length"), std::string::npos);
  });
}

TEST(selections_of_a_gpu_and_cores, go_on_with_one_another) {
  host_place place;
  auto const x = support::state_values<float>(3000, true, 1);
  for (bool distinct : {false, true})
    for (auto const nan : {propagate, skip})
      for (std::uint64_t k : {0, 1, 50, 3000}) {
        top_k_options const options{.distinct = distinct, .nan = nan};
        selector<float> parts(k, options), whole(k, options);
        whole.add(cpu{}, x);
        parts.add(place.there, std::span<float const>(x.data(), 1000));
        parts.add(cpu{}, std::span<float const>(x.data() + 1000, 1000));
        parts.add(place.there, std::span<float const>(x.data(), 0));
        parts.add(place.there, std::span<float const>(x.data() + 2000, 1000));
        EXPECT_EQ(parts.state().serialise(), whole.state().serialise());
      }
}

}  // namespace
