// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "execution.hpp"
#include "simt/schedule.hpp"

namespace simt {
namespace {

using attempt_function = std::function<std::string()>;

std::string read_all(int file) {
  std::string all;
  char some[4096];
  for (ssize_t n; (n = read(file, some, sizeof some)) > 0;) all.append(some, std::size_t(n));
  return all;
}

void write_all(int file, std::string const& text) {
  for (std::size_t done = 0; done < text.size();) {
    ssize_t const n = write(file, text.data() + done, text.size() - done);
    if (n <= 0) _exit(1);
    done += std::size_t(n);
  }
}

// What went wrong, and what was chosen, of an attempt in a process of its own.
struct outcome {
  std::string failure;
  schedule how;
};
template <class Begin>
outcome run_apart(attempt_function const& attempt, Begin begin) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "search");
  pid_t const child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "search");
  if (child == 0) {
    close(ends[0]);
    begin();
    std::string const failure = attempt();
    write_all(ends[1], failure + '\n' + to_text(end_schedule()));
    _exit(0);
  }
  close(ends[1]);
  std::string const said = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  auto const line = said.find('\n');
  if (line == said.npos) return {};  // it crashed, and left nothing to repeat
  return {said.substr(0, line), schedule_of(said.substr(line + 1))};
}

// Leaves away what does not matter: halves of the choices, then smaller parts.
class shrinking {
 public:
  shrinking(attempt_function const& attempt, search_result& best, unsigned most)
      : attempt_(attempt), best_(best), most_(best.attempts + most) {}

  void operator()() {
    auto const& all = best_.how.choices;
    std::size_t size = all.size();
    while (size > 0 && best_.attempts < most_) {
      bool fewer = false;
      for (std::size_t end = all.size(); end > 0 && best_.attempts < most_;) {
        std::size_t const begin = end - std::min(size, end);
        fewer = try_without(begin, end) || fewer;
        end = std::min(begin, all.size());
      }
      if (!fewer || size > 1) size = size == 1 ? 0 : (size + 1) / 2;
    }
  }

 private:
  bool try_without(std::size_t begin, std::size_t end) {
    schedule less = best_.how;
    auto& c = less.choices;
    c.erase(c.begin() + std::ptrdiff_t(begin), c.begin() + std::ptrdiff_t(end));
    ++best_.attempts;
    auto const now = run_apart(attempt_, [&] { follow(less); });
    if (now.failure != best_.failure) return false;
    best_.how = less;
    return true;
  }

  attempt_function const& attempt_;
  search_result& best_;
  unsigned most_;
};

}  // namespace

search_result search(attempt_function const& attempt, std::string const& test,
                     unsigned most_attempts) {
  search_result best;
  warm_up();
  for (unsigned i = 0; i < most_attempts && best.failure.empty(); ++i) {
    schedule plain;
    plain.test = test;
    plain.seed = 1 + i / 8;
    if (i % 8 == 7) plain.resident_blocks = 16;
    ++best.attempts;
    auto const now = run_apart(attempt, [&] { improvise(plain, i, 2u << (i % 4 * 2)); });
    best.failure = now.failure;
    best.how = now.how;
  }
  if (!best.failure.empty()) shrinking(attempt, best, most_attempts)();
  return best;
}

}  // namespace simt
