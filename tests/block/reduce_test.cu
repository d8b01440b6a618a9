// SPDX-License-Identifier: Apache-2.0
#include "tally/block/reduce.cuh"

#include "support/device_cases.cuh"

namespace {

using namespace support;
namespace block = tally::block;
using tally::thread_index;

template <class T>
struct block_reduce : ::testing::Test {};
TYPED_TEST_SUITE(block_reduce, all_cases);

template <int Threads, bool All, class T, class Op>
__global__ void reduce_block(T const* in, T* out, Op op) {
  int const i = thread_index();
  out[i] = All ? block::all_reduce<Threads>(in[i], op) : block::reduce<Threads>(in[i], op);
}
template <int Threads, bool All, class T, class Op>
__global__ void reduce_counted(T const* in, T* out, Op op, int count) {
  int const i = thread_index();
  out[i] =
      All ? block::all_reduce<Threads>(in[i], op, count) : block::reduce<Threads>(in[i], op, count);
}

template <int Threads, class Case>
void expect_folds(dim3 shape) {
  using op = typename Case::op;
  int const size = size_of(shape);
  auto const in = values<Case>(size);
  auto const whole = bits(fold(in, 0, size, op{}));
  EXPECT_EQ(bits(run(reduce_block<Threads, false>, shape, in, op{})[0]), whole) << size;
  for (auto const& x : run(reduce_block<Threads, true>, shape, in, op{}))
    ASSERT_EQ(bits(x), whole) << size;
  for (int count : {1, size / 3 + 1, size - 1, size}) {
    if (count == 0) continue;
    auto const part = bits(fold(in, 0, count, op{}));
    EXPECT_EQ(bits(run(reduce_counted<Threads, false>, shape, in, op{}, count)[0]), part)
        << count << " of " << size;
    for (auto const& x : run(reduce_counted<Threads, true>, shape, in, op{}, count))
      ASSERT_EQ(bits(x), part) << count << " of " << size;
  }
}

TYPED_TEST(block_reduce, keeps_the_order_of_threads_in_blocks_of_any_shape) {
  for (dim3 shape : block_shapes) expect_folds<0, TypeParam>(shape);
}

TYPED_TEST(block_reduce, keeps_the_order_of_threads_where_the_size_is_known) {
  expect_folds<20, TypeParam>(20);
  expect_folds<32, TypeParam>({2, 4, 4});
  expect_folds<100, TypeParam>(100);
  expect_folds<128, TypeParam>(128);
  expect_folds<256, TypeParam>({16, 4, 4});
  expect_folds<384, TypeParam>(384);
  expect_folds<512, TypeParam>(512);
  expect_folds<768, TypeParam>(768);
  expect_folds<1000, TypeParam>({10, 10, 10});
  expect_folds<1024, TypeParam>(1024);
}

// A sum that nobody knows for one.
struct unknown {
  template <class T>
  TALLY_FN T operator()(T a, T b) const {
    return a + b;
  }
};

template <int Threads, class T, class Op = tally::plus>
void expect_trees(int size) {
  std::mt19937 random(9);
  std::normal_distribution<T> next;
  std::vector<T> in(size);
  for (T& x : in) x = next(random);
  T const expected = fold_tree(in, tally::plus{});
  ASSERT_EQ(bits(run(reduce_block<Threads, false>, size, in, Op{})[0]), bits(expected)) << size;
  for (T x : run(reduce_block<Threads, true>, size, in, Op{}))
    ASSERT_EQ(bits(x), bits(expected)) << size;
}

TEST(block_reduce_of_floats, has_the_same_bits_whether_or_not_the_size_is_known) {
  expect_trees<0, float>(1000);
  expect_trees<1000, float>(1000);
  expect_trees<0, float>(1024);
  expect_trees<1024, float>(1024);
  expect_trees<0, double>(640);
  expect_trees<640, double>(640);
  expect_trees<0, float>(256);
  expect_trees<256, float>(256);
  expect_trees<0, float, unknown>(384);
  expect_trees<128, float, unknown>(128);
  expect_trees<256, double, unknown>(256);
  expect_trees<384, float, unknown>(384);
  expect_trees<768, float, unknown>(768);
  expect_trees<1024, double, unknown>(1024);
}

// Calls follow one another, of types that differ, and the last one's memory is the first one's.
template <int Threads>
__global__ void many_calls(int const* in, int* out) {
  int const i = thread_index();
  int x = in[i];
  for (int k = 0; k < 5; ++k) {
    int const sum = block::all_reduce<Threads>(x, tally::plus{});
    double const most = block::all_reduce<Threads>(double(x % 1000), tally::larger{});
    int const first = block::reduce<Threads>(x + k, tally::bit_xor{});
    x += sum + int(most) + (i == 0 ? first : 0);
  }
  out[i] = x;
}

template <int Threads>
void expect_many_calls(int size) {
  auto x = values<numbers<int, tally::plus>>(size);
  auto const out = run(many_calls<Threads>, size, x);
  for (int k = 0; k < 5; ++k) {
    unsigned sum = 0;
    int most = -1000, first = 0;
    for (int e : x)
      sum += unsigned(e), most = std::max(most, e % 1000), first ^= int(unsigned(e) + unsigned(k));
    for (int& e : x) e = int(unsigned(e) + sum + unsigned(most));
    x[0] = int(unsigned(x[0]) + unsigned(first));
  }
  EXPECT_EQ(out, x) << size;
}

TEST(block_reduce_calls, may_follow_one_another_without_a_barrier) {
  expect_many_calls<0>(77);
  expect_many_calls<0>(1024);
  expect_many_calls<256>(256);
  expect_many_calls<640>(640);
  expect_many_calls<1000>(1000);
}

}  // namespace
