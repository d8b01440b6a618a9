// SPDX-License-Identifier: Apache-2.0
//
// A GPU that calls run on. Needs no CUDA toolkit.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>

#include "tally/error.hpp"
#include "tally/gpu/context.hpp"
#include "tally/owner.hpp"

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

// A stream: a cudaStream_t, what converts to one, or what has one to get(), as cuda::stream_ref.
class gpu_stream {
 public:
  gpu_stream(CUstream_st* stream = nullptr) : stream_(stream) {}
  template <class Stream>
    requires std::convertible_to<Stream const&, CUstream_st*>
  gpu_stream(Stream const& s) : stream_(s) {}
  template <class Stream>
    requires requires(Stream const& s) {
      { s.get() } -> std::same_as<CUstream_st*>;
    }
  gpu_stream(Stream const& s) : stream_(s.get()) {}

  operator CUstream_st*() const { return stream_; }

 private:
  CUstream_st* stream_;
};

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
  gpu_stream stream = nullptr;   // it outlives the gpu
  gpu_memory* memory = nullptr;  // that outlives the gpu; null: the device's stream-ordered pool
  int device = -1;               // -1: the stream's, or without a stream the current one

  detail::owner<detail::gpu_context> opened{detail::open_gpu(stream, memory, device)};

  // Makes room for calls that need so much workspace, beyond what there is at first.
  void reserve(std::size_t bytes) { context().reserve(bytes); }
  // Calls use this device memory from now on, and no other; if empty, the gpu's own again. It is
  // set to zero, in the stream's order. Graphs captured meanwhile use it, too: none of them may run
  // beside another or beside a call.
  void with_workspace(std::span<std::byte> bytes) { context().with_workspace(bytes); }
  // As its maker names it.
  std::string name() const { return context().name(); }
  // As the CUDA runtime counts.
  int index() const { return context().device(); }
  // Of the device's memory, as the driver counts.
  std::size_t free_bytes() const { return context().free_bytes(); }
  // From now on calls append to `text` how they are carried out, for people to read: by which
  // kernels, of how many blocks, in how much scratch. Null: no more.
  void explain_to(std::string* text) { context().explanation = text; }
  // Waits for the stream.
  void synchronise() { context().synchronise(); }

  // What it has opened, for calls; throws where another gpu has taken it.
  detail::gpu_context& context() const {
    if (auto* const found = opened.get()) return *found;
    throw error("gpu: another has been made from it, and it can no more be used");
  }
};

}  // namespace tally
