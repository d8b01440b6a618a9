// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <map>

#include "tally/cpu/instruction_set.hpp"
#include "tally/cpu/path_counters.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace probe {

std::string failure;

namespace {

#if defined(__SSE2__)
unsigned wanted = 0x1f80;
constexpr unsigned settings = ~0x3fu;  // all but the flags of exceptions that have happened
unsigned environment() { return _mm_getcsr() & settings; }
void set_environment(unsigned mxcsr) { _mm_setcsr(mxcsr); }
#else
unsigned wanted = FE_TONEAREST;
unsigned environment() { return unsigned(std::fegetround()); }
void set_environment(unsigned rounding) { std::fesetround(int(rounding)); }
#endif

}  // namespace

int guarded(void (*run)(void*), void* body) {
  failure.clear();
  unsigned const own = environment();
  set_environment(wanted);
  try {
    run(body);
    if (environment() != wanted) failure = "the caller's floating-point environment was changed";
  } catch (std::exception const& e) {
    failure = e.what();
  }
  set_environment(own);
  return failure.empty() ? 0 : 1;
}

}  // namespace probe

extern "C" {

char const* probe_failure() { return probe::failure.c_str(); }

// What the calls that follow are made under. `rounding`: 0 to nearest, 1 down, 2 up, 3 to zero.
void probe_set_environment(int rounding, bool flush_to_zero, bool denormals_are_zero) {
#if defined(__SSE2__)
  probe::wanted = 0x1f80u | unsigned(rounding) << 13 | unsigned(flush_to_zero) << 15 |
                  unsigned(denormals_are_zero) << 6;
#else
  (void)flush_to_zero, (void)denormals_are_zero;
  constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  probe::wanted = unsigned(modes[rounding]);
#endif
}

// How often a path ran; -1 for a name that is none.
std::int64_t probe_path_count(char const* name) {
  using tally::detail::path;
#define X(NAME, TEXT) {#NAME, path::NAME},
  static std::map<std::string, path> const paths = {TALLY_PATHS(X)};
#undef X
  auto const found = paths.find(name);
  return found == paths.end() ? -1 : std::int64_t(tally::detail::path_count(found->second));
}

// The number of the instruction set that the library runs on.
int probe_instruction_set() { return int(tally::detail::best_instruction_set()); }
}
