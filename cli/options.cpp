// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "array_output.hpp"
#include "commands.hpp"
#include "option_values.hpp"

namespace tally::cli {
namespace {

// `take` is given the option's text; given twice, an option has to say the same.
template <class F>
void value(CLI::App& app, std::string const& name, std::string const& text,
           std::string const& about, F take) {
  auto const take_one = [name, take](std::vector<std::string> const& texts) {
    for (auto const& other : texts)
      if (other != texts.front())
        throw usage_error(name.substr(0, name.find(',')) + ": is given twice, as '" +
                          texts.front() + "' and '" + other + "'");
    take(texts.front());
  };
  app.add_option_function<std::vector<std::string>>(name, take_one, about)
      ->option_text(text)
      ->allow_extra_args(false);
}
void flag(CLI::App& app, std::string const& name, bool& set, std::string const& about) {
  app.add_flag(name, set, about);
}

void header_flag(CLI::App& app, std::string const& name, bool header, std::string const& about,
                 arguments& a) {
  app.add_flag_callback(
      name,
      [&a, header] {
        if (a.header.value_or(header) != header)
          throw usage_error("--header: --no-header says the opposite");
        a.header = header;
      },
      about);
}

void define_input(CLI::App& app, arguments& a) {
  app.add_option("FILE", a.files, "Inputs, one array in the order given; - is standard input")
      ->option_text(" ");
  value(app, "--dtype", "TYPE", "Element type: of raw data; what text is read as (what it holds)",
        [&a](auto const& text) { a.type = type_named("--dtype", text); });
  flag(app, "--raw", a.raw, "Bytes are elements of --dtype, though they may look like text");
  value(app, "--column", "NAME|N", "CSV column, or array in a .npz, by name or by number from 1",
        [&a](auto const& text) { a.column = text; });
  value(app, "--delimiter", "C", "Between the fields of CSV (a comma; a tab in .tsv)",
        [&a](auto const& text) { a.delimiter = separator("--delimiter", text); });
  header_flag(app, "--header", true, "The first row of CSV holds names, though they be numbers", a);
  header_flag(app, "--no-header", false, "The first row of CSV is data; columns have numbers", a);
  app.add_option("--missing", a.missing,
                 "Also says in text that there is no number, spelt so, be it a number (-999)")
      ->option_text("WORD")
      ->allow_extra_args(false);
}

void define_output(CLI::App& app, arguments& a) {
  value(app, "-o,--output", "FILE",
        "Write there: .npy, text if the name ends in .txt, .csv or .tsv, else raw; - is standard "
        "output",
        [&a](auto const& text) {
          require_written("-o", text);
          a.output = text;
        });
}

void define_rows(CLI::App& app, arguments& a, bool writes) {
  value(app, "--axis", "N",
        "An answer for each line along this axis, from 0, or from the end: -1 is the last",
        [&a](auto const& text) { a.axis = signed_number("--axis", text); });
  value(app, "--shape", "N,N,...", "Of raw data and text, for --axis: its dimensions",
        [&a](auto const& text) { a.shape = whole_numbers("--shape", text); });
  value(app, "--segments", "FILE",
        "An answer for each segment: int64, where each begins and the last one ends",
        [&a](auto const& text) { a.segments = text; });
  if (writes) define_output(app, a);
}

void define_decimal(CLI::App& app, arguments& a) {
  flag(app, "--decimal", a.decimal, "Text is decimals, and so is the answer: 0.1 and 0.2 make 0.3");
}

void define_save_state(CLI::App& app, arguments& a) {
  value(app, "--save-state", "FILE", "Also save what is known, for tally merge",
        [&a](auto const& text) {
          if (text == "-")
            throw usage_error("--save-state: - is no file, standard output takes the answer");
          a.save_state = text;
        });
}

void define_first_index(CLI::App& app, arguments& a) {
  value(app, "--first-index", "N",
        "Where this input begins in the whole array, for tally merge (0)", [&a](auto const& text) {
          a.first_index =
              whole_number("--first-index", text, std::numeric_limits<std::int64_t>::max());
        });
}

void define_out_type(CLI::App& app, arguments& a) {
  value(app, "--out-dtype", "TYPE", "Type of the result",
        [&a](auto const& text) { a.out_type = type_named("--out-dtype", text); });
}

void define_ddof(CLI::App& app, arguments& a) {
  value(app, "--ddof", "N", "The divisor is n - N (0)",
        [&a](auto const& text) { a.ddof = whole_number("--ddof", text); });
}

void define_scan(CLI::App& app, arguments& a) {
  flag(app, "--exclusive", a.exclusive, "Element i is the sum of those before i");
  flag(app, "--reverse", a.reverse, "Sums run from the last element to the first");
  value(app, "--init", "VALUE", "Added to every sum", [&a](auto const& text) { a.init = text; });
  define_output(app, a);
}

void define_top_k(CLI::App& app, arguments& a) {
  value(app, "-k", "N", "How many, or all of fewer (10)",
        [&a](auto const& text) { a.k = whole_number("-k", text); });
  flag(app, "--smallest", a.smallest, "The smallest instead");
  flag(app, "--unsorted", a.unsorted, "By ascending index instead of best first");
  flag(app, "--distinct", a.distinct, "Different values only, each at its first index");
}

void define_quantile(CLI::App& app, arguments& a) {
  auto const take = [&a](std::vector<std::string> const& texts) {
    for (auto const& text : texts)
      for (auto const& place : places("-q", text)) a.places.push_back(place);
  };
  app.add_option_function<std::vector<std::string>>(
         "-q", take, "Places from 0 to 1: 0.5,0.9 or 95% or 1/3; may be repeated (0.5)")
      ->option_text("Q")
      ->allow_extra_args(false);
  std::vector<std::string> const methods{"linear", "lower", "higher", "nearest", "midpoint"};
  value(app, "--method", "NAME",
        "Between two elements: linear, lower, higher, nearest, midpoint (linear)",
        [&a, methods](auto const& text) { a.method = choice("--method", text, methods); });
}

void define_memory(CLI::App& app, arguments& a) {
  value(app, "--memory", "BYTES",
        "How much is kept in memory, if it has to be; more goes into a temporary file (1G)",
        [&a](auto const& text) { a.memory = whole_number("--memory", text); });
}

void define_help(CLI::App& app, arguments& a) {
  app.add_option("COMMAND", a.files, "The command; without it, all are listed")->option_text(" ");
}

void define_generate(CLI::App& app, arguments& a) {
  app.add_option("KIND", a.kind, "What to generate")->required()->option_text(" ");
  value(app, "-n", "N", "How many elements", [&a](auto const& text) {
    a.n = whole_number("-n", text, std::numeric_limits<std::int64_t>::max() / 8);
  });
  value(app, "--seed", "N", "Other numbers for another seed (1)", [&a](auto const& text) {
    a.seed = std::uint32_t(whole_number("--seed", text, std::numeric_limits<std::uint32_t>::max()));
  });
  value(app, "--dtype", "TYPE", "Element type",
        [&a](auto const& text) { a.type = type_named("--dtype", text); });
  value(app, "--condition", "C", "How ill-conditioned, at least 1 (1e20)",
        [&a](auto const& text) { a.condition = real_number("--condition", text); });
  define_output(app, a);
}

// The options of the ladder note that they were there.
template <class F>
void rung_value(CLI::App& app, std::string const& name, std::string const& text,
                std::string const& about, ladder_arguments& a, F take) {
  value(app, name, text, about, [&a, name, take](auto const& given) {
    a.given.push_back(name);
    take(given);
  });
}

void define_rung_shape(CLI::App& app, ladder_arguments& a) {
  rung_value(app, "-n", "N", "How many elements", a, [&a](auto const& text) {
    a.n = whole_number("-n", text, std::numeric_limits<std::int64_t>::max() / 8);
  });
  rung_value(app, "--grid", "N", "Blocks, where a rung leaves the choice", a,
             [&a](auto const& text) { a.grid = whole_number("--grid", text, 65535, 1); });
  rung_value(app, "--block", "N", "Threads a block, likewise", a,
             [&a](auto const& text) { a.block = whole_number("--block", text, 1024, 1); });
  app.add_flag_callback(
      "--sweep", [&a] { a.given.push_back("--sweep"), a.sweep = true; },
      "Every rung in a range of grids and blocks");
}

void define_selection_of_rungs(CLI::App& app, ladder_arguments& a) {
  rung_value(app, "-k", "N", "How many a selection selects (10)", a, [&a](auto const& text) {
    a.k = whole_number("-k", text, std::numeric_limits<std::int32_t>::max(), 1);
  });
  app.add_flag_callback(
      "--distinct", [&a] { a.given.push_back("--distinct"), a.distinct = true; },
      "Selections that take equal elements once, as the page does");
  app.add_flag_callback(
      "--repeats", [&a] { a.given.push_back("--repeats"), a.repeats = true; },
      "Equal elements each count, for those too");
}

void define_rung(CLI::App& app, ladder_arguments& a) {
  auto const take = [&a](std::string const& text) {
    if (a.rung.value_or(text) != text)
      throw usage_error("--rung: is given twice, as '" + *a.rung + "' and '" + text + "'");
    a.rung = text;
  };
  app.add_option_function<std::string>(
         "RUNG",
         [&a, take](std::string const& text) {
           a.given.push_back(text);
           take(text);
         },
         "One rung of it: with its picture and its source")
      ->option_text(" ");
  rung_value(app, "--rung", "RUNG", "Says the same", a, take);
}

void define_ladder(CLI::App& app, ladder_arguments& a) {
  app.add_option("NAME", a.name, "A ladder, or list, or exhibits; without it, which there are")
      ->option_text(" ");
  define_rung(app, a);
  rung_value(
      app, "--where", "PLACE", "simt, gpu or auto: a GPU if there is one (auto)", a,
      [&a](auto const& text) { a.where = choice("--where", text, {"auto", "simt", "gpu"}); });
  define_rung_shape(app, a);
  define_selection_of_rungs(app, a);
  rung_value(app, "--operator", "OP", "sum, min, max, mean or recurrence: rungs that take it only",
             a, [&a](auto const& text) {
               a.op = choice("--operator", text, {"sum", "min", "max", "mean", "recurrence"});
             });
  rung_value(app, "--dtype", "TYPE", "float32 or int32: rungs that take it only", a,
             [&a](auto const& text) { a.type = choice("--dtype", text, {"float32", "int32"}); });
  rung_value(app, "--svg", "FILE",
             "Also draw the rungs as bars, and what went where in their steps", a,
             [&a](auto const& text) { a.svg = text; });
}

void define_json(CLI::App& app, arguments& a) {
  flag(app, "--json", a.json, "The answer as one JSON object on one line");
}

void define_threads(CLI::App& app, arguments& a) {
  value(app, "--threads", "N", "At most so many; 0, the default: every core",
        [&a](auto const& text) {
          a.where.threads = int(whole_number("--threads", text, std::numeric_limits<int>::max()));
        });
}

void define_common(CLI::App& app, unsigned groups, arguments& a) {
  define_threads(app, a);
  value(app, "--device", "NAME", "auto, cpu, gpu or gpu:0-3 (auto)",
        [&a](auto const& text) { a.device = text, a.gpus = gpus_named(text); });
  define_json(app, a);
  flag(app, "--time", a.time, "Seconds and GB/s (10^9 bytes read a second) on standard error");
  if (groups & runs_on_gpu)
    flag(app, "--verbose", a.verbose, "What ran the call, and how, on standard error");
}

}  // namespace

void define_options(CLI::App& app, unsigned groups, arguments& a) {
  if (groups == 0) return define_help(app, a);
  if (groups & looks_around) {
    flag(app, "--no-measure", a.no_measure, "Leave out the read and copy lines");
    define_threads(app, a);
    define_json(app, a);
    return;
  }
  if (groups & climbs) {
    define_ladder(app, a.ladder);
    define_json(app, a);
    return;
  }
  if (groups & reads_arrays) define_input(app, a);
  if (groups & (adds_decimals | takes_decimals)) define_decimal(app, a);
  if (groups & has_rows) define_rows(app, a, groups & writes_rows);
  if (groups & takes_each)
    flag(app, "--each", a.each, "A line a file: its name, a tab, its answer");
  if (groups & skips_nan) flag(app, "--skip-nan", a.skip_nan, "NaN counts as absent");
  if (groups & reads_states)
    app.add_option("STATE", a.files, "Files that --save-state wrote")->required()->option_text(" ");
  if (groups & generates) define_generate(app, a);
  if (groups & selects) define_top_k(app, a);
  if (groups & takes_quantiles) define_quantile(app, a);
  if (groups & keeps_all) define_memory(app, a);
  if (groups & scans) define_scan(app, a);
  if (groups & has_out_type) define_out_type(app, a);
  if (groups & has_ddof) define_ddof(app, a);
  if (groups & (saves_state | reads_states)) define_save_state(app, a);
  if (groups & saves_state) define_first_index(app, a);
  define_common(app, groups, a);
}

}  // namespace tally::cli
