// SPDX-License-Identifier: Apache-2.0
//
//   PROGRAM --gtest_filter=TEST --search FILE [--runs N]   saves a small schedule that fails
//   PROGRAM --replay FILE                                  runs the test by that schedule
//   PROGRAM --seed N                                       another seed, where tests set none
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "simt/machine.hpp"
#include "simt/schedule.hpp"

namespace {

std::string text_of(simt::position p) {
  std::ostringstream out;
  out << '(' << p.x << ',' << p.y << ',' << p.z << ')';
  return out.str();
}

// A test fails if the SIMT machine found anything that the test did not ask for. What it found is
// said before the failures that come of it.
class no_findings : public testing::EmptyTestEventListener {
 public:
  std::string first_failure;  // in a line; empty: none

 private:
  void OnTestPartResult(testing::TestPartResult const& part) override {
    if (!part.failed()) return;
    for (auto const& r : simt::take_reports()) {
      std::cout << r.file << ':' << r.line << ": before it: " << text(r) << std::endl;
      note(r);
    }
    note("failure", part.file_name() ? part.file_name() : "", part.line_number());
  }
  void OnTestEnd(testing::TestInfo const&) override {
    for (auto const& r : simt::take_reports()) {
      note(r);
      ADD_FAILURE_AT(r.file.c_str(), r.line) << text(r);
    }
  }

  static std::string text(simt::report const& r) {
    return r.kind + " in " + r.kernel + ", block " + text_of(r.block) + ", lane " +
           text_of(r.lane) + ": " + r.text;
  }
  void note(simt::report const& r) { note(r.kind, r.file, r.line); }
  void note(std::string const& kind, std::string const& file, int line) {
    if (first_failure.empty()) first_failure = kind + " at " + file + ':' + std::to_string(line);
  }
};

// The value that follows an option; empty: it is not there.
std::string option(int argc, char** argv, std::string const& name) {
  for (int i = 1; i + 1 < argc; ++i)
    if (argv[i] == name) return argv[i + 1];
  return {};
}

void be_silent() {
  int const nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

int save_search(std::string const& file, unsigned most_runs, no_findings const& listener) {
  auto const attempt = [&] {
    be_silent();
    int const status = RUN_ALL_TESTS();
    return status == 0 ? "" : listener.first_failure;
  };
  auto const found = simt::search(attempt, GTEST_FLAG_GET(filter), most_runs);
  if (found.failure.empty()) {
    std::cout << "no failure in " << found.attempts << " runs\n";
    return 1;
  }
  std::ofstream(file) << simt::to_text(found.how);
  std::cout << found.failure << '\n'
            << file << ": " << found.how.choices.size() << " choices, in " << found.attempts
            << " runs\n";
  return 0;
}

void begin_replay(std::string const& file) {
  std::ifstream in(file);
  if (!in) throw std::invalid_argument(file + ": cannot be read");
  auto const how = simt::schedule_of({std::istreambuf_iterator<char>(in), {}});
  GTEST_FLAG_SET(filter, how.test);
  simt::follow(how);
}

}  // namespace

int main(int argc, char** argv) try {
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  auto* const listener = new no_findings;
  auto* const printer = listeners.Release(listeners.default_result_printer());
  listeners.Append(listener);  // before what prints the failures
  listeners.Append(printer);
  if (auto const seed = option(argc, argv, "--seed"); !seed.empty())
    simt::set_usual_seed(std::stoull(seed));
  auto const runs = option(argc, argv, "--runs");
  if (auto const file = option(argc, argv, "--search"); !file.empty())
    return save_search(file, runs.empty() ? 1000 : unsigned(std::stoul(runs)), *listener);
  if (auto const file = option(argc, argv, "--replay"); !file.empty()) begin_replay(file);
  return RUN_ALL_TESTS();
} catch (std::exception const& failure) {
  std::cerr << argv[0] << ": " << failure.what() << '\n';
  return 2;
}
