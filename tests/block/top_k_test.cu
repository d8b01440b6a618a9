// SPDX-License-Identifier: Apache-2.0
#include "tally/block/top_k.cuh"

#include "support/top_k_entries.cuh"

namespace {

using namespace support;

template <class T, class First, int Most, int Room>
__global__ void select(T const* in, int n, int k, tally::entry<T>* out, int* count) {
  using selection = tally::block::running_top_k<T, Most, std::uint32_t, First, Room>;
  __shared__ typename selection::storage memory;
  int const thread = tally::thread_index(), threads = tally::thread_count();
  selection best(memory, k);
  for (int i = thread; i - thread < n; i += threads) {
    bool const live = i < n;
    best.add({live ? in[i] : T{}, std::uint32_t(i)}, live);
  }
  int const found = best.finish();
  for (int i = thread; i < found; i += threads) out[i] = memory.entries()[i];
  if (thread == 0) *count = found;
}

template <class T, class First, int Most = 100, int Room = 256>
void expect_best(std::vector<T> const& x, int k, dim3 shape) {
  tally::device_array<T> const in(std::span<T const>{x});
  tally::device_array<tally::entry<T>> const out(std::size_t(k + 1));
  tally::device_array<int> const count(std::size_t{1});
  out.fill_bytes(0xa5);
  tally::launch(select<T, First, Most, Room>, 1, shape)(in.data(), int(x.size()), k, out.data(),
                                                        count.data());
  auto const right = first_of<First>(x, k);
  ASSERT_EQ(count.to_host()[0], int(right.size())) << "k = " << k << ", n = " << x.size();
  expect_entries(out.to_host().data(), right);
}

template <class T>
struct block_top_k : ::testing::Test {};
using types = ::testing::Types<std::int8_t, std::uint16_t, int, std::uint64_t, tally::float16,
                               tally::bfloat16, float, double>;
TYPED_TEST_SUITE(block_top_k, types);

TYPED_TEST(block_top_k, is_the_front_of_a_stable_sort) {
  for (int k : {1, 10, 100})
    for (auto const& x : arrays_of<TypeParam>(700)) {
      expect_best<TypeParam, tally::larger_first>(x, k, 64);
      expect_best<TypeParam, tally::smaller_first>(x, k, 64);
    }
}

TEST(block_top_k_of_any_shape, takes_any_number_of_threads) {
  for (dim3 shape : {dim3(1), dim3(5, 3, 2), dim3(100), dim3(156)})
    for (auto const& x : arrays_of<float>(333)) {
      expect_best<float, tally::larger_first>(x, 17, shape);
      expect_best<float, tally::smaller_first>(x, 100, shape);
    }
}

TEST(block_top_k_of_few, gives_what_there_is) {
  for (int n : {0, 1, 2, 3, 63, 64, 65, 99, 100, 101})
    for (int k : {0, 1, 2, 64, 99, 100})
      for (auto const& x : arrays_of<int>(n)) expect_best<int, tally::larger_first>(x, k, 64);
}

// As many as the memory has room for, beside the threads.
TEST(block_top_k_of_most, may_fill_the_memory) {
  for (auto const& x : arrays_of<float>(500))
    expect_best<float, tally::larger_first, 224, 256>(x, 224, 32);
}

}  // namespace
