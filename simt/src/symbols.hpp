// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// What the program's debug information and symbol table say.
namespace simt {

struct place {
  std::string file;
  int line = 0;
  bool operator==(place const&) const = default;
};

// Where in the sources a call stands, given its return address.
place const& place_of(void* pc);
std::string text_of(void* pc);  // "file:line"

// The name of a kernel without parameters and return type.
std::string kernel_name(void const* kernel);

struct variable {
  std::string name;
  std::uintptr_t begin, end;  // for a shared one, as offsets into a thread's variables
};
// The program's own, sorted by address.
std::vector<variable> const& shared_variables();
std::vector<variable> const& global_variables();

}  // namespace simt
