// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "tally/device/launch_context.cuh"

namespace tally::detail {

// A context whose launches leave room for so many bytes behind their own scratch. What is there
// stays as long as no launch needs more status words or more scratch than one before it, or than
// `expected`. One that needs more gets other memory, without what was there: then moved(address) is
// called, and so a launch asks for memory before it reads any address that moved() sets.
template <memory_context Context, class Moved>
class context_with_room {
 public:
  context_with_room(Context& context, std::size_t bytes, std::size_t expected, Moved moved)
      : context_(context), bytes_(bytes), moved_(moved) {
    ask(1, expected);
  }
  CUstream_st* stream() { return context_.stream(); }
  int multiprocessors() { return context_.multiprocessors(); }
  std::size_t shared_memory()
    requires requires(Context& c) { c.shared_memory(); }
  {
    return context_.shared_memory();
  }
  bool holds_rows()
    requires requires(Context& c) { c.holds_rows(); }
  {
    return context_.holds_rows();
  }
  device::workspace workspace(std::size_t words) { return memory(words, 0).w; }
  device::call_memory memory(std::size_t words, std::size_t scratch) {
    if (words > words_ || scratch > own_) ask(words, scratch);
    return found_;
  }
  std::size_t sort_scratch(std::uint64_t count, std::size_t key_bytes)
    requires sorting_context<Context>
  {
    return context_.sort_scratch(count, key_bytes);
  }
  template <class Key>
    requires sorting_context<Context>
  int sort(device::pairs_to_sort<Key> const& pairs, int bits, std::byte* scratch,
           std::size_t scratch_bytes) {
    return context_.sort(pairs, bits, scratch, scratch_bytes);
  }

 private:
  void ask(std::size_t words, std::size_t scratch) {
    words_ = std::max(words_, words), own_ = std::max(own_, (scratch + 15) / 16 * 16);
    found_ = context_.memory(words_, own_ + bytes_);
    moved_(found_.scratch + own_);
  }

  Context& context_;
  std::size_t bytes_, words_ = 0, own_ = 0;
  device::call_memory found_;
  Moved moved_;
};

}  // namespace tally::detail
