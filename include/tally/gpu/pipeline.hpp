// SPDX-License-Identifier: Apache-2.0
//
// Arrays of the host that go through GPUs in chunks. Needs no CUDA toolkit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tally/gpu/device.hpp"

namespace tally {

struct gpu_pipeline_options {
  std::vector<int> devices = {-1};  // as the CUDA runtime counts; -1: the current one
  // In bytes: an element of each array that is read, a result of each element, and what calls need
  // beside that, an element.
  std::vector<std::size_t> elements;
  std::size_t result = 0, beside = 0;
  // The index of the first element to come; in reverse, one past it.
  std::uint64_t first = 0;
  bool reverse = false;
  std::size_t chunk_bytes = std::size_t(32) << 20;  // at most, of all arrays together
  int lanes = 4;  // chunks that are under way at once, for each of the devices
};

// How many elements a chunk has, where one takes so many bytes of an array and of the device: a
// power of two, so that chunks are whole nodes of a tree over the indices. 0: for a chunk that is
// worth a launch there is no memory.
std::uint64_t gpu_chunk_elements(std::size_t free_bytes, int lanes, std::size_t array_bytes,
                                 std::size_t device_bytes, std::size_t chunk_bytes);

// Some neighbours among the elements, in the memory of a GPU. `f` has it on a thread of its lane,
// and until it returns.
class gpu_chunk {
 public:
  // That GPU, with a stream that no other chunk uses meanwhile.
  gpu& there() const { return *there_; }
  // Which chunk this is, from 0 on, and the index of its first element.
  std::uint64_t number() const { return number_; }
  std::uint64_t first() const { return first_; }
  std::uint64_t count() const { return count_; }

  template <class T>
  std::span<T const> elements(std::size_t array = 0) const {
    return {reinterpret_cast<T const*>(arrays_[array]), std::size_t(count_)};
  }
  // Room for a result of each.
  template <class T>
  std::span<T> results() const {
    return {reinterpret_cast<T*>(results_), std::size_t(count_)};
  }
  // Waits for the stream, and gives the results in the memory of the host, until the chunk ends.
  std::span<std::byte const> read_results();

  // Calls f() after the chunk before this one, by number(), has done so: of every chunk the first
  // such call follows the others' first one, the second their second. Each chunk makes as many; one
  // that makes fewer leaves those behind it waiting.
  template <class F>
  void in_turn(F&& f) {
    await_turn();
    f();
    pass_turn();
  }

 private:
  friend class gpu_pipeline;
  struct lane;

  lane* lane_;
  gpu* there_;
  std::vector<std::byte const*> arrays_;
  std::byte* results_;
  std::uint64_t number_, first_, count_;
  std::size_t turn_ = 0;

  void await_turn();
  void pass_turn();
};

// While one chunk is computed, those behind it are on their way to a GPU, and results of those
// before it on their way back. Arrays may be larger than the memory of all GPUs. What is computed
// of chunks is put together as that of any parts of an array, with the bits of one call over all:
//
//   tally::state<tally::sum, float> total;
//   tally::gpu_pipeline through({.devices = {0, 1}, .elements = {sizeof(float)}},
//                               [&](tally::gpu_chunk& chunk) {
//     auto const known = tally::reduce(chunk.there(), chunk.elements<float>(),
//                                      tally::as_state{tally::sum{}, chunk.first()});
//     chunk.in_turn([&] { total.append(known); });
//   });
//   while (...) through.add(std::as_bytes(piece));
//   through.finish();
class gpu_pipeline {
 public:
  using compute = std::function<void(gpu_chunk&)>;
  using bytes = std::span<std::byte const>;

  // `f` is called for each chunk, and for several at once on as many threads.
  gpu_pipeline(gpu_pipeline_options options, compute f);
  gpu_pipeline(gpu_pipeline const&) = delete;
  // Without finish() it waits for chunks under way, and drops the others.
  ~gpu_pipeline();

  // How many a chunk has at most; 0: there is no memory for any, and add() throws.
  std::uint64_t chunk_elements() const;
  // What the devices are, and what the first is called.
  std::vector<int> devices() const;
  std::string name() const;

  // The elements that follow, or in reverse come before: of each array as many. Returns when they
  // have been read, not computed; called by one thread at a time. Throws what `f` has thrown, as
  // finish() does.
  void add(std::vector<bytes> const& arrays);
  void add(bytes array) { add(std::vector{array}); }
  // Waits until all have been computed. Nothing is added any more.
  void finish();

  // After finish(): how long the lanes were busy, in seconds of them all. Waiting for a turn, and
  // reading results, are not among computing.
  struct times {
    std::uint64_t chunks = 0;
    int lanes = 0;
    double sending = 0, computing = 0, waiting = 0, reading = 0;
  };
  times spent() const;

 private:
  struct held;
  std::unique_ptr<held> held_;
  friend class gpu_chunk;
};

namespace detail {

// As open_gpu, with a stream of its own. The caller owns what it returns.
gpu_context* open_gpu_beside(int device);

}  // namespace detail
}  // namespace tally
