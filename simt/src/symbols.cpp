// SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <backtrace.h>
#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <unordered_map>

namespace simt {
namespace {

backtrace_state* debug_information() {
  static backtrace_state* const state = backtrace_create_state(nullptr, 0, [](auto...) {}, nullptr);
  return state;
}

std::string demangled(char const* symbol) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> const text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  return text ? text.get() : symbol;
}

// The index of the bracket that the last character closes.
std::size_t opening(std::string const& text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    depth += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
    if (depth == 0) return i;
  }
  return 0;
}

// Only templates show a return type: what stands before the last space outside of brackets.
std::size_t name_begin(std::string const& text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    depth += text[i] == ')' || text[i] == '>' ? 1 : text[i] == '(' || text[i] == '<' ? -1 : 0;
    if (depth == 0 && text[i] == ' ') return i + 1;
  }
  return 0;
}

}  // namespace

place const& place_of(void* pc) {
  static std::unordered_map<void*, place> known;
  auto const [entry, is_new] = known.try_emplace(pc);
  if (is_new) {
    auto const take = [](void* to, std::uintptr_t, char const* file, int line, char const*) {
      if (file) *static_cast<place*>(to) = {file, line};
      return 1;  // the innermost of inlined functions is enough
    };
    backtrace_pcinfo(
        debug_information(), std::uintptr_t(pc) - 1, take, [](auto...) {}, &entry->second);
  }
  return entry->second;
}

std::string text_of(void* pc) {
  place const& at = place_of(pc);
  return at.file + ":" + std::to_string(at.line);
}

std::string kernel_name(void const* kernel) {
  std::string name;
  auto const take = [](void* to, std::uintptr_t, char const* symbol, std::uintptr_t,
                       std::uintptr_t) {
    if (symbol) *static_cast<std::string*>(to) = demangled(symbol);
  };
  backtrace_syminfo(debug_information(), std::uintptr_t(kernel), take, [](auto...) {}, &name);
  if (name.ends_with(')')) name.resize(opening(name));
  name.erase(0, name_begin(name));
  std::string const anonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(anonymous)) != name.npos;) name.erase(at, anonymous.size());
  return name;
}

}  // namespace simt
