// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simt/machine.hpp"

// A test fails if the SIMT machine found anything that the test did not ask for.
class no_findings : public testing::EmptyTestEventListener {
  void OnTestEnd(testing::TestInfo const&) override {
    for (auto const& r : simt::take_reports()) {
      ADD_FAILURE_AT(r.file.c_str(), r.line)
          << r.kind << " in " << r.kernel << ", block (" << r.block.x << "," << r.block.y << ","
          << r.block.z << "), lane (" << r.lane.x << "," << r.lane.y << "," << r.lane.z
          << "): " << r.text;
    }
    simt::take_counts();
  }
};

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new no_findings);
  return RUN_ALL_TESTS();
}
