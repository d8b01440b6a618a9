// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ladder/memory/memory.cuh"
#include "ladder/memory/who_reads_what.hpp"
#include "tally/cuda/device_array.cuh"

// Two ways for a kernel to read its numbers: quietly, or leaving a note with each.
namespace ladder::memory {

struct quietly {
  int const* in;
  __device__ int operator()(std::size_t i) { return in[i]; }
};

struct with_notes {
  int const* in;
  reading* notes;
  int step = 0;
  __device__ int operator()(std::size_t i) {
    notes[i] = {int(thread_of_grid()), step++};
    return in[i];
  }
};

// Which of 3 threads reads which of 9 numbers when, as they noted.
using noting_kernel = void (*)(with_notes, std::size_t n, long long* out);
inline std::vector<std::string> draw_3_threads(noting_kernel kernel) {
  std::vector<int> const numbers{1, 2, 3, 4, 5, 6, 7, 8, 9};
  tally::device_array<int> const in{std::span(numbers)};
  tally::device_array<reading> const notes(numbers.size());
  tally::device_array<long long> const out(3);
  notes.fill_bytes(0xff);  // thread -1: nobody
  tally::launch(kernel, 1, 3)({in.data(), notes.data()}, numbers.size(), out.data());
  return draw_readings(notes.to_host());
}

}  // namespace ladder::memory
