// SPDX-License-Identifier: Apache-2.0
//
// How memory is cut into pieces: what takes its pieces from an arena says, taken from one over no
// memory, how much it needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/types.hpp"

namespace tally::device {

class arena {
 public:
  TALLY_FN explicit arena(std::byte* memory = nullptr) : at_(memory) {}

  // Room for so many, from an address that 16 divides.
  template <class T>
  TALLY_FN T* take(std::size_t count) {
    auto* const here = at_ + used_;
    used_ += (count * sizeof(T) + 15) / 16 * 16;
    return reinterpret_cast<T*>(here);
  }
  TALLY_FN std::size_t used() const { return used_; }

 private:
  std::byte* at_;
  std::size_t used_ = 0;
};

// How many bytes a Memory(arena&, arguments...) takes.
template <class Memory, class... Arguments>
std::size_t bytes_of(Arguments const&... arguments) {
  arena counted;
  Memory const all(counted, arguments...);
  return counted.used();
}

}  // namespace tally::device
