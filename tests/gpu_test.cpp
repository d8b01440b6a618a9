// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "support/failure_of.hpp"
#include "tally/devices.hpp"
#include "tally/tally.hpp"

namespace {

using support::failure_of;

static_assert(std::is_nothrow_move_constructible_v<tally::gpu>);
static_assert(!std::is_copy_constructible_v<tally::gpu>);
static_assert(std::is_aggregate_v<tally::gpu>);

#define X(...) +1
#define L(ELEMENTS, O) TALLY_EACH_##ELEMENTS(X, O)
static_assert(TALLY_REDUCTIONS(L) TALLY_WIDENED_SUMS(X) TALLY_TRANSFORMED(X) <= 400,
              "the compiled kernels, by DESIGN's limit");
#undef L
#undef X

TEST(Gpu, opens_or_says_why_there_is_none) {
  auto const why = tally::no_gpu_because();
  auto const failure = failure_of([] {
    tally::gpu there;
    tally::gpu const moved = std::move(there);
    EXPECT_EQ(moved.name(), tally::gpus().at(std::size_t(moved.index())).name);
  });
  EXPECT_EQ(failure, why.empty() ? "nothing was thrown" : "no GPU: " + why);
}

TEST(Gpu, that_was_never_opened_says_so) {
  tally::gpu none{.opened = {}};
  auto const wanted = "gpu: another has been made from it, and it can no more be used";
  std::vector<float> const in(3);
  float out;
  EXPECT_EQ(failure_of([&] { none.reserve(1); }), wanted);
  EXPECT_EQ(failure_of([&] { none.synchronise(); }), wanted);
  EXPECT_EQ(failure_of([&] { tally::reduce(none, in, tally::sum{}); }), wanted);
  EXPECT_EQ(failure_of([&] { tally::reduce_into(none, in, &out, tally::sum{}); }), wanted);
}

// What is wrong with the arguments is found before anything runs.
TEST(Gpu, refuses_what_a_cpu_refuses_in_the_same_words) {
  tally::gpu none{.opened = {}};
  std::vector<float> const empty;
  float out;
  for (auto const& failure :
       {failure_of([&] { tally::reduce(none, empty, tally::minimum{}, {.nan = tally::skip}); }),
        failure_of([&] { tally::reduce_into(none, empty, &out, tally::minimum{}); }),
        failure_of([&] { tally::reduce(tally::cpu{}, empty, tally::minimum{}); })})
    EXPECT_EQ(failure, "minimum: the array is empty");

  alignas(float) std::byte bytes[12];
  std::span const in(reinterpret_cast<float const*>(bytes + 1), 2);
  EXPECT_EQ(failure_of([&] { tally::reduce(none, in, tally::sum{}); }),
            failure_of([&] { tally::reduce(tally::cpu{}, in, tally::sum{}); }));
}

TEST(Gpu, writes_one_result) {
  tally::gpu none{.opened = {}};
  std::vector<float> const in(3);
  std::vector<float> out(2);
  EXPECT_EQ(failure_of([&] { tally::reduce_into(none, in, out, tally::sum{}); }),
            "reduce_into: out has 2 elements, not one");
}

}  // namespace
