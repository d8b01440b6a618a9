// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>

namespace simt {

// The stacks of all lanes: one range of addresses, each stack above a page that cannot be touched.
class stacks {
 public:
  static constexpr std::size_t size = 128 << 10, most = 1 << 14;

  static bool contains(std::uintptr_t address) { return address - base < most * size; }
  static std::uintptr_t bottom(std::size_t index) { return base + index * size; }
  static void* top(std::size_t index);

 private:
  static std::uintptr_t const base;
};

using context = boost::context::detail::fcontext_t;

// A context that will run lane_main() on the stack.
context new_context(std::size_t stack);
[[noreturn]] void lane_main();

// Leaves this context, stores it in `from`, and continues `to`, until someone continues `from`.
void switch_to(context& from, context to);

}  // namespace simt
