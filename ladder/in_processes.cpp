// SPDX-License-Identifier: Apache-2.0
#include "ladder/in_processes.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "tally/error.hpp"

namespace ladder {

namespace {

constexpr int threw = 2;  // the exit status

struct child {
  pid_t id;
  int out;  // what it prints
};

[[noreturn]] void run_and_end(std::function<int(std::size_t)> const& f, std::size_t i) {
  int status = threw;
  try {
    status = f(i);
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "tally ladder: %s\n", failure.what());
  }
  std::fflush(nullptr);
  ::_exit(status);
}

child begin(std::function<int(std::size_t)> const& f, std::size_t i) {
  int ends[2];
  std::fflush(nullptr);  // or both would print it
  pid_t const parent = ::getpid();
  if (::pipe(ends) != 0) throw tally::error(std::strerror(errno));
  pid_t const id = ::fork();
  if (id < 0) throw tally::error(std::strerror(errno));
  if (id > 0) {
    ::close(ends[1]);
    return {id, ends[0]};
  }
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(threw);
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[0]), ::close(ends[1]);
  run_and_end(f, i);
}

// Puts out what it prints, until it ends: its exit status.
int pass_on(child const& c) {
  char piece[65536];
  for (;;) {
    auto const n = ::read(c.out, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    std::fwrite(piece, 1, std::size_t(n), stdout);
  }
  ::close(c.out);
  std::fflush(stdout);
  int status = 0;
  while (::waitpid(c.id, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    std::fprintf(stderr, "tally ladder: %s\n", ::strsignal(WTERMSIG(status)));
    return threw;
  }
  return WEXITSTATUS(status);
}

}  // namespace

int in_processes(std::size_t count, std::size_t at_once, std::function<int(std::size_t)> const& f) {
  int worst = 0;
  if (at_once <= 1) {
    for (std::size_t i = 0; i < count; ++i) worst = std::max(worst, f(i));
    return worst;
  }
  std::vector<child> begun;
  for (std::size_t i = 0; i < count; ++i) {
    while (worst < threw && begun.size() < count && begun.size() < i + at_once)
      begun.push_back(begin(f, begun.size()));
    if (i == begun.size()) break;
    worst = std::max(worst, pass_on(begun[i]));
  }
  return std::min(worst, 1);
}

}  // namespace ladder
