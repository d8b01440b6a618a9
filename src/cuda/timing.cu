// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/timing.cuh"

#include <algorithm>
#include <cmath>
#include <map>

#include "tally/cuda/launch.cuh"

namespace tally::timing {
namespace {

std::size_t rotation_bytes() {
  std::size_t free, total;
  check(cudaMemGetInfo(&free, &total));
  return std::min(std::size_t{2} << 30, free / 4);
}
constexpr std::size_t most_blocks = 1024;

std::size_t whole_lines(std::size_t bytes) { return (bytes + 511) / 512 * 512; }

class stream {
 public:
  stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  stream(stream const&) = delete;
  ~stream() { cudaStreamDestroy(handle_); }
  operator cudaStream_t() const { return handle_; }

 private:
  cudaStream_t handle_;
};

class event {
 public:
  event() { check(cudaEventCreate(&handle_)); }
  event(event const&) = delete;
  ~event() { cudaEventDestroy(handle_); }
  operator cudaEvent_t() const { return handle_; }

 private:
  cudaEvent_t handle_;
};

class graph {
 public:
  graph(work const& enqueue, std::size_t calls) {
    cudaStream_t const capturing = own_stream();
    cudaGraph_t captured;
    check(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeThreadLocal));
    try {
      for (std::size_t i = 0; i < calls; ++i) enqueue(capturing, i);
    } catch (...) {
      cudaStreamEndCapture(capturing, &captured);
      throw;
    }
    check(cudaStreamEndCapture(capturing, &captured));
    auto const made = cudaGraphInstantiate(&handle_, captured, 0);
    cudaGraphDestroy(captured);
    check(made);
  }
  graph(graph const&) = delete;
  ~graph() { cudaGraphExecDestroy(handle_); }
  void launch() const { check(cudaGraphLaunch(handle_, own_stream())); }

 private:
  cudaGraphExec_t handle_;
};

// Times run() `replays` times. prepare() goes on the stream before; while the device is busy with
// it, run() is already queued, so that no launch is waited for.
template <class Prepare, class Run>
samples measure(cudaStream_t on, std::size_t calls, int replays, Prepare prepare, Run run) {
  check(cudaDeviceSynchronize());  // `on` does not wait for what is on other streams
  event const begin, end;
  samples found;
  for (int i = -1; i < replays; ++i) {  // the first one warms up
    prepare();
    check(cudaEventRecord(begin, on));
    run();
    check(cudaEventRecord(end, on));
    check(cudaEventSynchronize(end));
    float ms;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 0) found.us.push_back(1e3 * ms / double(calls));
  }
  return found;
}

samples warm_replays(work const& enqueue, std::size_t calls, int replays) {
  graph const all(enqueue, calls);
  auto const launch = [&] { all.launch(); };
  return measure(own_stream(), calls, replays, launch, launch);
}

__global__ void evict(uint4* lines, std::size_t count) {
  std::size_t const step = std::size_t(gridDim.x) * blockDim.x;
  unsigned bits = 0;
  for (auto i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count; i += step)
    bits |= lines[i].x;
  if (bits) lines[0].x = 0;  // never: they are zero, but the compiler cannot know
}

int attribute(cudaDeviceAttr which) {
  int device, value;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

// After so many other bytes, nothing that was used before is in L2.
std::size_t flushing_bytes() { return 4 * std::size_t(attribute(cudaDevAttrL2CacheSize)); }

// Memory to read in between.
class other_data {
 public:
  other_data() : data_(flushing_bytes() / sizeof(uint4)) { data_.fill_bytes(0, own_stream()); }
  void fill_cache(cudaStream_t on) const {
    launch(evict, 4 * attribute(cudaDevAttrMultiProcessorCount), 512, 0, on)(data_.data(),
                                                                             data_.size());
  }

 private:
  device_array<uint4> data_;
};

}  // namespace

cudaStream_t own_stream() {
  static auto& of_device = *new std::map<int, stream>;  // one thread measures at a time
  int device;
  check(cudaGetDevice(&device));
  return of_device[device];
}

double samples::median() const {
  auto sorted = us;
  std::ranges::sort(sorted);
  auto const n = sorted.size();
  return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : std::nan("");
}

samples warm_time(work const& enqueue, int replays) {
  constexpr double replay_us = 2000;
  auto const trial = warm_replays(enqueue, 16, 3).median();
  auto const calls = std::clamp(replay_us / trial, 4.0, 2000.0);
  return warm_replays(enqueue, std::size_t(calls), replays);
}

samples cold_time(work const& enqueue, std::size_t calls, int replays) {
  graph const all(enqueue, calls);
  other_data const between;
  auto const on = own_stream();
  return measure(on, calls, replays, [&] { between.fill_cache(on); }, [&] { all.launch(); });
}

samples event_time(work const& enqueue, std::size_t calls, int replays) {
  stream const on;
  return measure(
      on, calls, replays, [] {},
      [&] {
        for (std::size_t i = 0; i < calls; ++i) enqueue(on, i);
      });
}

rotation::rotation(std::size_t bytes)
    : stride_(whole_lines(std::max(bytes, rotation_bytes() / most_blocks))),
      count_(std::max<std::size_t>(rotation_bytes() / stride_, 1)),
      memory_(stride_ * count_) {
  memory_.fill_bytes(0, own_stream());
}

// If a block's next turn comes when it has left the cache: so many calls at least that what a
// replay takes to begin does not count.
std::size_t rotation::calls() const {
  bool const again = (count_ - 1) * stride_ >= flushing_bytes() || stride_ >= flushing_bytes();
  return again ? std::max<std::size_t>(count_, 12) : count_;
}

}  // namespace tally::timing
