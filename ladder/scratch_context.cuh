// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/rung.hpp"
#include "tally/device/launch_context.cuh"
#include "tally/error.hpp"

namespace ladder {

// What tally::gpu has for a call, made of a rung's scratch.
class scratch_context {
 public:
  scratch_context(problem const& p, unsigned multiprocessors, std::size_t words)
      : p_(p), multiprocessors_(multiprocessors), words_(words) {}
  cudaStream_t stream() const { return p_.stream; }
  int multiprocessors() const { return int(multiprocessors_); }
  tally::device::workspace workspace(std::size_t words) const {
    if (words > words_) throw tally::error("the rung's scratch is too small");
    auto* const at = static_cast<char*>(p_.scratch);
    return {reinterpret_cast<std::uint32_t*>(at),
            reinterpret_cast<tally::device::status_word*>(at + header), words_};
  }
  static std::size_t bytes(std::size_t words) { return header + 16 * words; }

 private:
  static constexpr std::size_t header = tally::device::workspace::header_bytes;
  problem const& p_;
  unsigned multiprocessors_;
  std::size_t words_;
};

}  // namespace ladder
