// SPDX-License-Identifier: Apache-2.0
#include "fibers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <system_error>

namespace simt {
namespace {

std::uintptr_t reserve(std::size_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "lanes' stacks");
  return std::uintptr_t(at);
}

// Whoever continues a context says where to store the one it leaves.
void enter(boost::context::detail::transfer_t from) {
  *static_cast<context*>(from.data) = from.fctx;
  lane_main();
}

}  // namespace

std::uintptr_t const stacks::base = reserve(most * size);

void* stacks::top(std::size_t index) {
  static std::size_t guarded = 0;
  for (; guarded <= index; ++guarded) {
    mprotect(reinterpret_cast<void*>(bottom(guarded)), 4096, PROT_NONE);
  }
  std::size_t const shift = index % 61 * 64;  // equal depths of different lanes share no cache set
  return reinterpret_cast<void*>(bottom(index) + size - shift);
}

context new_context(std::size_t stack) {
  return boost::context::detail::make_fcontext(stacks::top(stack), stacks::size - 8192, enter);
}

void switch_to(context& from, context to) {
  auto const back = boost::context::detail::jump_fcontext(to, &from);
  *static_cast<context*>(back.data) = back.fctx;
}

}  // namespace simt
