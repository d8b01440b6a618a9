// SPDX-License-Identifier: Apache-2.0
//
// A GPU that calls run on. Needs no CUDA toolkit.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "tally/device/call.hpp"

namespace tally {

// A source of device memory.
class gpu_memory {
 public:
  // At least `bytes`, aligned to 16, for what runs on `stream` from now on, on the current device.
  virtual void* allocate(std::size_t bytes, CUstream_st* stream) = 0;
  // What was put on `stream` before may still use the memory.
  virtual void release(void* memory, std::size_t bytes, CUstream_st* stream) noexcept = 0;

 protected:
  ~gpu_memory() = default;
};

namespace detail {

// An open GPU, on which one call is made at a time.
class opened_gpu : public gpu_call {
 public:
  virtual ~opened_gpu() = default;
  virtual int device() const = 0;
  virtual std::string name() const = 0;
  virtual std::size_t free_bytes() const = 0;
  virtual void reserve(std::size_t bytes) = 0;
  virtual void with_workspace(std::span<std::byte> bytes) = 0;
  virtual void synchronise() = 0;
  // Host memory that the device can write: where a call leaves its answer. Aligned to 4096.
  virtual void* answer(std::size_t bytes) = 0;
  // Device memory in the stream's order; send() returns when it has read `from`, in host memory.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data, std::size_t bytes) noexcept = 0;
  virtual void send(void* to, std::span<std::byte const> from) = 0;
  virtual void copy(void* to, void const* from, std::size_t bytes) = 0;
  // Makes the device the thread's current one; returns the one that was.
  virtual int enter() = 0;
  virtual void leave(int before) noexcept = 0;
};

// Owns one, or none. (std::unique_ptr's header takes nvcc a third of a second.)
class gpu_handle {
 public:
  explicit gpu_handle(opened_gpu* owned = nullptr) : gpu_(owned) {}
  gpu_handle(gpu_handle&& other) noexcept : gpu_(std::exchange(other.gpu_, nullptr)) {}
  gpu_handle& operator=(gpu_handle&& other) noexcept {
    gpu_handle taken(std::move(other));
    std::swap(gpu_, taken.gpu_);
    return *this;
  }
  ~gpu_handle() { delete gpu_; }
  // These throw where there is none: another has taken it.
  opened_gpu& operator*() const;
  opened_gpu* operator->() const { return &**this; }

 private:
  opened_gpu* gpu_;
};

gpu_handle open_gpu(CUstream_st* stream, gpu_memory* memory, int device);

// The GPU in whose memory `data` is, or -1. Managed memory is in a GPU's.
int gpu_holding(void const* data);

}  // namespace detail

// One stream of a GPU, one call in flight:
//
//   tally::gpu there{.stream = stream};
//   tally::reduce_into(there, in, out, tally::sum{});   // asynchronous
//
// Throws tally::error where there is no GPU. Can be moved, not copied. Calls may be captured in a
// graph, which may be replayed on new data for as long as the gpu lives, on any stream. Each graph
// has memory of its own until the gpu ends; so one graph must not run twice at once.
struct gpu {
  // How it is opened; later changes have no effect.
  CUstream_st* stream = nullptr;  // a cudaStream_t, which outlives the gpu
  gpu_memory* memory = nullptr;   // that outlives the gpu; null: the device's stream-ordered pool
  int device = -1;                // -1: the stream's, or without a stream the current one

  detail::gpu_handle opened = detail::open_gpu(stream, memory, device);

  // Makes room for calls that need so much workspace, beyond what there is at first.
  void reserve(std::size_t bytes) { opened->reserve(bytes); }
  // Calls use this device memory from now on, and no other; if empty, the gpu's own again. It is
  // set to zero, in the stream's order. Graphs captured meanwhile use it, too: none of them may run
  // beside another or beside a call.
  void with_workspace(std::span<std::byte> bytes) { opened->with_workspace(bytes); }
  // As its maker names it.
  std::string name() const { return opened->name(); }
  // As the CUDA runtime counts.
  int index() const { return opened->device(); }
  // Of the device's memory, as the driver counts.
  std::size_t free_bytes() const { return opened->free_bytes(); }
  // Waits for the stream.
  void synchronise() { opened->synchronise(); }
};

namespace detail {

// While it lives, the gpu's device is the thread's current one.
class entered_gpu {
 public:
  explicit entered_gpu(opened_gpu& where) : gpu_(where), before_(gpu_.enter()) {}
  explicit entered_gpu(gpu const& where) : entered_gpu(*where.opened) {}
  entered_gpu(entered_gpu const&) = delete;
  ~entered_gpu() { gpu_.leave(before_); }

  opened_gpu& operator*() const { return gpu_; }
  opened_gpu* operator->() const { return &gpu_; }

 private:
  opened_gpu& gpu_;
  int before_;
};

}  // namespace detail
}  // namespace tally
