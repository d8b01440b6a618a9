// SPDX-License-Identifier: Apache-2.0
//
// Tells who checks bounds (bounds/record.hpp) which test runs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

class tell : public testing::EmptyTestEventListener {
  void OnTestStart(testing::TestInfo const& test) override {
    auto const name = std::string(test.test_suite_name()) + "." + test.name();
    setenv("TALLY_CURRENT_TEST", name.c_str(), 1);
  }
};

bool const told = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new tell);
  return true;
}();

}  // namespace
