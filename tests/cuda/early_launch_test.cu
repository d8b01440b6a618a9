// SPDX-License-Identifier: Apache-2.0
//
// Launches that start under the end of the ones before them: they see all that those have written,
// and write nothing that those still read.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "src/cuda/capture.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/gpu_aggregates.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;

struct same_value {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x;
  }
};

__device__ void spin(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

// Lets the next launch start at once, has the first of x in every multiprocessor's L1, and writes
// late.
__global__ void rewrite(float* x, unsigned n, float value, float* unlikely) {
  await_launches_before();
  let_next_launch_start();
  float seen = 0;
  for (unsigned i = threadIdx.x; i < min(n, 4096u); i += blockDim.x) seen += __ldca(x + i);
  if (seen == -1) *unlikely = seen;
  spin(3000 + 500 * (blockIdx.x % 8));
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = value;
}

constexpr int results = 24;

// Rewrites an array and adds it up, again and again.
class chain {
 public:
  chain(cudaStream_t on, unsigned n) : x_(n), out_(results), there_{.stream = on} {
    there_.reserve(1 << 20);
    x_.fill_bytes(0, on);
    out_.fill_bytes(0xff, on);
  }
  void enqueue() {
    std::span<float const> const x(x_.data(), x_.size());
    auto const also = transform(x, same_value{});
    for (int i = 0; i < results; i += 4) {
      reduce_into(there_, rewritten(x, i), out(i), sum{});
      reduce_into(there_, rewritten(also, i + 1), out(i + 1), sum{});
      reduce_into(there_, rewritten(x, i + 2), out(i + 2), maximum{});
      reduce_into(there_, rewritten(also, i + 3), out(i + 3), fast_sum{});
    }
  }
  void expect_right(char const* where) {
    auto const got = out_.to_host(there_.stream);
    for (int i = 0; i < results; ++i)
      EXPECT_EQ(got[i], i % 4 == 2 ? value(i) : value(i) * float(x_.size()))
          << where << ", " << x_.size() << " elements, result " << i;
    out_.fill_bytes(0xff, there_.stream);
  }

 private:
  device_array<float> x_, out_;
  gpu there_;

  static float value(int i) { return float(i % 7 + 1); }
  template <class In>
  In const& rewritten(In const& in, int i) {
    launch_early<rewrite>(264, 256, 0, there_.stream)(x_.data(), unsigned(x_.size()), value(i),
                                                      out_.data());
    return in;
  }
  std::span<float, 1> out(int i) { return std::span<float, 1>(out_.data() + i, 1); }
};

unsigned const sizes[] = {1 << 10, 1 << 14, 1 << 16, 1 << 20};

TEST(EarlyLaunches, see_what_launches_before_them_wrote) {
  own_stream const on;
  for (unsigned const n : sizes) {
    chain all(on, n);
    for (int i = 0; i < 2; ++i) {
      all.enqueue();
      all.expect_right("on a stream");
    }
  }
}

TEST(EarlyLaunches, do_so_on_the_default_stream) {
  chain all(nullptr, 1 << 16);
  all.enqueue();
  all.expect_right("on the default stream");
}

TEST(EarlyLaunches, do_so_in_graphs) {
  own_stream const on;
  for (unsigned const n : sizes) {
    chain all(on, n);
    cudaGraph_t captured;
    cudaGraphExec_t graph;
    check(cudaStreamBeginCapture(on, cudaStreamCaptureModeGlobal));
    all.enqueue();
    check(cudaStreamEndCapture(on, &captured));
    check(cudaGraphInstantiate(&graph, captured, 0));
    check(cudaGraphDestroy(captured));
    for (int i = 0; i < 2; ++i) {
      check(cudaGraphLaunch(graph, on));
      all.expect_right("in a graph");
    }
    cudaGraphExecDestroy(graph);
  }
}

// What comes before is not always a kernel, nor on the same stream.
TEST(EarlyLaunches, may_follow_anything) {
  own_stream const on, beside;
  unsigned const n = 1 << 16;
  device_array<float> x(n), y(n), out(8);
  std::span<float const> const both[] = {{x.data(), n}, {y.data(), n}};
  gpu here{.stream = on}, there{.stream = beside};
  cudaEvent_t forked, joined;
  check(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  auto const to = [&](int i) { return std::span<float, 1>(out.data() + i, 1); };
  auto const enqueue = [&] {
    check(cudaMemsetAsync(x.data(), 0, n * sizeof(float), on));
    reduce_into(here, both[0], to(0), sum{});
    launch_early<rewrite>(264, 256, 0, on)(x.data(), n, 2.f, out.data());
    check(cudaEventRecord(forked, on));
    check(cudaStreamWaitEvent(beside, forked, 0));
    reduce_into(there, both[0], to(1), sum{});
    launch_early<rewrite>(264, 256, 0, beside)(y.data(), n, 3.f, out.data());
    reduce_into(here, both[0], to(2), maximum{});
    check(cudaEventRecord(joined, beside));
    check(cudaStreamWaitEvent(on, joined, 0));
    reduce_into(here, both[1], to(3), fast_sum{});
    check(cudaMemcpyAsync(x.data(), y.data(), n * sizeof(float), cudaMemcpyDeviceToDevice, on));
    reduce_into(here, both[0], to(4), sum{});
  };
  std::vector<float> const want{0, 2.f * n, 2, 3.f * n, 3.f * n};
  auto const expect_right = [&](char const* where) {
    auto got = out.to_host(on);
    got.resize(want.size());
    EXPECT_EQ(got, want) << where;
    out.fill_bytes(0xff, on);
  };
  y.fill_bytes(0, on);
  out.fill_bytes(0xff, on);
  for (int i = 0; i < 5; ++i) {
    enqueue();
    expect_right("on streams");
  }
  cudaGraph_t captured;
  cudaGraphExec_t graph;
  check(cudaStreamBeginCapture(on, cudaStreamCaptureModeGlobal));
  enqueue();
  check(cudaStreamEndCapture(on, &captured));
  check(cudaGraphInstantiate(&graph, captured, 0));
  check(cudaGraphDestroy(captured));
  for (int i = 0; i < 5; ++i) {
    check(cudaGraphLaunch(graph, on));
    expect_right("in a graph");
  }
  cudaGraphExecDestroy(graph);
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
}

}  // namespace
