// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "tally/io/output.hpp"

namespace tally::cli {
namespace {

void open_standard_streams() {
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);  // the lowest one that is free
}

// One that comes meanwhile, of which mpirun sends some, must not end the process before all is
// removed.
extern "C" void clean_up_and_end(int number) {
  static std::atomic_flag begun;
  if (begun.test_and_set()) return;
  io::remove_unfinished_outputs();
  std::signal(number, SIG_DFL);
  ::raise(number);  // which ends the process when this returns
}

// A page of a mapped file that is no longer there.
extern "C" void report_shrunken_file(int) {
  constexpr char message[] = "tally: a file became shorter while it was read\n";
  io::remove_unfinished_outputs();
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(1);
}

void clean_up_on(int number) {
  struct sigaction action;
  ::sigaction(number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // nohup, or a shell's background job
  action.sa_handler = clean_up_and_end;
  action.sa_flags = 0;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void tell(std::string message) {
  for (char& c : message)
    if ((unsigned char)c < ' ' || c == 127) c = '?';
  std::fputs(("tally: " + message + "\n").c_str(), stderr);
}

void prepare_process() {
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, report_shrunken_file);
  for (int const number : {SIGINT, SIGTERM, SIGHUP}) clean_up_on(number);
}

}  // namespace tally::cli
