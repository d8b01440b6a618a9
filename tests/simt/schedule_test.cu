// SPDX-License-Identifier: Apache-2.0
#include "simt/schedule.hpp"

#include <cstdlib>
#include <stdexcept>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

// Schedules that go wrong are found, made small, and repeated.
namespace {

constexpr int relaxed = __NV_ATOMIC_RELAXED, device = __NV_THREAD_SCOPE_DEVICE;

__device__ int load(int* p) { return __nv_atomic_load_n(p, relaxed, device); }
__device__ void store(int* p, int x) { __nv_atomic_store_n(p, x, relaxed, device); }

// Two words that are equal, but for a moment; wrong is who looks at the seventh such moment.
constexpr int rare_line = __LINE__ + 10;
__global__ void look_once(int* word, bool traps) {
  if (threadIdx.x == 5 && blockIdx.x == 0) {
    for (int i = 1; i <= 60; ++i) {
      store(word, i);
      store(word + 1, i);
    }
  } else if (threadIdx.x == 40) {
    int const second = load(word + 1), first = load(word);
    if (second == 6 && first == 7) {
      if (traps) __trap();
      atomicExch(word + 2, 1);
    }
  }
}

std::string look(bool traps) {
  device_array<int> words(3);
  words.fill_bytes(0);
  launch(look_once, 2, 64)(words.data(), traps);
  auto const reports = simt::take_reports();
  if (!reports.empty()) return reports[0].kind;
  return words.to_host()[2] ? "wrong" : "";
}

int runs_that_fail(bool traps) {
  int count = 0;
  for (simt::machine().seed = 1; simt::machine().seed <= 50; ++simt::machine().seed)
    count += !look(traps).empty();
  simt::machine() = {};
  return count;
}

TEST(schedule, of_a_rare_finding_is_found_and_small_and_repeats_it) {
  EXPECT_LT(runs_that_fail(true), 10);
  auto const found = simt::search([] { return look(true); }, "a_test");
  ASSERT_EQ(found.failure, "trap");
  EXPECT_LE(found.how.choices.size(), 2u) << simt::to_text(found.how);
  EXPECT_EQ(found.how.test, "a_test");
  for (int i = 0; i < 3; ++i) {
    simt::follow(found.how);
    device_array<int> words(3);
    words.fill_bytes(0);
    launch(look_once, 2, 64)(words.data(), true);
    EXPECT_EQ(simt::end_schedule(), found.how);
    expect_finding("trap", "look_once", rare_line);
    EXPECT_EQ(words.to_host()[0], 7);
    EXPECT_EQ(words.to_host()[1], 6);
  }
}
TEST(schedule, of_a_wrong_answer_likewise) {
  auto const found = simt::search([] { return look(false); });
  ASSERT_EQ(found.failure, "wrong");
  EXPECT_LE(found.how.choices.size(), 2u) << simt::to_text(found.how);
  auto less = found.how;
  simt::follow(found.how);
  EXPECT_EQ(look(false), "wrong");
  while (!less.choices.empty()) {
    less.choices.pop_back();
    simt::follow(less);
    EXPECT_EQ(look(false), "");
  }
  simt::end_schedule();
}
TEST(schedule, is_not_found_where_nothing_goes_wrong) {
  auto const found = simt::search([] { return std::string(); }, {}, 5);
  EXPECT_EQ(found.failure, "");
  EXPECT_EQ(found.attempts, 5u);
}

// A late write is a choice like any other.
__global__ void sum_and_flag(int* word) {
  if (blockIdx.x == 0) {
    atomicAdd(word, 1);
    store(word + 1, 1);
  } else {
    while (!load(word + 1)) continue;
    word[2] = atomicAdd(word, 0);
  }
}
TEST(schedule, can_have_late_writes) {
  auto const attempt = [] {
    device_array<int> words(3);
    words.fill_bytes(0);
    launch(sum_and_flag, 2, 1)(words.data());
    return words.to_host()[2] == 1 ? "" : "wrong";
  };
  auto const found = simt::search(attempt);
  ASSERT_EQ(found.failure, "wrong");
  ASSERT_EQ(found.how.choices.size(), 1u) << simt::to_text(found.how);
  EXPECT_EQ(found.how.choices[0], (simt::choice{0, 0, 0, 1, simt::choice::late}));
}

TEST(schedule, is_text) {
  simt::schedule const s{
      "a.b/1", 7, 16, {{0, 1, 33, 4, simt::choice::run, 2, 63}, {1, 0, 5, 6, simt::choice::old}}};
  EXPECT_EQ(simt::schedule_of(simt::to_text(s)), s);
  for (auto const* wrong :
       {"", "simt-schedule 2\n", "simt-schedule 1\nseeds 3\n",
        "simt-schedule 1\nchoice 0 1 2 3 run 4\n", "simt-schedule 1\nchoice 0 1 2 3 walk\n"})
    EXPECT_THROW(simt::schedule_of(wrong), std::invalid_argument) << wrong;
}

// For replay_test.py, which asks for it.
TEST(schedule, that_fails_can_be_saved_by_the_program) {
  if (std::getenv("TALLY_RARE_FAILURE")) {
    EXPECT_EQ(look(false), "");
  }
}

}  // namespace
