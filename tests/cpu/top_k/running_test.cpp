// SPDX-License-Identifier: Apache-2.0
//
// The k best of a stream whose buffer is filled to its last place, at any k and any room.
#include "cpu/top_k/running.hpp"

#include <gtest/gtest.h>

#include <random>

#include "cpu/top_k_oracle.hpp"

namespace tally::detail::top_k {
namespace {

using top_k_oracle::expect_best;
using top_k_oracle::ranked;

template <class T>
void expect_held(std::vector<T> const& in, std::uint64_t k, std::size_t room, bool distinct) {
  using R = represent<T>;
  // What is held stands by index, or where repeats are dropped best first.
  top_k_options const options{.sorted = distinct, .distinct = distinct};
  auto const rank = ranking<R>::of(std::type_identity<T>{}, options);
  for (std::size_t chunk : {in.size(), std::size_t(1), room}) {
    top_k_result<T> result;
    running<R> best(rank, k, distinct, output<R>(result), room);
    auto const* const data = reinterpret_cast<R const*>(in.data());
    for (std::size_t i = 0; i < in.size(); i += chunk)
      best.add(data + i, std::min(chunk, in.size() - i), std::int64_t(i), 1);
    best.flush();
    expect_best<T>(in, ranked<T>(in, options), k, options, result,
                   std::to_string(in.size()) + " elements, k = " + std::to_string(k) + ", room " +
                       std::to_string(room) + (distinct ? ", distinct" : ""));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(running_selection, has_the_best_at_every_room_and_k) {
  std::mt19937_64 random(1);
  for (bool distinct : {false, true})
    for (std::size_t n = 0; n < 11; ++n)
      for (std::uint64_t k = 0; k < 6; ++k)
        for (std::size_t room = 1; room < 6; ++room) {
          std::vector<std::int32_t> in(n);
          for (auto& x : in) x = std::int32_t(random() % 7) - 3;
          expect_held(in, k, room, distinct);
          if (HasFatalFailure()) return;
        }
}

// In blocks, some of which fill the buffer with their last element or their first.
TEST(running_selection, has_the_best_where_blocks_fill_the_buffer) {
  for (bool distinct : {false, true})
    for (std::size_t room : {63, 64, 65, 128})
      for (std::uint64_t k : {std::size_t(1), std::size_t(63), room - 1, room, room + 1}) {
        std::vector<float> rising(300), falling(300), some(300);
        for (std::size_t i = 0; i < rising.size(); ++i) {
          rising[i] = float(i), falling[i] = -float(i);
          some[i] = float(i * 7919 % 101);
        }
        for (auto const& in : {rising, falling, some}) expect_held(in, k, room, distinct);
        if (HasFatalFailure()) return;
      }
}

}  // namespace
}  // namespace tally::detail::top_k
