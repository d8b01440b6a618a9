// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ladder/rung.hpp"
#include "ladder/scan/scan.cuh"
#include "tally/cuda/device_array.cuh"

// A scan of 16 places that is watched: its operator takes notes of what becomes of them.
namespace ladder::scan {

constexpr int watched_places = 16, watched_steps = 16;

// The places from `first` to `last`: what an element, or some in a row, came from.
struct places {
  int first, last;
};

// Puts rows of places together, which must follow each other.
struct noted {
  using element = places;
  using state = places;
  using result = places;
  combined* notes;  // of each step and place
  int step = 0;

  static __device__ places identity() { return {0, -1}; }
  __device__ places operator()(places left, places right) const {
    if (right.first - 1 != left.last) __trap();
    return {left.first, right.last};
  }
  __device__ void note(unsigned from, unsigned to, places x, bool copied) const {
    notes[step * watched_places + int(to)] = {int(from), int(to), x.first, x.last, copied};
  }
  __device__ void next_step() { ++step; }
  __device__ places finish(places all) const { return all; }
};

// What the kernel did that launch(noted, in, n, out) launches.
template <class Launch>
algorithm_steps watch(Launch launch) {
  std::vector<places> numbers;
  for (int i = 0; i < watched_places; ++i) numbers.push_back({i, i});
  tally::device_array<places> const in{std::span<places const>(numbers)}, out(watched_places + 1);
  tally::device_array<combined> const notes(watched_places * watched_steps);
  notes.fill_bytes(0xff);  // -1: nothing
  launch(noted{notes.data()}, in.data(), unsigned(watched_places), out.data());

  auto const all = notes.to_host();
  algorithm_steps steps;
  for (int step = 0; step < watched_steps; ++step) {
    std::vector<combined> together;
    for (int place = 0; place < watched_places; ++place) {
      auto const& note = all[step * watched_places + place];
      if (note.to >= 0) together.push_back(note);
    }
    if (!together.empty()) steps.push_back(together);
  }
  return steps;
}

}  // namespace ladder::scan
