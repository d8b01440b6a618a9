// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "array_output.hpp"
#include "commands.hpp"
#include "input.hpp"
#include "outcome.hpp"
#include "rows.hpp"
#include "tally/error.hpp"
#include "tally/io/output.hpp"
#include "tally/serial.hpp"
#ifdef TALLY_WITH_MPI
#include "tally/mpi.hpp"
#endif

namespace tally::cli {
namespace {

std::optional<int> variable(char const* name) {
  char const* const text = std::getenv(name);
  if (!text) return std::nullopt;
  std::string_view const digits(text);
  int value = 0;
  auto const read = std::from_chars(digits.begin(), digits.end(), value);
  if (read.ec != std::errc() || read.ptr != digits.end() || value < 0) return std::nullopt;
  return value;
}

void silence_standard_output() {
  int const nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
}

int run_alone(arguments const& options) {
  return tell(outcome_of([&] { options.command->run(options); }));
}

#ifdef TALLY_WITH_MPI

// Whether ranks can share out what the command line asks for, if its files can be cut.
bool is_for_ranks(arguments const& options) {
  auto const can = options.command->options;
  if (!(can & shares_out) || !options.gpus.empty() || options.each || options.decimal) return false;
  if (asks_for_rows(options)) return false;
  if (!(can & scans)) return true;
  return options.output ? !is_text(*options.output) : options.json;
}

bool is_special(std::string const& path) {
  struct stat about;
  return path == "-" || (::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode));
}

// Whether each file is one whose elements can be read from any place on. Nothing that is no file is
// opened: ranks would take its bytes from each other.
bool can_be_cut(arguments const& options) {
  if (options.output && is_special(*options.output)) return false;
  if (std::ranges::any_of(options.files, is_special)) return false;
  return input(options.files, options).can_be_cut();
}

void require_same_size(launched self, int size) {
  if (size != self.size)
    throw usage_error("the launcher has started " + std::to_string(self.size) + ", MPI knows of " +
                      std::to_string(size) + ": this is another MPI than the launcher's");
}

// Runs the command, in which ranks meet, and at its end. One that has failed goes where the others
// meet next, where all throw, and knows of no other meeting.
void run_together(arguments const& options) {
  try {
    options.command->run(options);
    gather(options, {});
  } catch (failed_together const&) {
    throw;
  } catch (...) {
    all_gather_bytes(*options.ranks, {}, std::current_exception());
  }
}

// Ranks that were started by different command lines would each take a part of another array.
void require_same_words(communicator& all, std::string_view words) {
  auto const bytes = std::as_bytes(std::span(words));
  auto const each = all_gather_bytes(all, {bytes.begin(), bytes.end()});
  for (std::size_t r = 1; r < each.size(); ++r)
    if (each[r] != each.front())
      throw usage_error("the ranks 0 and " + std::to_string(r) + " have different command lines");
}

// Whether all ranks can read a part.
bool is_cut(communicator& all, arguments const& options) {
  auto const each = all_gather_result(
      all, [&] { return std::vector<std::byte>{std::byte(can_be_cut(options))}; });
  return std::ranges::all_of(each, [](auto const& one) { return one.front() == std::byte(1); });
}

int run_with_others(launched self, arguments options, std::string_view words) {
  mpi_session session;
  auto& all = session.ranks();
  bool shared = false;
  auto how = outcome_of([&] {
    require_same_size(self, all.size());
    require_same_words(all, words);
    shared = is_cut(all, options);
    if (!shared) return;
    options.ranks = &all;
    run_together(options);
  });
  if (how.status == 0 && !shared) return self.rank == 0 ? run_alone(options) : 0;
  if (self.rank == 0) tell(how);
  // Not before the first has told why: a launcher ends the others where one has failed.
  return int(all_gather_bytes(all, {std::byte(how.status)}).front().front());
}

void require_mpi(launched) {}

#else

bool is_for_ranks(arguments const&) { return false; }
int run_with_others(launched, arguments const&, std::string_view) { return 0; }

void require_mpi(launched self) {
  throw usage_error("is one of " + std::to_string(self.size) +
                    " processes, and was built without MPI; TALLY_MPI=ON builds it with");
}

#endif

}  // namespace

// Open MPI, MPICH and its like, and Slurm's way of starting either.
launched launched_as() {
  for (auto const& [rank, size] :
       {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
        std::pair("PMI_RANK", "PMI_SIZE"), std::pair("PMIX_RANK", "SLURM_STEP_NUM_TASKS")}) {
    auto const mine = variable(rank), all = variable(size);
    if (mine && all) return {*mine, *all};
  }
  return {};
}

int run_as_rank(launched self, int argc, char const* const* argv) {
  bool const first = self.rank == 0;
  if (!first) silence_standard_output();
  std::optional<arguments> options;
  auto const how = outcome_of([&] {
    require_mpi(self);
    options = parse(argc, argv);
  });
  if (options && is_for_ranks(*options)) {
    std::string words;
    for (int i = 1; i < argc; ++i) words += argv[i], words += '\0';
    return run_with_others(self, *options, words);
  }
  if (!first) return 0;
  return options ? run_alone(*options) : tell(how);
}

bool is_first(arguments const& options) { return !options.ranks || options.ranks->rank() == 0; }

int ranks_of(arguments const& options) { return options.ranks ? options.ranks->size() : 1; }

bytes_of_ranks gather(arguments const& options, std::vector<std::byte> const& mine) {
  if (!options.ranks) return {mine};
  try {
    return all_gather_bytes(*options.ranks, mine);
  } catch (error const& e) {
    throw failed_together(e.what());
  }
}

void end_alone() {
  tell(outcome_of([] { throw; }));
  io::remove_unfinished_outputs();
  std::_Exit(1);
}

std::uint64_t sum_of_ranks(arguments const& options, std::uint64_t mine) {
  byte_writer out;
  out.put(mine);
  std::uint64_t sum = 0;
  for (auto const& one : gather(options, out.take())) sum += byte_reader(one).get<std::uint64_t>();
  return sum;
}

}  // namespace tally::cli
