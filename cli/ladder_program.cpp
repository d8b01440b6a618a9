// SPDX-License-Identifier: Apache-2.0
#include "ladder_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "tally/error.hpp"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {
    if (number < 0) throw error(std::string("ladder: ") + std::strerror(errno));
  }
  descriptor(descriptor const&) = delete;
  descriptor& operator=(descriptor const&) = delete;
  ~descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  operator int() const { return number_; }

 private:
  int number_;
};

// Adds what comes next to the text; false at the end.
bool read_more(int from, std::string& text) {
  char piece[65536];
  auto const n = ::read(from, piece, sizeof piece);
  if (n > 0) text.append(piece, std::size_t(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

std::string read_all(int from) {
  std::string text;
  while (read_more(from, text)) continue;
  return text;
}

using onlooker = std::function<void(std::vector<json> const&)>;

// Its lines; one that is no JSON is discarded().
std::vector<json> read_lines(int from, onlooker const& look) {
  std::vector<json> lines;
  std::string text;
  auto const take = [&](std::size_t end) {
    lines.push_back(json::parse(text.substr(0, end), nullptr, false));
    text.erase(0, end + 1);
  };
  for (bool more = true; more;) {
    constexpr int milliseconds = 500;
    pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, milliseconds) > 0) more = read_more(from, text);
    for (std::size_t end; (end = text.find('\n')) != text.npos;) take(end);
    look(lines);
  }
  if (!text.empty()) take(text.size());
  return lines;
}

// In the new process. Does not return.
[[noreturn]] void become(char const* path, char* const* words, int out, int errors, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  for (int const ignored : {SIGPIPE, SIGXFSZ}) ::signal(ignored, SIG_DFL);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execv(path, words);
  ::_exit(127);
}

struct ended {
  int status;
  std::vector<json> lines;
  std::string errors;
};

ended run(std::string const& path, std::vector<std::string> const& arguments,
          onlooker const& look) {
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (auto const& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);

  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) < 0) ends[0] = ends[1] = -1;
  descriptor from(ends[0]), to(ends[1]), errors(::memfd_create("errors", MFD_CLOEXEC));
  pid_t const self = ::getpid(), child = ::fork();
  if (child < 0) throw error(std::string("ladder: ") + std::strerror(errno));
  if (child == 0) become(path.c_str(), words.data(), to, errors, self);
  to.close();

  ended result{.status = 0, .lines = read_lines(from, look), .errors = {}};
  while (::waitpid(child, &result.status, 0) < 0 && errno == EINTR) continue;
  ::lseek(errors, 0, SEEK_SET);
  result.errors = read_all(errors);
  return result;
}

// The first line that the program itself says, not a kernel in it: that it cannot go on.
std::string failure_in(std::string const& errors) {
  std::string_view const speaker = "tally ladder: ";
  std::istringstream text(errors);
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with(speaker)) continue;
    line.erase(0, speaker.size());
    return line == "std::bad_alloc" ? "ladder: out of memory; -n takes fewer elements" : line;
  }
  return {};
}

// What went wrong, in one line; empty if nothing did.
std::string complaint(std::string const& path, ended const& e) {
  auto const name = fs::path(path).filename().string();
  if (WIFSIGNALED(e.status)) return name + " was ended by: " + ::strsignal(WTERMSIG(e.status));
  int const status = WEXITSTATUS(e.status);
  if (auto failure = failure_in(e.errors); status != 0 && !failure.empty()) return failure;
  if (!e.lines.empty() && status <= 1) return {};  // 1: a rung is wrong
  if (!e.errors.empty()) return e.errors.substr(0, e.errors.find('\n'));
  return name + " ended with status " + std::to_string(status) + " and said nothing";
}

}  // namespace

std::optional<std::string> ladder_program(std::string const& name) {
  auto const here = fs::read_symlink("/proc/self/exe").parent_path();
  for (auto const& folder : {here, here.parent_path() / "libexec" / "tally"})
    if (::access((folder / name).c_str(), X_OK) == 0) return folder / name;
  return std::nullopt;
}

std::vector<json> run_ladder_program(std::string const& path,
                                     std::vector<std::string> const& arguments,
                                     onlooker const& look) {
  auto e = run(path, arguments, look);
  if (e.status == 0 && e.lines.empty() && !arguments.empty() && arguments[0] == "list") return {};
  if (auto const why = complaint(path, e); !why.empty()) throw error(why);
  std::fputs(e.errors.c_str(), stderr);
  if (std::ranges::any_of(e.lines, &json::is_discarded))
    throw error(fs::path(path).filename().string() + " printed a line that is no JSON");
  return std::move(e.lines);
}

}  // namespace tally::cli
