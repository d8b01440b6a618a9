// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/partial.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/aggregate/fast_sum.hpp"

namespace {

using namespace tally;
using support::failure_of;

using A = decltype(fast_sum{}.on<double>());
using tree = detail::tree_partial<A>;

struct place {
  std::uint64_t first;
  std::uint8_t level;
};

// What a state file has of such nodes.
std::vector<std::byte> bytes_of(std::vector<place> const& nodes) {
  byte_writer out;
  out.put(std::uint32_t(nodes.size()));
  for (auto const& n : nodes) {
    out.put(n.first);
    out.put(n.level);
    out.put(true);
    A::write(out, A{}.lift(1.0, n.first));
  }
  return out.take();
}
tree read(std::vector<place> const& nodes) {
  auto const bytes = bytes_of(nodes);
  byte_reader in(bytes);
  tree t(A{});
  t.read(in);
  return t;
}
std::string why_not(std::vector<place> const& nodes) {
  return failure_of([&] { read(nodes); });
}

TEST(tree_partial, is_read_as_it_was_written) {
  tree const t = read({{6, 1}, {8, 3}, {16, 0}});
  EXPECT_TRUE(t.covers(6, 11));
  byte_writer again;
  t.write(again);
  EXPECT_EQ(again.take(), bytes_of({{6, 1}, {8, 3}, {16, 0}}));
}

TEST(tree_partial, of_nodes_that_no_run_has_is_refused) {
  EXPECT_NE(why_not({{5, 1}}).find("not aligned"), std::string::npos);
  EXPECT_NE(why_not({{0, 64}}).find("not aligned"), std::string::npos);
  EXPECT_NE(why_not({{6, 1}, {9, 0}}).find("not consecutive"), std::string::npos);
  EXPECT_NE(why_not({{6, 1}, {7, 0}}).find("not consecutive"), std::string::npos);
  EXPECT_NE(why_not({{std::uint64_t(1) << 63, 0}}).find("2^63"), std::string::npos);
  EXPECT_NE(why_not(std::vector<place>(129)).find("129"), std::string::npos);
}

TEST(tree_partial, moves_by_what_keeps_its_nodes_aligned) {
  tree t = read({{6, 1}, {8, 3}});
  t.shift(16);
  EXPECT_TRUE(t.covers(22, 10));
  t.shift(-16);
  EXPECT_TRUE(t.covers(6, 10));
  EXPECT_NE(failure_of([&] { t.shift(2); }).find("cannot be moved by 2"), std::string::npos);
}

}  // namespace
