// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "execution.hpp"

// What g++ -fsanitize=bounds calls with, as UndefinedBehaviorSanitizer's runtime has it.
namespace {

struct type_description {
  std::uint16_t kind, info;  // of an integer: twice its width's logarithm, and 1 if it is signed
  char name[1];              // in quotes; more follow
};
struct out_of_bounds {
  struct {
    char const* file;
    std::uint32_t line, column;
  } place;
  type_description const *array, *index;
};

std::string to_text(type_description const& type, std::uintptr_t index) {
  int const unused = 64 - (1 << (type.info >> 1));
  bool const is_signed = type.info & 1;
  return is_signed ? std::to_string(std::int64_t(index << unused) >> unused)
                   : std::to_string(index << unused >> unused);
}

}  // namespace

extern "C" {

// Before an array is indexed where it has no element: one in local memory, too, of which the
// machine does not see where it ends.
void __ubsan_handle_out_of_bounds(out_of_bounds const* what, std::uintptr_t index) {
  simt::inside_machine const here;
  std::string const text =
      "index " + to_text(*what->index, index) + " of an array " + what->array->name;
  if (simt::running) simt::stop("out of bounds", text, __builtin_return_address(0));
  std::fprintf(stderr, "%s:%u: %s, in host code\n", what->place.file, what->place.line,
               text.c_str());
  std::abort();
}
}
