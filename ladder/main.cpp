// SPDX-License-Identifier: Apache-2.0
//
// Runs the rungs of a ladder and prints a line of JSON for each. `tally ladder` presents them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

#include "ladder/run.hpp"
#include "tally/error.hpp"

// Which rungs, on what and how. Returns the option that names the ladder.
static CLI::Option* define_options(CLI::App& app, ladder::request& asked) {
  app.add_option("--rung", asked.rung, "Only the rung of this id");
  app.add_option("--n", asked.n, "How many elements");
  app.add_option("--dtype", asked.type, "float32 or int32")
      ->transform(CLI::CheckedTransformer(ladder::element_names()));
  app.add_option("--operator", asked.op, "sum, min, max, mean or recurrence")
      ->transform(CLI::CheckedTransformer(ladder::operation_names()));
  app.add_option("--grid", asked.grid, "Blocks")->check(CLI::Range(1u, 65535u));
  app.add_option("--block", asked.block, "Threads a block")->check(CLI::Range(1u, 1024u));
  app.add_option("-k", asked.k, "How many a selection selects")->check(CLI::PositiveNumber);
  auto* const distinct = app.add_flag("--distinct", asked.distinct,
                                      "Selections that take equal elements once, as the page does");
  app.add_flag("--repeats", asked.repeats, "Equal elements each count, for those too")
      ->excludes(distinct);
  app.add_flag("--this-size", asked.this_size, "Verify at this size only, in one shape");
  app.add_flag("--only-able", asked.only_able, "Leave out rungs that take fewer than --n");
  app.add_flag("--sweep", asked.sweep, "Every rung in a range of grids and blocks");
  auto* const verify = app.add_flag("--verify-only", asked.verify_only, "Do not measure");
  app.add_flag("--once", asked.once, "Make one call, and print its counts: for a profiler")
      ->excludes(verify);
  return app.add_option("ladder", asked.ladder,
                        "reduce, squares, memory, shuffle, scan, top-k, rows");
}

int main(int argc, char** argv) try {
  CLI::App app("The rungs of the ladder, as lines of JSON");
  app.require_subcommand(1);

  ladder::request asked;
  auto* const list = app.add_subcommand("list", "The rungs that `run` would run; all");
  auto* const run = app.add_subcommand("run", "Verify and measure the rungs of a ladder");
  define_options(*list, asked);
  define_options(*run, asked)->required();

  CLI11_PARSE(app, argc, argv);
  if (list->parsed()) return ladder::list(asked);
  return ladder::run(asked);
} catch (std::exception const& failure) {
  std::cerr << "tally ladder: " << failure.what() << '\n';
  return 1;
}
