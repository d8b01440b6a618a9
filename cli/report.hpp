// SPDX-License-Identifier: Apache-2.0
//
// How answers reach the user: plain or as JSON on standard output, their time on standard error.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "input.hpp"
#include "number.hpp"
#include "process.hpp"
#include "tally/error.hpp"

namespace tally::cli {

// `names` is empty, or has one for every line.
struct answer {
  std::vector<std::string> lines, names = {};
  json keys = json::object();
  bool rounded = false;  // a float64 of integers, beyond 2^53, that is none of theirs
};

// What ran a call; of a GPU also its name and its plan.
struct ran_on {
  std::string device = "cpu", plan = {};
};

// What every answer says of the array that it is for.
struct facts {
  std::vector<std::string> inputs;
  dtype type;
  std::vector<std::uint64_t> shape;
  std::uint64_t count;
  std::optional<std::uint64_t> nan_count;  // absent: nobody looked
  std::uint64_t bytes_read;
  std::uint64_t chunks = 0;  // in which an input came
  ran_on ran = {};
  io::text_facts text = {};
  std::string type_name = {};  // in place of the type's own
  // Of several columns, those of which there is something to be said.
  std::vector<std::pair<std::string, io::text_facts>> columns = {};
};
// Of an input that has been read.
facts facts_of(input const& in, std::optional<std::uint64_t> nan_count);

// Measures from its construction.
class stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// On standard error, how the call was carried out, if --verbose asks, and what a text had that the
// answer does not show: no numbers where they should be, names of rows, integers that had to be
// rounded, numbers beyond the type's range.
void print_notes(arguments const& options, facts const& about, answer const& found = {});

// --each: all on one line, after the file's name, with tabs in between.
void print(arguments const& options, facts const& about, answer const& found,
           stopwatch const& watch);

// --time alone, for commands that have printed their answer.
void print_time(arguments const& options, std::uint64_t bytes, double seconds);

// A name as a terminal may have it: its control characters, C1 too, as \xNN.
std::string printable(std::string_view name);
// What a message calls an input.
std::string told_name(std::string const& input);
// That an input of so many elements has nothing to answer for.
error empty_array(command const& what, std::string const& array, std::uint64_t count);

// Calls run(files) for all files together, or --each: for one after the other, and tells what is
// wrong with one before it goes on to the next.
template <class F>
void for_each_array(arguments const& options, F&& run) {
  if (!options.each) return run(options.files);
  bool failed = false;
  for (auto const& file : options.files) {
    try {
      run(std::vector<std::string>{file});
    } catch (error const& e) {
      tell(e.what());
      failed = true;
    }
  }
  if (failed) throw told_already{};
}

}  // namespace tally::cli
