// SPDX-License-Identifier: Apache-2.0
//
// The number of the mutant that is on, from TALLY_MUTANT; and in TALLY_MUTANTS_REACHED a file, of a
// byte for each mutant, in which all processes of a test note what they have asked for.
#include "mutated.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

extern "C" {
int tally_mutant = 0;
unsigned char* tally_mutants_reached = nullptr;

bool tally_is_mutant(int number) { return tally_mutated(number); }
}

[[gnu::constructor]] static void begin() {
  char const* const number = std::getenv("TALLY_MUTANT");
  char const* const file = std::getenv("TALLY_MUTANTS_REACHED");
  if (file) {
    int const opened = open(file, O_RDWR);
    off_t const size = lseek(opened, 0, SEEK_END);
    void* const at =
        mmap(nullptr, std::size_t(size), PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    if (at == MAP_FAILED) std::abort();
    close(opened);  // it may be what the test has closed, such as standard output
    tally_mutants_reached = static_cast<unsigned char*>(at);
    tally_mutant = -1;
  } else if (number) {
    tally_mutant = std::atoi(number);
  }
}
