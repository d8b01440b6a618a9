// SPDX-License-Identifier: Apache-2.0
#include "watchdog.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace simt {
namespace {

void (*look_now)(void* pc) = nullptr;

// One more than the place, as return addresses are.
void* place_in(void* interrupted) {
#ifdef __x86_64__
  auto const& registers = static_cast<ucontext_t*>(interrupted)->uc_mcontext.gregs;
  return reinterpret_cast<void*>(registers[REG_RIP] + 1);
#else
  (void)interrupted;
  return nullptr;
#endif
}

void interrupt(int, siginfo_t*, void* interrupted) {
  int const before = errno;
  look_now(place_in(interrupted));
  errno = before;
}

void check(int status, char const* what) {
  if (status) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

watchdog::watchdog(void (*look)(void* pc)) {
  look_now = look;
  struct sigaction action{};
  action.sa_sigaction = interrupt;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;  // the context may never return
  check(sigaction(SIGVTALRM, &action, nullptr), "the watchdog's signal");
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGVTALRM;
  event._sigev_un._tid = gettid();
  check(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_), "the watchdog's timer");
  timespec const tenth{0, 100'000'000};
  itimerspec const every{tenth, tenth};
  check(timer_settime(timer_, 0, &every, nullptr), "the watchdog's timer");
}

watchdog::~watchdog() { timer_delete(timer_); }

}  // namespace simt
