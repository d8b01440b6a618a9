// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"
#include "commands.hpp"
#include "outcome.hpp"
#include "process.hpp"
#include "ranks.hpp"

namespace {

void run(int argc, char const* const* argv) {
  auto const arguments = tally::cli::parse(argc, argv);
  if (arguments) arguments->command->run(*arguments);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tally::cli;
  prepare_process();
  if (auto const self = launched_as(); self.size > 1) return run_as_rank(self, argc, argv);
  return tell(outcome_of([&] { run(argc, argv); }));
}
