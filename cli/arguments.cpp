// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands.hpp"
#include "nearest.hpp"
#include "options.hpp"
#include "standard_output.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

std::string footer(std::string_view const (&examples)[2]) {
  std::string text = "Examples:";
  for (auto const example : examples) text += "\n  " + std::string(example);
  return text;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (auto const& c : commands()) {
    names.emplace_back(c.name);
    for (auto const alias : c.aliases)
      if (!alias.empty()) names.emplace_back(alias);
  }
  return names;
}

std::vector<std::string> option_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (auto const* option : app.get_options()) {
    for (auto const& name : option->get_lnames()) names.push_back("--" + name);
    for (auto const& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

[[noreturn]] void fail_unexpected(std::string const& word, CLI::App const& app) {
  if (!word.starts_with('-')) throw usage_error("unexpected argument '" + word + "'");
  auto const name = word.substr(0, word.find('='));
  auto const of = app.get_parent() ? "tally " + app.get_name() : "tally";
  throw usage_error("unknown option " + name + " of " + of + did_you_mean(name, option_names(app)));
}

// The words behind the program's name. `tally` alone and `tally help` list the commands, `tally
// help sum` says what --help would.
std::vector<std::string> words_of(int argc, char const* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) return {"--help"};
  if (words.front() == "help") std::erase(words, "--");
  if (words.front() != "help" || (words.size() > 1 && words[1].starts_with('-'))) return words;
  if (words.size() > 2) throw usage_error("unexpected argument '" + words[2] + "'");
  if (words.size() == 1) return {"--help"};
  return {words[1], "--help"};
}

// Files behind `--` that come after others, which CLI11 takes for nobody's.
void take_files_behind_mark(CLI::App const& app, command const& c,
                            std::vector<std::string> const& words, arguments& a) {
  auto const mark = std::ranges::find(words, "--");
  std::vector<std::string> const behind(mark == words.end() ? mark : mark + 1, words.end());
  auto const left = app.remaining(true);
  if ((c.options & (reads_arrays | reads_states)) && left == behind) {
    a.files.insert(a.files.end(), behind.begin(), behind.end());
    return;
  }
  auto const wrong = std::ranges::find_if(
      left, [&](auto const& word) { return std::ranges::count(behind, word) == 0; });
  fail_unexpected(wrong == left.end() ? left.front() : *wrong, *app.get_subcommands().front());
}

// What there is in place of a command that others have.
std::string not_there(std::string const& word) {
  if (word.starts_with("hist"))
    return "; there are no histograms yet, quantile says where the elements lie";
  if (word.starts_with("group")) return "; there are no sums by group yet";
  return "; tally --help lists them";
}

void check_words(CLI::App const& app, std::vector<std::string> const& words) {
  auto const& word = words.front();
  auto const* const chosen = command_named(word);
  for (auto const& w : words) {
    if (w == "--") break;
    auto const equals = w.starts_with("--") ? w.find('=') : w.npos;
    if (equals == w.npos) continue;
    auto const name = w.substr(0, equals);
    if (equals == w.size() - 1) throw usage_error(name + ": its value is missing");
    auto const* const option =
        chosen ? app.get_subcommand(std::string(chosen->name))->get_option_no_throw(name) : nullptr;
    if (option && option->get_expected_max() == 0)
      throw usage_error(w + ": " + name + " takes no value");
  }
  if (chosen || word == "-h" || word == "--help" || word == "--version") return;
  if (!word.starts_with('-'))
    throw usage_error("unknown command '" + word + "'" +
                      did_you_mean(word, command_names(), not_there(word)));
  for (auto const* sub : app.get_subcommands({}))
    if (std::ranges::count(option_names(*sub), word))
      throw usage_error(word + " comes after the command; tally --help lists the commands");
  fail_unexpected(word, app);
}

void define_commands(CLI::App& app, arguments& a) {
  app.set_version_flag("--version", "tally " TALLY_VERSION);
  app.require_subcommand(0, 1);  // what follows one is no other's name, but a file's, say
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->column_width(24);
  static constexpr std::string_view examples[2] = {
      "tally sum examples/data/flights_distance.npy",
      "tally describe --json examples/data/flights_arr_delay.npy"};
  app.footer(footer(examples));
  for (auto const& c : commands()) {
    auto* const sub = app.add_subcommand(std::string(c.name), std::string(c.about));
    sub->group("Commands");
    for (auto const alias : c.aliases)
      if (!alias.empty()) sub->alias(std::string(alias));
    sub->footer(footer(c.examples));
    define_options(*sub, c.options, a);
  }
}

std::string help(CLI::App& app, command const* c) {
  if (!c) return app.help();
  auto* const sub = app.get_subcommand(std::string(c->name));
  sub->description(std::string(c->about) + ".\n\n" + std::string(c->details) + "\n");
  return sub->help("tally");
}

// What rows have no answer to.
void check_rows(arguments const& a) {
  bool const writes = a.command->options & writes_rows;
  if (!a.axis && !a.segments) {
    if (!a.shape.empty()) throw usage_error("--shape: is for --axis");
    if (writes && a.output) throw usage_error("-o: is for --axis and --segments");
    return;
  }
  std::string const by = a.axis ? "--axis: " : "--segments: ";
  if (a.axis && a.segments) throw usage_error("--segments: --axis says where else rows are");
  if (a.segments && !a.shape.empty()) throw usage_error("--shape: is for --axis");
  if (a.each) throw usage_error(by + "not with --each");
  if (a.decimal) throw usage_error(by + "not with --decimal");
  if (a.save_state) throw usage_error(by + "--save-state saves one state, not one for each row");
  if (a.first_index) throw usage_error(by + "--first-index is for one array");
}

}  // namespace

