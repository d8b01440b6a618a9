// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "input.hpp"
#include "report.hpp"
#include "tally/gpu/pipeline.hpp"

namespace tally::cli {

// A call whose elements go through the GPUs that --device names in chunks, which --verbose asks for
// the plan of the first one, and what took the time.
class gpu_chunks {
 public:
  // Enough for the lanes to have something to do.
  static constexpr std::size_t piece_bytes = std::size_t(1) << 30;

  // `how` without the devices, which the options name.
  gpu_chunks(arguments const& options, gpu_pipeline_options how, gpu_pipeline::compute compute);
  gpu_chunks(gpu_chunks const&) = delete;

  bool has_memory() const { return through_.chunk_elements() > 0; }

  void add(std::vector<std::span<std::byte const>> const& arrays);
  // All of `in`, in order, or from the last to the first; and waits.
  void take(input& in);
  void take_backwards(input& in);
  void finish() { through_.finish(); }

  // A turn of a chunk in which f() passes results on.
  template <class F>
  void pass_on(gpu_chunk& chunk, F const& f) {
    chunk.in_turn([&] {
      auto const start = clock::now();
      f();
      passing_on_ += std::chrono::duration<double>(clock::now() - start).count();
    });
  }

  // To be told when it has run.
  ran_on ran() const;

 private:
  using clock = std::chrono::steady_clock;

  bool verbose_;
  std::string plan_;
  clock::time_point start_ = clock::now();
  double passing_on_ = 0;  // seconds
  std::size_t bytes_ = 0;
  gpu_pipeline through_;

  std::string times() const;
};

// The elements of a chunk.
inline any_array array_of(dtype type, gpu_chunk const& chunk, std::size_t array = 0) {
  return {type, chunk.elements<std::byte>(array).data(), chunk.count()};
}

}  // namespace tally::cli
