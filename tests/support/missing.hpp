// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tally/dynamic.hpp"

namespace support {

using namespace tally;

// Elements some of which are missing, each with its index, as the others alone.
inline void check_missing(bound_aggregate const& op, any_array const& x) {
  std::vector<std::size_t> missing;
  std::vector<std::byte> others;
  any_reducer all(op), apart(op), sent(op);
  auto const* const bytes = static_cast<std::byte const*>(x.data);
  auto const size = size_of(x.type);
  for (std::size_t i = 0; i < x.size; ++i) {
    if (i < 3 || i % 7 == 2 || (i > 500 && i < 900)) {
      missing.push_back(i);
      continue;
    }
    others.insert(others.end(), bytes + i * size, bytes + (i + 1) * size);
    any_reducer one(op, {}, i);
    one.add(cpu{}, {x.type, bytes + i * size, 1});
    apart.append(one);
  }
  all.add(cpu{2}, x, missing);
  auto const found = all.result(), expected = apart.result();
  ASSERT_EQ(found.size(), expected.size());
  for (auto const& one : expected) EXPECT_EQ(found[one.name], one.value) << one.name;
  EXPECT_EQ(all.nan_count(), missing.size());
  EXPECT_EQ(all.count(), x.size);
  EXPECT_EQ(all.first_missing(), 0u);
  byte_writer out;
  all.write(out);
  auto const written = out.take();
  byte_reader in(written);
  sent.read(in);
  EXPECT_TRUE(in.at_end());
  sent.move_to(1000);
  EXPECT_EQ(sent.first_missing(), 1000u);
  sent.append(all);
  EXPECT_EQ(sent.first_missing(), 0u);
  EXPECT_EQ(sent.nan_count(), 2 * missing.size());
}

}  // namespace support
