// SPDX-License-Identifier: Apache-2.0
//
// What Tally can run on, and how fast its memory is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tally/where.hpp"

namespace tally {

struct cpu_properties {
  std::string model;            // as the system names it
  int cores;                    // that the process may use; threads of one core count as one
  int threads;                  // that tally::cpu{} uses
  std::string instruction_set;  // that the library uses: baseline, avx2 or avx512
  std::size_t l3_bytes;         // of all those cores together; 0 if the system does not say
};

struct gpu_properties {
  int index;
  std::string name;
  int major, minor;  // compute capability
  int multiprocessors;
  std::size_t memory_bytes, constant_memory_bytes;
  std::size_t shared_memory_per_block_bytes;
  int registers_per_block;
  int warp_size;
  int max_threads_per_block;
  int max_block[3], max_grid[3];
  std::size_t max_pitch_bytes, texture_alignment_bytes;
  int clock_khz;
  bool copies_while_computing;
  std::size_t l2_bytes;
  int memory_clock_khz, memory_bus_bits;
  std::string driver_cuda, runtime_cuda;  // the newest CUDA that the driver knows; the library's
};

// The lines that other work is held against: memory at its best, data in no cache.
struct memory_lines {
  std::size_t buffer_bytes;
  double read_gb_per_s;
  double copy_gb_per_s;  // bytes read and bytes written
};

cpu_properties this_cpu();
// How many threads calls on `where` use.
int threads_of(cpu where);

// How calls have been carried out on the cores since the process asked last, for people to read:
// which paths their parts took, and how often. No answer depends on it.
std::string explain_cpu();

// Empty where there is none; then no_gpu_because() says why.
std::vector<gpu_properties> gpus();
std::string no_gpu_because();

// These take seconds, and memory: of a CPU two buffers, of a GPU a good part of what is free.
memory_lines measure_memory(cpu where);
memory_lines measure_memory(gpu_properties const& gpu);

}  // namespace tally
