// SPDX-License-Identifier: Apache-2.0
//
// How a call of CUB is measured.
#pragma once

#include "bench/gpu/values.cuh"

namespace bench {

// A call with temporary memory, which is asked for once: call(memory, bytes, i, stream).
template <class Call>
void measure_cub_call(std::string const& id, Call call, std::size_t calls, int replays,
                      std::uint64_t bytes) {
  std::size_t room = 0;
  call(nullptr, room, 0, nullptr);
  device_array<unsigned char> temporary(room);
  auto const work = [&](cudaStream_t s, std::size_t i) {
    std::size_t size = room;
    call(temporary.data(), size, i, s);
  };
  print(id + "cold/cub", timing::cold_time(work, calls, replays), bytes);
  print(id + "behind/cub", behind_time(work, calls, replays), bytes);
}

}  // namespace bench
