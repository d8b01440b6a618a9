// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <iterator>
#include <string>
#include <vector>

#include "tally/dynamic.hpp"

namespace tally::cli {
namespace {

constexpr unsigned reduction =
    reads_arrays | has_rows | writes_rows | takes_each | skips_nan | saves_state | shares_out;

constexpr command own[] = {
    {"sum",
     {},
     "The exact sum, rounded once",
     "Integers: every digit, however many there are; modulo 2^64 with --out-dtype int64 or "
     "uint64.\n"
     "Floating point: the exact sum, rounded once to --out-dtype: by default a wider type than "
     "the\n"
     "input's, float32 for float16 and bfloat16, float64 for float32.",
     reduction | has_out_type | adds_decimals | adds_integers | runs_on_gpu | grows,
     {"tally sum examples/data/flights_distance.npy", "seq 100 | tally sum"},
     run_reduction,
     "sum"},
    {"fast-sum",
     {},
     "A sum rounded at every step, with the same bits everywhere",
     "Adds in the input's type along a fixed binary tree over the element index: as fast as a sum\n"
     "gets, the same bits for any number of threads, and a rounding error that grows with the "
     "size.\n"
     "Of integers it is their sum.",
     reduction | adds_integers | runs_on_gpu | grows,
     {"tally fast-sum examples/data/flights_distance.npy",
      "tally fast-sum --json examples/data/flights_distance.npy"},
     run_reduction,
     "fast_sum",
     "",
     "sum"},
    {"mean",
     {},
     "The exact mean, rounded once",
     "The exact sum divided by the number of elements, rounded once; of integers, as float64.",
     reduction | divides | has_out_type | adds_decimals | runs_on_gpu,
     {"tally mean examples/data/flights_distance.npy",
      "tally mean --skip-nan --column arr_delay examples/data/flights.csv"},
     run_reduction,
     "mean"},
    {"variance",
     {},
     "The exact variance of the population (divided by n), rounded once",
     "The mean squared distance from the mean, exact and rounded once to the input's type or\n"
     "--out-dtype; of integers, to float64. --ddof 1 divides by n - 1, for that of a sample.",
     reduction | divides | squares | has_out_type | has_ddof | takes_decimals | runs_on_gpu,
     {"tally variance examples/data/flights_distance.npy",
      "tally variance --ddof 1 --skip-nan examples/data/flights_arr_delay.npy"},
     run_reduction,
     "variance"},
    {"std",
     {"stddev", "standard-deviation"},
     "The exact standard deviation of the population (divided by n), rounded once",
     "The root of the variance, exact and rounded once to the input's type or --out-dtype; of\n"
     "integers, to float64. --ddof 1 divides by n - 1, for that of a sample.",
     reduction | divides | squares | takes_root | has_out_type | has_ddof | takes_decimals |
         runs_on_gpu,
     {"tally std examples/data/flights_distance.npy",
      "tally std --ddof 1 --skip-nan examples/data/flights_arr_delay.npy"},
     run_reduction,
     "standard_deviation"},
    {"norm",
     {},
     "The Euclidean norm, exact and rounded once",
     "The root of the sum of squares, rounded once to --out-dtype: by default as a sum is, of "
     "integers\n"
     "to float64.",
     reduction | squares | takes_root | has_out_type | takes_decimals | runs_on_gpu | grows,
     {"tally norm examples/data/flights_distance.npy", "printf '3 4' | tally norm"},
     run_reduction,
     "norm"},
    {"sum-of-squares",
     {},
     "The exact sum of squares, rounded once",
     "As a sum is: of integers every digit, of floating point in a wider type, or in --out-dtype.",
     reduction | squares | has_out_type | takes_decimals | runs_on_gpu | grows,
     {"tally sum-of-squares examples/data/flights_distance.npy", "seq 3 | tally sum-of-squares"},
     run_reduction,
     "sum_of_squares"},
    {"prod",
     {"product"},
     "The product: of integers every digit, of floating point rounded at every step",
     "Floating point: in the input's type, along a fixed binary tree over the element index, with "
     "the\n"
     "same bits everywhere. Integers: up to 10^6 digits; rounded once with --out-dtype float64,\n"
     "modulo 2^64 with --out-dtype int64 or uint64.",
     reduction | has_out_type | multiplies_integers | takes_decimals | runs_on_gpu,
     {"seq 20 | tally prod", "seq 20 | tally prod --json"},
     run_reduction,
     "product"},
    {"min",
     {},
     "The least element",
     "-0.0 is less than +0.0; any NaN makes the answer NaN. --json also says where it comes first.",
     reduction | takes_decimals | runs_on_gpu,
     {"tally min examples/data/flights_distance.npy",
      "tally min --json --skip-nan examples/data/flights_arr_delay.npy"},
     run_reduction,
     "minimum",
     "arg_minimum"},
    {"max",
     {},
     "The greatest element",
     "-0.0 is less than +0.0; any NaN makes the answer NaN. --json also says where it comes first.",
     reduction | takes_decimals | runs_on_gpu,
     {"tally max examples/data/flights_distance.npy",
      "tally max --json --skip-nan examples/data/flights_arr_delay.npy"},
     run_reduction,
     "maximum",
     "arg_maximum"},
    {"argmin",
     {"arg-minimum"},
     "Where the least element comes first",
     "Its index, counted from 0. The first NaN, if there is one; -0.0 equals +0.0.",
     reduction | takes_decimals | runs_on_gpu,
     {"tally argmin examples/data/flights_distance.npy",
      "tally argmin --skip-nan examples/data/flights_arr_delay.npy"},
     run_reduction,
     "arg_minimum"},
    {"argmax",
     {"arg-maximum"},
     "Where the greatest element comes first",
     "Its index, counted from 0. The first NaN, if there is one; -0.0 equals +0.0.",
     reduction | takes_decimals | runs_on_gpu,
     {"tally argmax examples/data/flights_distance.npy",
      "tally argmax --skip-nan examples/data/flights_arr_delay.npy"},
     run_reduction,
     "arg_maximum"},
    {"describe",
     {},
     "Count, sum, mean, standard deviation, least and greatest, in one read",
     "Every figure is exact and rounded once. NaN is always skipped, and counted: `count` is of "
     "all\n"
     "elements, `nan_count` of those that are NaN. `sum` is shown as by tally sum.\n"
     "`standard_deviation` is the population's, divided by n; --ddof 1 divides by n - 1.\n"
     "Of CSV without --column: of all columns that hold no text.",
     reduction | has_ddof | adds_integers | takes_decimals | runs_on_gpu | leaves_nan_out,
     {"tally describe examples/data/flights_arr_delay.npy",
      "tally describe --column distance examples/data/flights.csv"},
     run_reduction,
     "describe"},
    {"count",
     {},
     "How many elements there are",
     "With --skip-nan, how many of them are not NaN.",
     reads_arrays | has_rows | takes_each | skips_nan | shares_out,
     {"tally count examples/data/flights_distance.npy",
      "tally count --skip-nan examples/data/flights_arr_delay.npy"},
     run_count},
    {"dot",
     {},
     "The dot product of two arrays, exact and rounded once",
     "Of two files A and B of one type and as many elements. As a sum is: of integers every digit, "
     "of\n"
     "floating point in a wider type, or in --out-dtype. With --skip-nan, pairs with a NaN count "
     "as\n"
     "absent.",
     (reduction & ~takes_each & ~shares_out) | has_out_type | takes_decimals | runs_on_gpu | grows,
     {"tally dot examples/data/flights_distance.npy examples/data/flights_distance.npy",
      "seq 3 | tally dot - <(seq 4 6)"},
     run_dot,
     "dot"},
    {"scan",
     {"cumsum"},
     "Prefix sums, each exact and rounded once",
     "Element i of the output is the sum of the elements up to i. Floating point: in the input's "
     "type\n"
     "or a wider --out-dtype. Integers: every digit; in a file of elements int64 or uint64, which "
     "has\n"
     "to hold them, or modulo 2^64 in --out-dtype. With --decimal, of decimals as they are "
     "written.\n"
     "Without -o, a line for each; with -o, a file of the input's shape.",
     reads_arrays | has_rows | skips_nan | has_out_type | scans | takes_decimals | keeps_all |
         runs_on_gpu | shares_out,
     {"tally scan examples/data/flights_distance.npy -o distance_scanned.npy",
      "seq 10 | tally scan --exclusive --init 100"},
     run_scan,
     "sum"},
    {"top-k",
     {},
     "The k largest elements and where they are",
     "Prints index, tab, value; best first, ties by lower index. NaN is larger than +inf.",
     reads_arrays | has_rows | takes_each | skips_nan | selects | takes_decimals | runs_on_gpu |
         shares_out,
     {"tally top-k -k 5 --skip-nan examples/data/flights_arr_delay.npy",
      "tally top-k --smallest --distinct examples/data/flights_distance.npy"},
     run_top_k},
    {"quantile",
     {},
     "What is at a place of the sorted array, without sorting it",
     "For -q 0.25 a quarter of the elements lie below, and so on: the value at the place (n - 1) * "
     "q of\n"
     "the sorted array, counted from 0, exact and rounded once to the input's type; of integers\n"
     "float64, unless --method chooses one of them. 0.95 is 95/100, not the double next to it. Any "
     "NaN\n"
     "makes the answer NaN. A line for each place, or the median without -q.",
     reads_arrays | has_rows | writes_rows | takes_each | skips_nan | takes_quantiles |
         takes_decimals | keeps_all | runs_on_gpu | shares_out,
     {"tally quantile -q 0.5,0.95,99% examples/data/flights_distance.npy",
      "seq 100 | tally quantile -q 0.9 --method nearest"},
     run_quantile},
    {"median",
     {},
     "The element in the middle of the sorted array, or the mean of the two there",
     "Exact and rounded once to the input's type; of integers, as float64. Any NaN makes the "
     "answer\n"
     "NaN.",
     reads_arrays | has_rows | writes_rows | takes_each | skips_nan | takes_decimals | keeps_all |
         runs_on_gpu | shares_out,
     {"tally median examples/data/flights_distance.npy",
      "tally median --skip-nan --json examples/data/flights_arr_delay.npy"},
     run_quantile},
    {"info",
     {},
     "What is in a file: type, shape, size",
     "Numbers are not looked at, except where only reading them tells how many there are, and of "
     "which\n"
     "type: text, CSV. Without --column, of CSV what its columns are, of a .npz what its arrays "
     "are.",
     reads_arrays,
     {"tally info examples/data/flights_distance.npy",
      "tally info --json examples/data/flights_distance.npy examples/data/flights_arr_delay.npy"},
     run_info},
    {"generate",
     {},
     "Writes an array to try things on",
     "The same seed gives the same bits on every machine; digits and signed, which take the C\n"
     "library's rand(), on every machine with glibc. KIND is one of\n"
     "  digits           rand() % 10, int32; 1048576 of them by default\n"
     "  signed           rand(), those at even indices negated, int32; 10000000 of them by "
     "default\n"
     "  uniform          from [0, 1), float32; 1048576 of them by default\n"
     "  normal           mean 0, variance 1, float32; 1048576 of them by default\n"
     "  ill-conditioned  sum of |x| over |sum of x| about --condition, float64; 1048576 by default",
     generates,
     {"tally generate digits -o digits.npy",
      "tally generate ill-conditioned -n 1000 --condition 1e30 | tally sum"},
     run_generate},
    {"merge",
     {},
     "Puts saved states together: the answer for all their arrays as one",
     "States come from --save-state, all of one command, type and options. Without --first-index "
     "they\n"
     "are consecutive parts of the array, in the order given.",
     reads_states,
     {"seq 10 | tally sum --save-state a.state; seq 11 100 | tally sum --save-state b.state; "
      "tally merge a.state b.state",
      "seq 9 | tally max --first-index 500 --save-state c.state; tally merge --json c.state"},
     run_merge},
    {"ladder",
     {},
     "The steps to a fast kernel, each run, verified and measured",
     "Runs the kernels of a ladder, rung by rung: reduce, squares, memory, shuffle, scan, top-k,\n"
     "rows. Each is verified on many sizes. With a GPU they are timed; without one they run on\n"
     "the SIMT machine, which counts what they do and finds races and bad accesses. Without a\n"
     "NAME, says which ladders there are. With a RUNG, shows that one with its picture and its\n"
     "source. `list` tells what of the tutorials is here, `exhibits` shows their mistakes being\n"
     "caught.",
     climbs,
     {"tally ladder shuffle", "tally ladder scan 03_kogge_stone --svg scan.svg"},
     run_ladder},
    {"help",
     {},
     "This list, or what a command does",
     "tally help COMMAND prints the same as tally COMMAND --help.",
     0,
     {"tally help", "tally help sum"}},
    {"devices",
     {},
     "What there is to run on, and how fast its memory is",
     "This machine's processor and every GPU. The read and copy lines, in 10^9 bytes a second, "
     "are\n"
     "what its memory does at best, on data that is in no cache: they bound every other command.",
     looks_around,
     {"tally devices", "tally devices --json --no-measure"},
     run_devices},
};

// Text that commands refer to.
class generated {
 public:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

