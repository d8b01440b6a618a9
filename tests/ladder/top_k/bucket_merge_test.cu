// SPDX-License-Identifier: Apache-2.0
#include "ladder/top_k/11_bucket_merge.cu"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ladder/world.hpp"
#include "tally/cuda/device_array.cuh"

namespace ladder::top_k {
namespace {

using list = std::vector<int>;  // best first

__global__ void merge_two(int* a, int* b, unsigned k, bool distinct, int* to, int* counts) {
  merge_by_buckets{}({a, 1}, {b, 1}, k, distinct, {to, 1}, {counts, 1});
}

struct merged {
  list best;
  std::size_t comparisons = 0;  // where somebody counts
};

merged merge(list const& a, list const& b, bool distinct) {
  auto const k = a.size();
  tally::device_array<int> const in_a{std::span(a)}, in_b{std::span(b)}, to(k), counts(k);
  rung once{.id = "test/merge", .title = "", .bound = ""};
  once.enqueue = [&](problem const&) {
    tally::launch(merge_two, 1, 1)(in_a.data(), in_b.data(), unsigned(k), distinct, to.data(),
                                   counts.data());
  };
  merged found;
  for (auto const& [name, count] : world::call_once(once, {}).counts)
    if (name == "operator") found.comparisons = count;
  found.best = to.to_host();
  EXPECT_EQ(world::findings(), std::vector<std::string>{});
  return found;
}

// What meets in a bucket is compared, beside the lists' ends. Two pointers take k for any lists.
void expect(list const& a, list const& b, bool distinct, list const& best, std::size_t meet) {
  auto const found = merge(a, b, distinct);
  EXPECT_EQ(found.best, best);
  if (world::name() == "simt") {
    EXPECT_EQ(found.comparisons, 2 + meet);
  }
}

constexpr int k = 64;

// Two of 2 k elements at even distances fall into each of k buckets. The i-th best is in list a
// where of_a(i) says so.
void expect_of_two_a_bucket(std::function<bool(int)> const& of_a, std::size_t meet) {
  list best, a, b;
  for (int i = 0; i < 2 * k; ++i) {
    int const x = (k - i) * (1 << 24);
    (of_a(i) ? a : b).push_back(x);
    if (i < k) best.push_back(x);
  }
  expect(a, b, false, best, meet);
  expect(b, a, true, best, meet);
}

TEST(ladder_bucket_merge, compares_only_what_both_lists_have_in_one_bucket) {
  expect_of_two_a_bucket([](int i) { return i / 2 % 2 == 0; }, 0);
  expect_of_two_a_bucket([](int i) { return i < k; }, 0);
  expect_of_two_a_bucket([](int i) { return i % 2 == 0; }, k / 2);
}

TEST(ladder_bucket_merge, compares_as_two_pointers_do_if_all_are_in_one_bucket) {
  list a, b, best;
  for (int i = 0; i < k - 1; ++i) a.push_back(-2 * i), b.push_back(-2 * i - 1);
  for (int i = 0; i < k; ++i) best.push_back(-i);
  a.push_back(least), b.push_back(least);
  expect(a, b, false, best, k);
  expect(list(k, 7), list(k, 7), false, list(k, 7), k);
}

// Each half of a word can count all of a list: of the longest two that find room in 227 KB.
TEST(ladder_bucket_merge, counts_lists_of_any_length) {
  list const equal((227 << 10) / 12, -5);
  EXPECT_EQ(merge(equal, equal, false).best, equal);
}

// What the host says: the elements of both, equal ones once if distinct, and the least in places
// that nothing was found for.
list best_of(list const& a, list const& b, bool distinct) {
  list all(2 * a.size());
  std::ranges::merge(a, b, all.begin(), std::greater{});
  if (distinct) all.erase(std::ranges::unique(all).begin(), all.end());
  all.resize(a.size(), least);
  return all;
}

TEST(ladder_bucket_merge, merges_whatever_the_elements_are) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::size_t const length = 1 + random() % 40;
    bool const distinct = random() % 2;
    unsigned const lowest = random() % 32, shift = random() % 32;
    auto const some = [&] {
      list one;
      for (std::size_t n = random() % (length + 1); n > 0; --n)
        one.push_back(int(random() << lowest >> shift));
      std::ranges::sort(one, std::greater{});
      if (distinct) one.erase(std::ranges::unique(one).begin(), one.end());
      one.resize(length, least);
      return one;
    };
    auto const a = some(), b = some();
    EXPECT_EQ(merge(a, b, distinct).best, best_of(a, b, distinct)) << i;
  }
}

}  // namespace
}  // namespace ladder::top_k
