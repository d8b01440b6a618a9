// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include "src/cuda/capture.cuh"
#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/devices.hpp"
#include "tally/gpu_aggregates.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;
constexpr std::size_t header = device::workspace::header_bytes;

std::vector<float> numbers(std::size_t n, unsigned seed = 1) {
  std::vector<float> out(n);
  for (float& x : out) {
    seed = seed * 1664525 + 1013904223;
    x = std::ldexp(float(int(seed)), int(seed % 61) - 50);
  }
  return out;
}

__global__ void spin(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

// A graph of what `run` puts on the stream.
class graph {
 public:
  template <class F>
  graph(cudaStream_t stream, F&& run) {
    cudaGraph_t captured;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    run();
    check(cudaStreamEndCapture(stream, &captured));
    check(cudaGraphInstantiate(&executable_, captured, 0));
    check(cudaGraphDestroy(captured));
  }
  graph(graph const&) = delete;
  ~graph() { cudaGraphExecDestroy(executable_); }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_;
};

// The workspace that a call would have now.
std::uint32_t* place(gpu const& where, std::size_t words = 1) {
  return where.context().workspace(words).header;
}

TEST(Gpu, answers_as_a_cpu_does) {
  gpu there;
  for (std::size_t n : {1, 2, 1000, 100'000, 3'000'001}) {
    auto const in = numbers(n);
    device_array<float> const data(in);
    EXPECT_EQ(reduce(there, data, sum{}), reduce(cpu{}, in, sum{})) << n;
    EXPECT_EQ(reduce(there, data, sum{}.as<double>()), reduce(cpu{}, in, sum{}.as<double>()));
    EXPECT_EQ(reduce(there, data, fast_sum{}), reduce(cpu{}, in, fast_sum{})) << n;
    EXPECT_EQ(reduce(there, data, arg_maximum{}), reduce(cpu{}, in, arg_maximum{})) << n;
    EXPECT_EQ(reduce(there, data, min_max{}), reduce(cpu{}, in, min_max{})) << n;
    EXPECT_EQ(reduce(there, data, any_of{}), true);
  }
}

TEST(Gpu, has_the_cpus_answers_and_errors_for_arrays_without_elements_that_count) {
  gpu there;
  device_array<float> const nothing, nan(std::vector{std::nanf("")});
  EXPECT_EQ(reduce(there, nothing, sum{}), 0);
  EXPECT_EQ(reduce(there, nothing, product{}), 1);
  EXPECT_EQ(reduce(there, nan, sum{}, {.nan = skip}), 0);
  EXPECT_TRUE(std::isnan(reduce(there, nan, minimum{})));
  for (auto const* in : {&nothing, &nan})
    EXPECT_EQ(failure_of([&] { reduce(there, *in, minimum{}, {.nan = skip}); }),
              "minimum: the array is empty");
}

TEST(Gpu, writes_to_device_memory_in_the_streams_order_and_waits_for_nothing) {
  own_stream const stream;
  gpu there{.stream = stream};
  auto const in = numbers(1'000'000);
  device_array<float> const data(in), out(2);
  reduce(there, data, sum{});  // to load a kernel may take until all others are done
  reduce(there, data, maximum{});
  launch(spin, 1, 1, 0, stream)(50'000'000);
  reduce_into(there, data, out.data(), sum{});
  reduce_into(there, data, std::span(out.data() + 1, 1), maximum{}, {.nan = skip});
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  there.synchronise();
  EXPECT_EQ(out.to_host(), (std::vector{reduce(cpu{}, in, sum{}), reduce(cpu{}, in, maximum{})}));
}

struct affine {
  float scale, offset;
};
struct compose {  // associative on these numbers; does not commute
  __host__ __device__ affine operator()(affine const& f, affine const& g) const {
    return {f.scale * g.scale, g.scale * f.offset + g.offset};
  }
};

TEST(Gpu, takes_operators_and_elements_of_the_users) {
  gpu there;
  std::vector<affine> in(70'001);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = {i % 3 ? 1.0f : -1.0f, float(i % 7)};
  affine wanted = in[0];
  for (std::size_t i = 1; i < in.size(); ++i) wanted = compose{}(wanted, in[i]);
  device_array<affine> const data(in);
  auto const found = reduce(there, data, compose{});
  EXPECT_EQ(found.scale, wanted.scale);
  EXPECT_EQ(found.offset, wanted.offset);
}

TEST(Gpu, tells_how_calls_are_carried_out) {
  gpu there;
  device_array<float> const data(numbers(100'000));
  device_array<float> out(100'000);
  std::string text;
  there.explain_to(&text);
  auto const begins = [&](std::string const& plan) {
    bool const does = text.starts_with(plan) && text.find(" threads") != text.npos;
    text.clear();
    return does;
  };
  reduce(there, data, fast_sum{});
  EXPECT_TRUE(begins("runs of a fixed tree, by "));
  top_k(there, data, 10);
  EXPECT_TRUE(begins("a guessed threshold, by 1 team of "));
  kth_value(there, data, 10);
  EXPECT_TRUE(begins("digits, by 1 team of "));
  reduce(there, data, sum{});
  EXPECT_EQ(text.find("tiles in any order, by "), 0u);
  inclusive_scan(there, data, out, sum{});
  EXPECT_NE(text.find("; a resident tile a block, by "), text.npos);
  text.clear();
  there.explain_to(nullptr);
  reduce(there, data, sum{});
  EXPECT_EQ(text, "");
}

TEST(Gpu, leaves_the_current_device_as_it_was) {
  for (auto const& one : gpus()) {
    gpu there{.device = one.index};
    EXPECT_EQ(there.index(), one.index);
    EXPECT_EQ(there.name(), one.name);
    int current;
    check(cudaGetDevice(&current));
    EXPECT_EQ(current, 0);
  }
  auto const count = std::to_string(gpus().size());
  EXPECT_EQ(failure_of([] { gpu{.device = 99}; }),
            "gpu: device = 99, where there are " + count + " from 0 on");
}

TEST(Gpu, can_be_moved) {
  own_stream const stream;
  auto const in = numbers(100'000);
  device_array<float> const data(in);
  gpu first{.stream = stream};
  gpu second = std::move(first);
  EXPECT_EQ(reduce(second, data, sum{}), reduce(cpu{}, in, sum{}));
  first = std::move(second);
  EXPECT_EQ(reduce(first, data, sum{}), reduce(cpu{}, in, sum{}));
  EXPECT_EQ(failure_of([&] { reduce(second, data, sum{}); }),
            "gpu: another has been made from it, and it can no more be used");
}

TEST(GpuWorkspace, begins_at_zero_and_grows) {
  gpu there;
  auto const begin = place(there);
  EXPECT_EQ(place(there), begin);
  there.reserve(64 << 20);
  auto const reserved = place(there, ((64 << 20) - header) / 16);
  EXPECT_EQ(place(there), reserved);
  std::vector<unsigned char> bytes(64 << 20, 1);
  check(cudaMemcpy(bytes.data(), reserved, bytes.size(), cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), 0), 0);
}

TEST(GpuWorkspace, can_be_the_callers) {
  gpu there;
  auto const in = numbers(2'000'000);
  device_array<float> const data(in);
  device_array<std::byte> const mine(4 << 20);
  mine.fill_bytes(0xff);
  there.with_workspace({mine.data() + 1, mine.size() - 1});
  EXPECT_EQ((void*)place(there), mine.data() + 16);
  EXPECT_EQ(reduce(there, data, sum{}), reduce(cpu{}, in, sum{}));

  there.with_workspace({mine.data(), header + 48});
  EXPECT_EQ((void*)place(there, 3), mine.data());
  EXPECT_EQ(failure_of([&] { place(there, 4); }),
            "gpu: a call needs " + std::to_string(header + 64) +
                " bytes of workspace, more than the " + std::to_string(header + 48) +
                " of with_workspace");
}

class counted_memory : public gpu_memory {
 public:
  void* allocate(std::size_t bytes, CUstream_st* stream) override {
    void* data;
    check(cudaMallocAsync(&data, bytes, stream));
    held[data] = bytes;
    ++allocations;
    return data;
  }
  void release(void* data, std::size_t bytes, CUstream_st* stream) noexcept override {
    EXPECT_EQ(held[data], bytes);
    held.erase(data);
    cudaFreeAsync(data, stream);
  }
  std::map<void*, std::size_t> held;
  int allocations = 0;
};

TEST(GpuWorkspace, can_come_from_memory_of_the_users) {
  counted_memory memory;
  auto const in = numbers(2'000'000);
  device_array<float> const data(in);
  {
    own_stream const stream;
    gpu there{.stream = stream, .memory = &memory};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(reduce(there, data, sum{}), reduce(cpu{}, in, sum{}));
    EXPECT_EQ(memory.allocations, 1);
    there.reserve(8 << 20);
    EXPECT_EQ(memory.held.size(), 1u);
    EXPECT_EQ(memory.held.begin()->second, 8u << 20);
  }
  EXPECT_TRUE(memory.held.empty());
}

TEST(GpuInGraphs, computes_on_the_data_of_each_replay) {
  own_stream const stream, another;
  gpu there{.stream = stream};
  device_array<float> data(1'000'000), out(2);
  graph const reductions(stream, [&] {
    reduce_into(there, data, out.data(), sum{});
    reduce_into(there, data, out.data() + 1, minimum{});
  });
  for (unsigned seed = 1; seed < 20; ++seed) {
    auto const in = numbers(data.size(), seed);
    data.copy_from(in);
    reductions.launch(seed % 2 ? stream : another);
    // Beside the graph, on the gpu's own stream:
    EXPECT_EQ(reduce(there, data, maximum{}), reduce(cpu{}, in, maximum{}));
    check(cudaDeviceSynchronize());
    EXPECT_EQ(out.to_host(), (std::vector{reduce(cpu{}, in, sum{}), reduce(cpu{}, in, minimum{})}));
  }
}

TEST(GpuInGraphs, draws_the_tiles_of_long_arrays_in_each_replay) {
  own_stream const stream;
  gpu there{.stream = stream};
  device_array<float> data(55'000'000), out(3);
  graph const reductions(stream, [&] {
    reduce_into(there, data, out.data(), sum{});
    reduce_into(there, data, out.data() + 1, minimum{});
    reduce_into(there, data, out.data() + 2, fast_sum{});
  });
  for (unsigned seed = 1; seed < 3; ++seed) {
    auto const in = numbers(data.size(), seed);
    data.copy_from(in);
    for (int i = 0; i < 3; ++i) {
      out.fill_bytes(0);
      reductions.launch(stream);
      check(cudaDeviceSynchronize());
      EXPECT_EQ(out.to_host(), (std::vector{reduce(cpu{}, in, sum{}), reduce(cpu{}, in, minimum{}),
                                            reduce(cpu{}, in, fast_sum{})}));
    }
  }
}

TEST(GpuInGraphs, may_begin_in_one) {
  own_stream const stream;
  auto const in = numbers(1'000'000);
  device_array<float> const data(in), out(1);
  std::unique_ptr<gpu> there;
  graph const reduction(stream, [&] {
    there.reset(new gpu{.stream = stream});
    reduce_into(*there, data, out.data(), sum{});
  });
  for (int i = 0; i < 3; ++i) {
    out.fill_bytes(0);
    reduction.launch(stream);
    there->synchronise();
    EXPECT_EQ(out.to_host()[0], reduce(cpu{}, in, sum{}));
  }
}

TEST(GpuInGraphs, has_memory_for_each_graph_that_nothing_else_uses) {
  own_stream const stream;
  counted_memory memory;
  {
    gpu there{.stream = stream, .memory = &memory};
    std::uint32_t *first, *second, *third;
    auto const before = place(there);
    graph const a(stream, [&] { EXPECT_EQ(first = place(there), place(there)); });
    graph const b(stream, [&] { EXPECT_EQ(second = place(there), place(there)); });
    auto const outside = place(there);
    there.reserve(16 << 20);
    auto const grown = place(there);
    graph const c(stream, [&] { third = place(there, 1 << 19); });
    EXPECT_EQ(outside, before);  // a graph may be launched beside calls on the stream
    EXPECT_EQ(std::set({first, second, outside}).size(), 3u);
    EXPECT_EQ(std::set({first, second, third, grown}).size(), 4u);
    EXPECT_EQ(place(there), grown);
    EXPECT_EQ(memory.held.size(), 4u);  // but for `outside`, in whose place `grown` came
  }
  EXPECT_TRUE(memory.held.empty());
}

TEST(GpuInGraphs, cannot_grow_and_says_what_to_reserve) {
  own_stream const stream;
  gpu there{.stream = stream};
  constexpr std::size_t words = ((64 << 20) - header) / 16;
  std::string failure, reserving, taking, returning;
  device_array<float> const data(3);
  auto const calls = [&] {
    failure = failure_of([&] { place(there, words); });
    reserving = failure_of([&] { there.reserve(64 << 20); });
    taking = failure_of([&] { there.with_workspace({}); });
    returning = failure_of([&] { reduce(there, data, sum{}); });
  };
  graph const refused(stream, calls);
  EXPECT_TRUE(failure.starts_with("gpu: a call needs 67108864 bytes of workspace")) << failure;
  EXPECT_TRUE(failure.ends_with("call reserve(67108864) before it")) << failure;
  EXPECT_TRUE(reserving.starts_with("gpu: reserve(67108864) during a capture")) << reserving;
  EXPECT_TRUE(taking.starts_with("gpu: with_workspace during a capture")) << taking;
  EXPECT_TRUE(returning.starts_with("gpu: a value cannot be returned from a capture")) << returning;

  there.reserve(64 << 20);
  graph const enough(stream, calls);
  EXPECT_EQ(failure, "nothing was thrown");
  EXPECT_EQ(reserving, "nothing was thrown");
}

TEST(Gpu, runs_beside_another_and_a_kernel_that_fills_the_device) {
  own_stream const streams[2], filler;
  gpu there[] = {gpu{.stream = streams[0]}, gpu{.stream = streams[1]}};
  auto const in = numbers(5'000'000);
  auto const wanted = reduce(cpu{}, in, sum{});
  constexpr int calls = 100;
  device_array<float> const data(in), out(2 * calls);
  out.fill_bytes(0);
  check(cudaDeviceSynchronize());
  launch(spin, 8 * gpus().at(0).multiprocessors, 1024, 0, filler)(1'000'000);
  for (int i = 0; i < 2 * calls; ++i) reduce_into(there[i % 2], data, out.data() + i, sum{});
  check(cudaDeviceSynchronize());
  for (float found : out.to_host()) ASSERT_EQ(found, wanted);
}

}  // namespace
