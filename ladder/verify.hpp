// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ladder/rung.hpp"
#include "tally/cuda/device_array.cuh"

namespace ladder {

// A problem with its memory. The input starts `offset` elements behind an aligned address, and the
// output so many results.
class prepared {
 public:
  prepared(rung const& r, problem given, std::vector<std::byte> const& in, std::size_t offset);

  problem const& given() const { return given_; }

  // Runs the rung once: the memory with its output, where it wrote nothing being poison.
  std::vector<std::byte> run(rung const& r) const;
  // In that memory, the output; and whether what lies beside it is still poison.
  std::span<std::byte const> out_of(std::span<std::byte const> memory) const;
  bool canaries_live(std::span<std::byte const> memory) const;

 private:
  problem given_;
  tally::device_array<std::byte> in_;
  std::size_t out_at_, out_bytes_;
  tally::device_array<std::byte> out_, scratch_;
};

// Inputs that were made, kept to be used again.
class input_store {
 public:
  std::vector<std::byte> const& get(data kind, element type, std::size_t n);

 private:
  std::map<std::tuple<data, element, std::size_t>, std::vector<std::byte>> made_;
};

struct verdict {
  bool verified = true;
  double error = 0;                   // the largest
  std::uint64_t host_additions = 0;   // of one run of the problem asked for
  std::vector<std::string> findings;  // what was wrong, and what the machine reported

  void add(std::string finding);
};

// Runs the rung on the problem, and on other sizes, shapes and inputs, twice each on one scratch;
// the input is aligned to its element, no better.
verdict verify(rung const& r, problem const& given, input_store& inputs);

// Only on the problem.
verdict verify_once(rung const& r, problem const& given, input_store& inputs);

}  // namespace ladder
