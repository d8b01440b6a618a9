// SPDX-License-Identifier: Apache-2.0
//
// Calls as they write them who use CUDA's own C++ libraries. tests/cuda/compiles_test.py sees that
// all of it compiles, also for the host, where there is no GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <thrust/device_vector.h>

#include <cuda/functional>
#include <cuda/std/span>
#include <cuda/stream_ref>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/gpu_aggregates.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

thrust::device_vector<float> counted(int n) {
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = float(i + 1);
  return x;
}

TEST(libraries, a_device_vector_is_read_and_written) {
  gpu there;
  auto const x = counted(100);
  EXPECT_EQ(reduce(there, x, sum{}), 5050);
  EXPECT_EQ(reduce(there, zip(x, transform(x, square{})), dot{}), 25502500);
  EXPECT_EQ(reduce(best(), x, maximum{}), 100);
  EXPECT_EQ(top_k(there, x, 2).indices, (std::vector<std::int64_t>{99, 98}));
  EXPECT_EQ(median(there, x), 50.5f);

  thrust::device_vector<float> one(1), prefixes(100), values(3);
  thrust::device_vector<std::int64_t> indices(3);
  reduce_into(there, x, one, mean{});
  inclusive_scan(there, x, prefixes, sum{});
  top_k_into(there, x, 3, values, indices, nullptr, {.order = smallest});
  there.synchronise();
  EXPECT_EQ(one[0], 50.5f);
  EXPECT_EQ(prefixes[99], 5050);
  EXPECT_EQ(values[2], 3);
  EXPECT_EQ(indices[2], 2);
  double const halves[] = {0.5};
  quantile_into(there, x, halves, one);
  kth_value_into(there, x, 4, values, indices);
  there.synchronise();
  EXPECT_EQ(one[0], 50.5f);
  EXPECT_EQ(values[0], 4);
}

TEST(libraries, a_span_of_cuda_is_read) {
  gpu there;
  auto const x = counted(100);
  cuda::std::span<float const> const all(thrust::raw_pointer_cast(x.data()), x.size());
  EXPECT_EQ(reduce(there, all, sum{}), 5050);
}

TEST(libraries, arrays_are_known_by_their_types_to_be_contiguous) {
  static_assert(is_contiguous<thrust::device_vector<float>>);
  static_assert(is_contiguous<device_array<float>>);
  gpu there;
  std::vector<float> const x{1, 2, 4};
  EXPECT_EQ(reduce(there, device_array<float>(x), sum{}), 7);
}

TEST(libraries, long_long_is_read_and_written) {
  gpu there;
  std::vector<long long> const host{3, -1, 5};
  thrust::device_vector<long long> const x = host;
  EXPECT_EQ(reduce(there, x, sum{}), 7);
  EXPECT_EQ(reduce(there, zip(x, x), dot{}), 35);
  EXPECT_EQ(reduce(best(), x, maximum{}), 5);
  EXPECT_EQ(top_k(there, x, 1).values, std::vector<std::int64_t>{5});
  EXPECT_EQ(median(there, x), 3);
  thrust::device_vector<long long> one(1), running(3), values(2), indices(2);
  reduce_into(there, x, one, sum{});
  inclusive_scan(there, x, running, sum{});
  top_k_into(there, x, 2, values, indices);
  there.synchronise();
  EXPECT_EQ(one[0], 7);
  EXPECT_EQ(running[2], 7);
  EXPECT_EQ(values[1], 3);
  EXPECT_EQ(indices[1], 0);
  top_k_into(best(), with_payload(x, running), 1, values, indices);
  check(cudaDeviceSynchronize());
  EXPECT_EQ(values[0], 5);
  EXPECT_EQ(indices[0], 7);
}

TEST(libraries, a_stream_ref_is_a_stream) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  {
    cuda::stream_ref const ref(stream);
    gpu there{.stream = ref};
    EXPECT_EQ(there.stream, stream);
    EXPECT_EQ(reduce(there, counted(10), sum{}), 55);
  }
  check(cudaStreamDestroy(stream));
}

// They cannot stand in a test itself, which is private in its class.
void call_with_device_lambdas() {
  gpu there;
  auto const x = counted(10);
  auto const greater = [] __device__(float a, float b) { return a < b ? b : a; };
  EXPECT_EQ(reduce(there, x, greater), 10);
  EXPECT_EQ(reduce(there, x, cuda::proclaim_return_type<float>(greater)), 10);
  EXPECT_EQ(reduce(there, transform(x, cuda::proclaim_return_type<float>([] __device__(float v) {
                                      return 2 * v;
                                    })),
                   sum{}),
            110);
  thrust::device_vector<float> running(10);
  inclusive_scan(there, x, running, greater);
  there.synchronise();
  EXPECT_EQ(running[9], 10);
}
TEST(libraries, a_device_lambda_is_an_operator_and_a_transform) { call_with_device_lambdas(); }

TEST(libraries, calls_run_on_what_is_const_or_temporary) {
  auto const x = counted(10);
  gpu const there;
  automatic const where = best();
  EXPECT_EQ(reduce(there, x, sum{}), 55);
  EXPECT_EQ(reduce(gpu{}, x, sum{}), 55);
  EXPECT_EQ(reduce(where, x, sum{}), 55);
  EXPECT_EQ(where.ran(), "gpu:0");
  EXPECT_EQ(reduce(best(), x, sum{}), 55);
  EXPECT_EQ(top_k(there, x, 1).values[0], 10);
  EXPECT_EQ(median(gpu{}, x), 5.5f);
  thrust::device_vector<float> running(10);
  inclusive_scan(gpu{}, x, running, sum{});
  inclusive_scan(where, x, running, sum{});
  check(cudaDeviceSynchronize());
  EXPECT_EQ(running[9], 55);
}

TEST(libraries, memory_of_the_host_is_refused_by_name_unless_the_gpu_reaches_it) {
  gpu there;
  std::vector<float> const x{1, 2, 3};
  int reached;
  check(cudaDeviceGetAttribute(&reached, cudaDevAttrPageableMemoryAccess, there.index()));
  auto const said = failure_of([&] { EXPECT_EQ(reduce(there, x, sum{}), 6); });
  EXPECT_EQ(said.find("sum: in = 0x") == 0, !reached) << said;

  float* pinned;
  check(cudaMallocHost(&pinned, sizeof(float)));
  reduce_into(there, counted(10), pinned, sum{});
  there.synchronise();
  EXPECT_EQ(*pinned, 55);
  check(cudaFreeHost(pinned));
}

}  // namespace
