// SPDX-License-Identifier: Apache-2.0
//
// main() of the device tests on a GPU. Without one, every test is skipped.
#include <gtest/gtest.h>

#include <cstdio>

#include "tally/devices.hpp"

namespace {

class skip_every_test : public testing::EmptyTestEventListener {
  void OnTestStart(testing::TestInfo const&) override { GTEST_SKIP() << "no GPU"; }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (auto const why = tally::no_gpu_because(); !why.empty()) {
    std::printf("no GPU: %s\n", why.c_str());
    testing::UnitTest::GetInstance()->listeners().Append(new skip_every_test);
  }
  return RUN_ALL_TESTS();
}