 private:
  std::deque<std::string> texts_;
};

command command_for(any_aggregate const& op, generated& texts) {
  auto const& info = op.info();
  std::string name(info.name), about(info.summary), details;
  std::ranges::replace(name, '_', '-');
  about[0] = char(std::toupper((unsigned char)about[0]));
  for (auto const type : info.elements)
    details += (details.empty() ? "Of elements " : ", ") + std::string(tally::name(type));
  constexpr std::string_view of_decimals[] = {"min_max", "peak_to_peak"};
  bool const takes_decimal = std::ranges::count(of_decimals, info.name) > 0;
  bool const rounds = op.result_types(info.elements.front()).size() > 1;
  bool const takes_floats = std::ranges::count(info.elements, dtype::float64);
  std::string const source = takes_floats ? "seq 100 | tally " : "tally generate digits | tally ";
  return {texts.keep(name),
          {},
          texts.keep(about),
          texts.keep(details + "."),
          reduction | (rounds ? has_out_type : 0u) | (info.takes_ddof ? has_ddof : 0u) |
              (takes_decimal ? takes_decimals : 0u) | runs_on_gpu,
          {texts.keep(source + name), texts.keep(source + name + " --json")},
          run_reduction,
          info.name};
}

// The reductions first.
std::vector<command> all_commands() {
  static generated texts;
  std::vector<command> all;
  auto const is_reduction = [](command const& c) { return c.run == run_reduction; };
  std::ranges::copy_if(own, std::back_inserter(all), is_reduction);
  for (auto const& info : aggregates())
    if (!info.of_pairs &&
        std::ranges::none_of(all, [&](auto const& c) { return c.aggregate == info.name; }))
      all.push_back(command_for(any_aggregate(info.name), texts));
  std::ranges::remove_copy_if(own, std::back_inserter(all), is_reduction);
  return all;
}

}  // namespace

std::span<command const> commands() {
  static std::vector<command> const all = all_commands();
  return all;
}

command const* command_named(std::string_view name) {
  auto const all = commands();
  auto const found = std::ranges::find_if(all, [&](command const& c) {
    return c.name == name || (!name.empty() && std::ranges::count(c.aliases, name));
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tally::cli
