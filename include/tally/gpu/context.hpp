// SPDX-License-Identifier: Apache-2.0
//
// What a tally::gpu has opened. Needs no CUDA toolkit; src/cuda/gpu.cu implements it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tally/device/grid/workspace.hpp"

struct CUstream_st;

namespace tally {

class gpu_memory;

namespace detail {

// A device, a stream of it, and the memory that calls on it keep. One call is made at a time. Where
// memory is touched, and for workspace(), an entered_gpu must be alive.
class gpu_context {
 public:
  virtual ~gpu_context() = default;

  virtual int device() const = 0;
  virtual int multiprocessors() const = 0;
  virtual std::string name() const = 0;
  virtual std::size_t free_bytes() const = 0;

  virtual CUstream_st* stream() const = 0;
  virtual void synchronise() = 0;

  // Memory that is kept until the gpu ends, with room for so many status words.
  virtual device::workspace workspace(std::size_t words) = 0;
  // The same, and so much scratch beside it.
  virtual device::call_memory memory(std::size_t words, std::size_t scratch) = 0;
  // How the caller sizes that memory, or brings it.
  virtual void reserve(std::size_t bytes) = 0;
  virtual void with_workspace(std::span<std::byte> bytes) = 0;
  // Host memory that the device can write: where a call leaves its result. Aligned to 4096.
  virtual void* result_slot(std::size_t bytes) = 0;

  // Whether the device's kernels can read and write there: not in memory of the host alone, unless
  // the system is one where they can.
  virtual bool reaches(void const* data) const = 0;

  // Device memory in the stream's order. Of host memory, send() returns when it has read `from`,
  // receive() when it has written `to`.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data, std::size_t bytes) noexcept = 0;
  virtual void send(void* to, std::span<std::byte const> from) = 0;
  virtual void receive(std::span<std::byte> to, void const* from) = 0;
  virtual void copy(void* to, void const* from, std::size_t bytes) = 0;

  // Sorts (device/launch_context.cuh).
  virtual std::size_t sort_scratch(std::uint64_t count, std::size_t key_bytes) = 0;
  virtual int sort(device::pairs_to_sort<std::uint32_t> const& pairs, int bits, std::byte* scratch,
                   std::size_t scratch_bytes) = 0;
  virtual int sort(device::pairs_to_sort<std::uint64_t> const& pairs, int bits, std::byte* scratch,
                   std::size_t scratch_bytes) = 0;

  // Where calls write how they are carried out (gpu::explain_to); null: nowhere.
  std::string* explanation = nullptr;

  // Makes the device the thread's current one; returns the one that was.
  virtual int enter() = 0;
  virtual void leave(int before) noexcept = 0;
};

// The caller owns what it returns.
gpu_context* open_gpu(CUstream_st* stream, gpu_memory* memory, int device);

// The GPU in whose memory `data` is, or -1. Managed memory is in a GPU's.
int gpu_holding(void const* data);

// While it lives, the context's device is the thread's current one.
class entered_gpu {
 public:
  explicit entered_gpu(gpu_context& context) : context_(context), before_(context.enter()) {}
  entered_gpu(entered_gpu const&) = delete;
  ~entered_gpu() { context_.leave(before_); }

  gpu_context& operator*() const { return context_; }
  gpu_context* operator->() const { return &context_; }

 private:
  gpu_context& context_;
  int before_;
};

}  // namespace detail
}  // namespace tally
