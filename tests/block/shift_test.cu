// SPDX-License-Identifier: Apache-2.0
#include "tally/block/shift.cuh"

#include "support/device_cases.cuh"

namespace {

using namespace support;
namespace block = tally::block;
using tally::thread_index;

template <class T>
struct block_shift : ::testing::Test {};
TYPED_TEST_SUITE(block_shift, all_cases);

template <class T>
__global__ void up(T const* in, T* out) {
  out[thread_index()] = block::shift_up(in[thread_index()]);
}
template <class T>
__global__ void down(T const* in, T* out) {
  out[thread_index()] = block::shift_down(in[thread_index()]);
}
template <class T>
__global__ void same(T const* in, T* out, int from) {
  out[thread_index()] = block::broadcast(in[thread_index()], from);
}

TYPED_TEST(block_shift, crosses_warps_and_the_ends_keep_their_own) {
  for (dim3 shape : block_shapes) {
    int const last = size_of(shape) - 1;
    auto const in = values<TypeParam>(last + 1);
    auto const from_before = run(up, shape, in), from_after = run(down, shape, in);
    for (int i = 0; i <= last; ++i) {
      ASSERT_EQ(bits(from_before[i]), bits(in[i ? i - 1 : 0])) << i << " of " << last + 1;
      ASSERT_EQ(bits(from_after[i]), bits(in[i < last ? i + 1 : last])) << i << " of " << last + 1;
    }
    for (int from : {0, last / 2, last})
      for (auto const& x : run(same, shape, in, from)) ASSERT_EQ(bits(x), bits(in[from])) << from;
  }
}

template <class T>
__global__ void rotate(T const* in, T* out, int times) {
  T x = in[thread_index()];
  for (int k = 0; k < times; ++k) {
    T const wrapped = block::broadcast(x, tally::thread_count() - 1);
    x = block::shift_up(x);
    if (thread_index() == 0) x = wrapped;
  }
  out[thread_index()] = x;
}

TEST(block_shift_calls, may_follow_one_another_without_a_barrier) {
  auto const in = values<digits>(100);
  auto expected = in;
  std::rotate(expected.begin(), expected.end() - 7, expected.end());
  EXPECT_EQ(run(rotate, 100, in, 7), expected);
}

}  // namespace
