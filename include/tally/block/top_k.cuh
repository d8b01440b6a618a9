// SPDX-License-Identifier: Apache-2.0
//
// The best of what the threads of a block pass, call after call, straight from registers: scores
// need not be stored to be selected from.
#pragma once

#include "tally/block/partials.cuh"
#include "tally/warp/top_k.cuh"

namespace tally::block {

// The first k of all entries, k <= Most, in shared memory that the caller has:
//
//   __shared__ tally::block::running_top_k<float, 100>::storage memory;
//   tally::block::running_top_k<float, 100> best(memory, k);
//   for (unsigned i = thread; i < rounded_up; i += threads) best.add({score(i), i}, i < n);
//   int const found = best.finish();   // the first of memory.entries() are in order
//
// All threads call together, and none has exited. What is no better than the k-th of those that
// were sorted last is dropped; the rest waits in shared memory until that is full. So an array
// whose best come last costs most: a sort of the memory for each (Room - k) / threads calls. The
// block has at most Room - Most threads.
template <class T, int Most, class Index = std::uint32_t, class First = larger_first,
          int Room = 2048>
class running_top_k {
 public:
  using entry_type = entry<T, Index>;
  // Bytes, since shared memory is of types that need no constructor.
  struct storage {
    alignas(entry_type) unsigned char bytes[Room * sizeof(entry_type)];
    int used;
    __device__ entry_type* entries() { return reinterpret_cast<entry_type*>(bytes); }
  };
  static_assert(0 < Most && Most < Room && (Room & (Room - 1)) == 0);

  // 0 <= k <= Most.
  __device__ running_top_k(storage& memory, int k, First first = {})
      : memory_(memory), first_(first), k_(k) {
    if (thread_index() == 0) memory_.used = 0;
    __syncthreads();
  }

  // Takes the thread's entry, if it has one: `live`. A barrier.
  __device__ void add(entry_type x, bool live = true) {
    bool const better = live && k_ > 0 && (!is_full_ || first_(x, last_));
    if (better) memory_.entries()[atomicAdd(&memory_.used, 1)] = x;
    used_ += __syncthreads_count(better);
    if (used_ + thread_count() > Room) keep_best();
  }

  // Sorts what is there and returns how many: the first of memory.entries() are in order, for all
  // threads to read. More may be added after a barrier.
  __device__ int finish() {
    keep_best();
    return used_;
  }

 private:
  // All threads know how many entries there are; past a barrier they are all written.
  __device__ void keep_best() {
    sort();
    used_ = used_ < k_ ? used_ : k_;
    is_full_ = k_ > 0 && used_ == k_;
    if (is_full_) last_ = memory_.entries()[k_ - 1];
    if (thread_index() == 0) memory_.used = used_;
    __syncthreads();
  }

  // Batcher's bitonic sort (1968), in the form in which every comparison puts the first entry to
  // the lower place: so places past the end are left alone, as if what comes last were there.
  __device__ void sort() {
    for (int run = 2; run < 2 * used_; run *= 2) {
      step([=](int i) { return i ^ (run - 1); });
      for (int flip = run / 4; flip > 0; flip /= 2) step([=](int i) { return i ^ flip; });
    }
  }
  template <class Partner>
  __device__ void step(Partner partner) {
    for (int i = thread_index(); i < used_; i += thread_count()) {
      int const other = partner(i);
      if (i < other && other < used_) order(memory_.entries()[i], memory_.entries()[other]);
    }
    __syncthreads();
  }
  __device__ void order(entry_type& a, entry_type& b) const {
    entry_type const x = a, y = b;
    if (first_(y, x)) a = y, b = x;
  }

  storage& memory_;
  First first_;
  int k_, used_ = 0;
  bool is_full_ = false;
  entry_type last_{};
};

}  // namespace tally::block
