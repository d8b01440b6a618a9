// SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <backtrace.h>
#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
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

// Calls f with the program's own entry, which is the first of the loaded objects.
template <class F>
void with_program(F f) {
  auto const once = [](dl_phdr_info* info, std::size_t, void* to) {
    (*static_cast<F*>(to))(*info);
    return 1;
  };
  dl_iterate_phdr(once, &f);
}

// The last component of a demangled name: of "f(int)::s" it is "s".
std::string last_component(std::string const& name) {
  std::size_t const at = name.rfind("::");
  return at == name.npos ? name : name.substr(at + 2);
}

std::vector<variable> read_variables(unsigned char type) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string const bytes(std::istreambuf_iterator<char>(file), {});
  auto const at = [&]<class T>(T*, std::size_t offset) {
    return reinterpret_cast<T const*>(bytes.data() + offset);
  };
  auto const& header = *at((Elf64_Ehdr*)nullptr, 0);
  auto const* const sections = at((Elf64_Shdr*)nullptr, header.e_shoff);
  std::uintptr_t offset = 0;  // of a thread-local variable, the value is one already
  if (type == STT_OBJECT) with_program([&](dl_phdr_info const& p) { offset = p.dlpi_addr; });
  std::vector<variable> found;
  for (auto const* s = sections; s != sections + header.e_shnum; ++s) {
    if (s->sh_type != SHT_SYMTAB) continue;
    auto const* const names = bytes.data() + sections[s->sh_link].sh_offset;
    auto const* const first = at((Elf64_Sym*)nullptr, s->sh_offset);
    for (auto const* v = first; v != first + s->sh_size / sizeof *v; ++v) {
      if (ELF64_ST_TYPE(v->st_info) != type || !v->st_size || v->st_shndx == SHN_UNDEF) continue;
      found.push_back({offset + v->st_value, offset + v->st_value + v->st_size,
                       last_component(demangled(names + v->st_name))});
    }
  }
  std::ranges::sort(found, {}, &variable::begin);
  return found;
}

}  // namespace

std::vector<variable> const& thread_local_variables() {
  static auto const all = read_variables(STT_TLS);
  return all;
}
std::vector<variable> const& global_variables() {
  static auto const all = read_variables(STT_OBJECT);
  return all;
}

range thread_variables() {
  range r;
  with_program([&](dl_phdr_info const& p) {
    for (auto const* h = p.dlpi_phdr; h != p.dlpi_phdr + p.dlpi_phnum; ++h) {
      auto const begin = std::uintptr_t(p.dlpi_tls_data);
      if (h->p_type == PT_TLS) r = {begin, begin + h->p_memsz};
    }
  });
  return r;
}

// The loaded segments that have all the flags: from the first to the last.
static range segments(unsigned flags) {
  range r;
  with_program([&](dl_phdr_info const& p) {
    for (auto const* h = p.dlpi_phdr; h != p.dlpi_phdr + p.dlpi_phnum; ++h) {
      if (h->p_type != PT_LOAD || (h->p_flags & flags) != flags) continue;
      std::uintptr_t const begin = p.dlpi_addr + h->p_vaddr;
      if (!r.end) r.begin = begin;
      r.end = begin + h->p_memsz;
    }
  });
  return r;
}

range writable_data() { return segments(PF_W); }
range program() { return segments(0); }

place const& place_of(void* pc) {
  static std::unordered_map<void*, place> known;
  auto const [entry, is_new] = known.try_emplace(pc);
  if (is_new) {
    auto const take = [](void* to, std::uintptr_t, char const* file, int line, char const*) {
      if (!file) return 1;
      place const& p = *static_cast<place*>(to) = {file, line};
      bool const is_ours = p.file.find("simt/include/") != p.file.npos;
      return is_ours ? 0 : 1;  // the innermost of inlined functions that is the kernel's
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