std::optional<arguments> parse(int argc, char const* const* argv) {
  arguments a;
  CLI::App app(
      "Exact reductions, prefix sums and top-k over arrays of any size.\n\n"
      "Inputs are files and standard input: text with numbers, CSV, .npy, .npz, any of these "
      "compressed\n"
      "by gzip, zstd, bzip2 or xz, and raw data with --dtype. Several files are one array.\n"
      "Processes that mpirun starts share .npy and raw files out, if MPI is built in.\n",
      "tally");
  define_commands(app, a);
  auto const words = words_of(argc, argv);
  check_words(app, words);
  auto const* const chosen = command_named(words.front());
  try {
    app.parse(std::vector(words.rbegin(), words.rend()));  // it wants the last one first
  } catch (CLI::CallForHelp const&) {
    write_standard_output(help(app, chosen));
    return std::nullopt;
  } catch (CLI::CallForVersion const& version) {
    write_standard_output(std::string(version.what()) + "\n");
    return std::nullopt;
  } catch (CLI::ExtrasError const&) {
    take_files_behind_mark(app, *chosen, words, a);
  } catch (CLI::ArgumentMismatch const& e) {
    std::string const message = e.what();
    throw usage_error(message.substr(0, message.find(':')) + ": its value is missing");
  } catch (CLI::ParseError const& e) {
    throw usage_error(e.what());
  }
  a.command = chosen;
  if (a.each && a.save_state)
    throw usage_error("--save-state: saves one state, not one for --each");
  if (chosen->options & has_rows) check_rows(a);
  if (a.output == "-") {
    if (a.json) throw usage_error("--json: needs another -o, standard output takes the array");
    a.output.reset();
  }
  if (!a.gpus.empty() && !(chosen->options & runs_on_gpu))
    throw error("--device gpu: not on a GPU yet: " + std::string(chosen->name));
  if (a.files.empty()) a.files = {"-"};
  if (a.segments == "-" && std::ranges::count(a.files, "-"))
    throw usage_error("--segments: standard input is the array; name a file with the offsets");
  return a;
}

}  // namespace tally::cli
