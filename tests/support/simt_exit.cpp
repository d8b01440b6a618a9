// SPDX-License-Identifier: Apache-2.0
//
// Makes a program say what the SIMT machine finds, when it finds it, and end with status 3 if that
// was anything.
#include <cstdio>
#include <cstdlib>

#include "simt/machine.hpp"

namespace {

bool any = false;

void say(simt::report const& r) {
  any = true;
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%d: %s in %s: %s\n", r.file.c_str(), r.line, r.kind.c_str(),
               r.kernel.c_str(), r.text.c_str());
}

struct at_exit {
  at_exit() {
    simt::when_found(say);
    std::atexit([] {
      std::fflush(stdout);
      if (any) std::_Exit(3);
    });
  }
} const now;

}  // namespace
