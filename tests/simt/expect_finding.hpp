// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "simt/machine.hpp"

// Takes the reports, of which there must be one, of this kind and at this line.
inline simt::report expect_finding(std::string const& kind, std::string const& kernel, int line) {
  auto const found = simt::take_reports();
  EXPECT_EQ(found.size(), 1u);
  if (found.size() != 1) return {};
  simt::report const& r = found[0];
  EXPECT_EQ(r.kind, kind) << r.text;
  EXPECT_EQ(r.kernel, kernel);
  EXPECT_EQ(r.line, line) << r.text;
  EXPECT_TRUE(r.file.starts_with("tests/simt/")) << r.file;
  return r;
}

// Likewise, by this lane of block 0.
inline simt::report expect_finding(std::string const& kind, std::string const& kernel, int line,
                                   simt::position lane) {
  simt::report r = expect_finding(kind, kernel, line);
  EXPECT_EQ(r.lane, lane) << r.text;
  EXPECT_EQ(r.block, simt::position{});
  return r;
}

namespace simt {
inline void PrintTo(position p, std::ostream* out) {
  *out << '(' << p.x << ',' << p.y << ',' << p.z << ')';
}
}  // namespace simt
