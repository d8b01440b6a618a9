// SPDX-License-Identifier: Apache-2.0
//
// Rung 9: managed memory.
//
// Change:   rung 2's loop, then drawn: what it takes over an array in managed memory that the host
//           has just written, as on the page of top-k. That declares its array __managed__ and
//           takes the time by gettimeofday around launches and a synchronisation; it records
//           events, too, but never reads them. Here both clocks are read, and beside the first
//           kernel there are the second, a prefetch, and copies of the host's memory.
// Predict:  the first kernel waits for every page to come from the host, fault by fault, and both
//           clocks count that: milliseconds for 16 MiB, hundreds of times what the second takes,
//           which finds the pages there, as in device memory. A prefetch brings them in large
//           pieces, in about the time of a copy of pinned memory: 16 MiB at 50 GB/s are 0.3 ms. A
//           copy of pageable memory goes through a buffer of the driver's and takes longer. Events
//           leave out only what a launch and the waiting for it cost the host, some 10 us.
// Measured: on an H200, by the host's clock, the first kernel over 16 MiB takes 3.1 ms, the second
//           26 us; a prefetch 0.47 ms, a copy of pinned memory 0.36, of pageable memory 2.2. Events
//           leave out 6 to 22 us of each.
// Bytes:    n numbers; at most 4,194,304: managed memory beyond what is free can hang a GPU.
// GPU only: the SIMT machine has one memory, of no pages that could move, and no time.
//
// The timed calls, of n numbers in device memory, are rung 2's: of pages that are there.
#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ladder/memory/memory.cuh"
#include "ladder/memory/page_times.hpp"
#include "tally/cuda/device_array.cuh"

namespace ladder::memory {

__global__ void from_anywhere(int const* in, std::size_t n, long long* out) {
  long long total = 0;
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) total += in[i];
  out[thread_of_grid()] = total;
}

using array_of_host = std::unique_ptr<int[], cudaError_t (*)(void*)>;

// The host writes it, so its pages are the host's.
static array_of_host managed(std::vector<int> const& numbers) {
  int* memory = nullptr;
  tally::check(cudaMallocManaged(&memory, numbers.size() * sizeof(int)));
  array_of_host array(memory, cudaFree);
  std::copy(numbers.begin(), numbers.end(), memory);
  return array;
}

static array_of_host pinned(std::vector<int> const& numbers) {
  int* memory = nullptr;
  tally::check(cudaMallocHost(&memory, numbers.size() * sizeof(int)));
  array_of_host array(memory, cudaFreeHost);
  std::copy(numbers.begin(), numbers.end(), memory);
  return array;
}

static int this_device() {
  int device = 0;
  tally::check(cudaGetDevice(&device));
  return device;
}

// Managed memory comes to this device, before a kernel asks for it.
static void prefetch(int const* memory, std::size_t bytes, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  cudaMemLocation const here{cudaMemLocationTypeDevice, this_device()};
  tally::check(cudaMemPrefetchAsync(memory, bytes, here, 0, stream));
#else
  tally::check(cudaMemPrefetchAsync(memory, bytes, this_device(), stream));
#endif
}

// Times what goes on a stream by two clocks.
class clocks {
 public:
  explicit clocks(cudaStream_t on) : on_(on) {
    tally::check(cudaEventCreate(&before_));
    tally::check(cudaEventCreate(&after_));
  }
  ~clocks() {
    cudaEventDestroy(before_);
    cudaEventDestroy(after_);
  }
  clocks(clocks const&) = delete;
  clocks& operator=(clocks const&) = delete;

  template <class Enqueue>
  step_time time(std::string what, Enqueue enqueue) const {
    tally::check(cudaDeviceSynchronize());
    auto const begin = std::chrono::steady_clock::now();
    tally::check(cudaEventRecord(before_, on_));
    enqueue();
    tally::check(cudaEventRecord(after_, on_));
    tally::check(cudaEventSynchronize(after_));
    std::chrono::duration<double, std::micro> const host = std::chrono::steady_clock::now() - begin;
    float milliseconds = 0;
    tally::check(cudaEventElapsedTime(&milliseconds, before_, after_));
    return {std::move(what), host.count(), milliseconds * 1e3};
  }

 private:
  cudaStream_t on_;
  cudaEvent_t before_, after_;
};

// The problem's numbers, read from one kind of memory after the other.
class comparison {
 public:
  explicit comparison(problem const& p)
      : given_(p), numbers_(p.n), out_(std::size_t{p.grid} * whole_warps(p.block)), on_(p.stream) {
    tally::check(cudaMemcpy(numbers_.data(), p.in, bytes(), cudaMemcpyDeviceToHost));
  }

  std::vector<step_time> run() {
    read("device memory: kernel", static_cast<int const*>(given_.in));
    touch_managed();
    prefetch_managed();
    copy("pageable", numbers_.data());
    copy("pinned", pinned(numbers_).get());
    return std::move(steps_);
  }

 private:
  void touch_managed() {
    auto const in = managed(numbers_);
    read("managed memory: the first kernel", in.get());
    read("managed memory: the second", in.get());
  }

  void prefetch_managed() {
    auto const in = managed(numbers_);
    time("managed memory: prefetch", [&] { prefetch(in.get(), bytes(), given_.stream); });
    read("prefetched: kernel", in.get());
  }

  void copy(std::string const& kind, int const* from) {
    tally::device_array<int> const in(numbers_.size());
    time(kind + " memory: copy", [&] {
      auto const way = cudaMemcpyHostToDevice;
      tally::check(cudaMemcpyAsync(in.data(), from, bytes(), way, given_.stream));
    });
    read("copied: kernel", in.data());
  }

  void read(std::string what, int const* in) {
    out_.fill_bytes(0xff, given_.stream);
    time(what, [&] {
      tally::launch(from_anywhere, given_.grid, whole_warps(given_.block), 0, given_.stream)(
          in, given_.n, out_.data());
    });
    auto const sums = out_.to_host(given_.stream);
    auto const found = std::accumulate(sums.begin(), sums.end(), 0ll);
    auto const expected = std::accumulate(numbers_.begin(), numbers_.end(), 0ll);
    if (found != expected) throw tally::error(what + ": " + unlike(expected, found));
  }

  template <class Enqueue>
  void time(std::string const& what, Enqueue enqueue) {
    steps_.push_back(on_.time(what, enqueue));
  }

  std::size_t bytes() const { return numbers_.size() * sizeof(int); }

  problem const& given_;
  std::vector<int> numbers_;
  tally::device_array<long long> out_;
  clocks on_;
  std::vector<step_time> steps_;
};

static std::vector<std::string> draw(problem const& p) {
  int faults = 0;
  tally::check(cudaDeviceGetAttribute(&faults, cudaDevAttrConcurrentManagedAccess, this_device()));
  if (!faults) return {"this device has no concurrentManagedAccess: pages do not come on demand"};
  if (p.n == 0) return {"no numbers, so no pages"};
  return draw_step_times(comparison(p).run());
}

static registered const here{of_reads(
    {
        .id = "memory/09_managed",
        .title = "Managed memory: the pages come when they are read",
        .bound = "reading; drawn: pages that come from the host",
        .page = "__managed__, timed by gettimeofday",
        .limit = std::size_t{1} << 22,
        .draw = draw,
        .draws_times = true,
    },
    [](problem const& p, unsigned block, int const* in, long long* out) {
      tally::launch(from_anywhere, p.grid, block, 0, p.stream)(in, p.n, out);
    })};

}  // namespace ladder::memory
