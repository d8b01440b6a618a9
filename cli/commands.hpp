// SPDX-License-Identifier: Apache-2.0
//
// The table of commands.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "arguments.hpp"

namespace tally::cli {

// Options that not every command takes.
enum option_group : unsigned {
  reads_arrays = 1u << 0,
  skips_nan = 1u << 1,
  takes_each = 1u << 2,
  has_out_type = 1u << 3,
  has_ddof = 1u << 4,
  saves_state = 1u << 5,
  scans = 1u << 6,
  selects = 1u << 7,
  generates = 1u << 8,
  reads_states = 1u << 9,
  climbs = 1u << 10,
  looks_around = 1u << 11,
  grows = 1u << 12,      // its answer can be far beyond the elements
  keeps_all = 1u << 13,  // of a stream, until its end
  runs_on_gpu = 1u << 14,
  leaves_nan_out = 1u << 15,  // always
  takes_quantiles = 1u << 16,
  adds_decimals = 1u << 17,
  takes_decimals = 1u << 18,       // for another answer than a sum or a mean
  adds_integers = 1u << 19,        // its answer, or a part of it, is a sum
  multiplies_integers = 1u << 20,  // its answer is a product
  divides = 1u << 21,              // by how many elements there are
  squares = 1u << 22,              // its answer is one of squares, or of their root
  takes_root = 1u << 23,
  has_rows = 1u << 24,     // answers along an axis
  writes_rows = 1u << 25,  // to a file
  shares_out = 1u << 26,   // its array, to ranks
};

struct command {
  std::string_view name;
  std::array<std::string_view, 2> aliases;
  std::string_view about;    // a line for the list of commands
  std::string_view details;  // what else its own help says
  unsigned options;
  std::string_view examples[2];
  void (*run)(arguments const&) = nullptr;  // of help there is none
  std::string_view aggregate = "";          // of a reduction
  std::string_view index = "";              // the aggregate that finds where its answer comes first
  std::string_view of_integers = "";        // its aggregate for integers, if that is another
};

// Those of the library's aggregates that no other command is for are commands, too.
std::span<command const> commands();
command const* command_named(std::string_view name);

void run_reduction(arguments const&);
void run_scan(arguments const&);
void run_count(arguments const&);
void run_dot(arguments const&);
void run_top_k(arguments const&);
void run_quantile(arguments const&);
void run_info(arguments const&);
void run_generate(arguments const&);
void run_merge(arguments const&);
void run_ladder(arguments const&);
void run_devices(arguments const&);

}  // namespace tally::cli
