// SPDX-License-Identifier: Apache-2.0
#include "ladder/top_k/judge_top_k.hpp"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "ladder/top_k/top_k.cuh"
#include "ladder/verify.hpp"

namespace ladder::top_k {
namespace {

std::vector<int> const numbers{3, -1, 7, 3, 7, -2147483647 - 1};

struct answer {
  int count;
  std::vector<int> values, indices = {};
};

bool accepts(problem given, std::vector<int> const& in, answer const& found) {
  given.type = element::int32;
  given.n = in.size();
  given.k = found.values.size();
  std::vector<int> out{found.count, 0};  // 64 bits, the lower half first
  out.insert(out.end(), found.values.begin(), found.values.end());
  out.insert(out.end(), found.indices.begin(), found.indices.end());
  auto const bytes = [](auto const& values) { return std::as_bytes(std::span(values)); };
  return judge_top_k({.indices = !found.indices.empty()},
                     {given, data::page, bytes(in), bytes(out)})
      .right;
}

problem const greatest{.op = operation::maximum}, smallest{.op = operation::minimum};
problem const different{.op = operation::maximum, .distinct = true};

TEST(ladder_top_k_judge, wants_the_best_and_equal_ones_in_the_order_of_their_indices) {
  EXPECT_TRUE(accepts(greatest, numbers, {3, {7, 7, 3}, {2, 4, 0}}));
  EXPECT_FALSE(accepts(greatest, numbers, {3, {7, 7, 3}, {4, 2, 0}}));
  EXPECT_FALSE(accepts(greatest, numbers, {3, {7, 7, 3}, {2, 4, 3}}));
  EXPECT_FALSE(accepts(greatest, numbers, {3, {7, 3, 7}, {2, 0, 4}}));
  EXPECT_TRUE(accepts(greatest, numbers, {3, {7, 7, 3}}));
}

TEST(ladder_top_k_judge, wants_the_least_if_asked) {
  EXPECT_TRUE(accepts(smallest, numbers, {2, {-2147483647 - 1, -1}, {5, 1}}));
  EXPECT_FALSE(accepts(smallest, numbers, {2, {7, 7}, {2, 4}}));
}

TEST(ladder_top_k_judge, wants_equal_ones_once_if_asked) {
  EXPECT_TRUE(accepts(different, numbers, {3, {7, 3, -1}, {2, 0, 1}}));
  EXPECT_FALSE(accepts(different, numbers, {3, {7, 7, 3}, {2, 4, 0}}));
}

TEST(ladder_top_k_judge, wants_the_count_and_nothing_in_places_beyond_it) {
  std::vector<int> const two{5, 5};
  EXPECT_TRUE(accepts(greatest, two, {2, {5, 5, 0}, {0, 1, -1}}));
  EXPECT_FALSE(accepts(greatest, two, {3, {5, 5, 0}, {0, 1, -1}}));
  EXPECT_FALSE(accepts(greatest, two, {2, {5, 5, -2147483647 - 1}, {0, 1, -1}}));
  EXPECT_FALSE(accepts(greatest, two, {2, {5, 5, 0}, {0, 1, 0}}));
  EXPECT_TRUE(accepts(different, two, {1, {5, 0}, {0, -1}}));
  EXPECT_TRUE(accepts(greatest, {}, {0, {0}, {-1}}));
}

// Planted: one thread, which takes the maximum in its own way.
template <class Kernel>
bool verified(Kernel kernel) {
  rung r{.id = "test/planted", .title = "", .bound = ""};
  r.most_k = [](problem const&) { return std::size_t{1}; };
  r.operations = {operation::maximum};
  r.enqueue = [=](problem const& p) {
    tally::launch(kernel, 1, 1, 0, p.stream)(elements_of(p), p.n, results(p));
  };
  input_store inputs;
  problem given{.op = operation::maximum, .type = element::int32, .n = 100, .k = 1};
  return verify(select_rung(r, {.indices = false}), given, inputs).verified;
}

__device__ void maximum(int const* in, std::size_t n, results to, int start) {
  int best = start;
  for (std::size_t i = 0; i < n; ++i) best = in[i] > best ? in[i] : best;
  *to.count = n > 0;
  to.values[0] = n > 0 ? best : 0;
}
__global__ void from_the_least(int const* in, std::size_t n, results to) {
  maximum(in, n, to, least);
}
__global__ void from_zero(int const* in, std::size_t n, results to) { maximum(in, n, to, 0); }
__global__ void of_nothing(int const* in, std::size_t n, results to) {
  maximum(in, n, to, least);
  *to.count = 1;
}

TEST(ladder_top_k_verify, accepts_a_selection_that_is_right) {
  EXPECT_TRUE(verified(from_the_least));
}
TEST(ladder_top_k_verify, refuses_one_that_knows_no_elements_below_0) {
  EXPECT_FALSE(verified(from_zero));
}
TEST(ladder_top_k_verify, refuses_one_that_finds_something_in_nothing) {
  EXPECT_FALSE(verified(of_nothing));
}

}  // namespace
}  // namespace ladder::top_k
