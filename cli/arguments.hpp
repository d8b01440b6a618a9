// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tally/communicator.hpp"
#include "tally/dtype.hpp"
#include "tally/interpolation.hpp"
#include "tally/where.hpp"

namespace tally::cli {

// The command line asks for what there is not: exit status 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A place in the sorted array, and how the command line says it.
struct place {
  std::string text;
  fraction value;
};

// What tally ladder is asked for; what is not there, each rung chooses.
struct ladder_arguments {
  std::string name;
  std::string where = "auto";
  std::optional<std::uint64_t> n, block, grid, k;
  std::optional<std::string> op, type, rung, svg;
  bool sweep = false, distinct = false, repeats = false;
  std::vector<std::string> given;  // the options that there were, but for --json
};

struct command;  // commands.hpp

// What the command line says, checked as far as it can be before any input is seen.
struct arguments {
  cli::command const* command;
  std::vector<std::string> files;  // at least one; "-" is standard input
  bool json = false, time = false, verbose = false;
  cpu where;
  std::string device = "auto";
  std::vector<int> gpus;          // that --device names: none, or which; -1: the current one
  communicator* ranks = nullptr;  // that share the array out; none: this process has all of it

  std::optional<dtype> type;
  std::optional<std::string> column;
  bool raw = false, decimal = false;
  std::optional<char> delimiter;
  std::optional<bool> header;
  std::vector<std::string> missing;
  bool each = false;
  std::optional<std::int64_t> axis;     // an answer for each line along it
  std::optional<std::string> segments;  // or for each segment that begins at this file's offsets
  std::vector<std::uint64_t> shape;     // of what has none of its own
  bool skip_nan = false;
  std::optional<dtype> out_type;
  std::uint64_t ddof = 0;
  std::optional<std::string> save_state;
  std::optional<std::uint64_t> first_index;

  std::optional<std::string> output;
  bool exclusive = false, reverse = false;
  std::optional<std::string> init;

  std::optional<std::uint64_t> k;
  bool smallest = false, unsorted = false, distinct = false;

  std::vector<place> places;  // -q
  std::string method = "linear";
  std::uint64_t memory = 1'000'000'000;

  std::string kind;
  std::optional<std::uint64_t> n;
  std::uint32_t seed = 1;
  std::optional<double> condition;

  ladder_arguments ladder;

  bool no_measure = false;

  nan_policy nan() const { return skip_nan ? skip : propagate; }
};

// Nothing if the command line asked for help, which has been printed then. Throws usage_error, or
// tally::error for a device that is not there.
std::optional<arguments> parse(int argc, char const* const* argv);

}  // namespace tally::cli
