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
  std::uintptr_t begin, end;
  std::string name;  // without what it is in
};
// The program's own variables, sorted by address; of thread-local ones, which the shared ones are,
// the offsets from thread_variables().
std::vector<variable> const& thread_local_variables();
std::vector<variable> const& global_variables();

struct range {
  std::uintptr_t begin = 0, end = 0;
};
range thread_variables();  // of the calling thread
range writable_data();
range program();  // all of it

}  // namespace simt
