// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace simt {

// While it exists, interrupts the thread after every tenth of a second of its CPU time, wherever it
// is. The function gets the place in the code, and may leave for another context.
class watchdog {
 public:
  explicit watchdog(void (*look)(void* pc));
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;
  ~watchdog();

 private:
  timer_t timer_;
};

}  // namespace simt
