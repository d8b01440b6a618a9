// SPDX-License-Identifier: Apache-2.0
#include "tally/block/scan.cuh"

#include "support/truths.cuh"

namespace {

using namespace support;
namespace block = tally::block;
using tally::thread_index;

template <class T>
struct block_scan : ::testing::Test {};
TYPED_TEST_SUITE(block_scan, all_cases);

template <int Threads, class T, class Op>
__global__ void scan_inclusive(T const* in, T* out, Op op) {
  int const i = thread_index();
  out[i] = block::inclusive_scan<Threads>(in[i], op);
}
template <int Threads, class T, class Op>
__global__ void scan_exclusive(T const* in, T* out, Op op, T init) {
  int const i = thread_index();
  out[i] = block::exclusive_scan<Threads>(in[i], op, init);
}
// Both once more, back to back, for their totals; in even threads one's, in odd ones the other's.
template <int Threads, class T, class Op>
__global__ void totals(T const* in, T* out, Op op, T init) {
  int const i = thread_index();
  T even = in[i], odd = in[i];
  block::inclusive_scan<Threads>(in[i], op, even);
  block::exclusive_scan<Threads>(in[i], op, init, odd);
  out[i] = i % 2 ? odd : even;
}

template <int Threads, class Case>
void expect_prefixes(dim3 shape) {
  using op = typename Case::op;
  int const size = size_of(shape);
  auto const in = values<Case>(size);
  auto const init = Case::value(-1, 12345);
  auto const inclusive = run(scan_inclusive<Threads>, shape, in, op{});
  auto const exclusive = run(scan_exclusive<Threads>, shape, in, op{}, init);
  auto const total = run(totals<Threads>, shape, in, op{}, init);
  auto through = in[0], before = init;
  for (int i = 0; i < size; ++i) {
    if (i) through = op{}(through, in[i]);
    ASSERT_EQ(bits(inclusive[i]), bits(through)) << i << " of " << size;
    ASSERT_EQ(bits(exclusive[i]), bits(before)) << i << " of " << size;
    before = op{}(before, in[i]);
  }
  for (auto const& x : total) ASSERT_EQ(bits(x), bits(through)) << size;
}

TYPED_TEST(block_scan, is_every_prefix_in_blocks_of_any_shape) {
  for (dim3 shape : block_shapes) expect_prefixes<0, TypeParam>(shape);
}

TYPED_TEST(block_scan, is_every_prefix_where_the_size_is_known) {
  expect_prefixes<20, TypeParam>(20);
  expect_prefixes<32, TypeParam>({2, 4, 4});
  expect_prefixes<100, TypeParam>(100);
  expect_prefixes<128, TypeParam>(128);
  expect_prefixes<256, TypeParam>({16, 4, 4});
  expect_prefixes<384, TypeParam>(384);
  expect_prefixes<512, TypeParam>(512);
  expect_prefixes<1000, TypeParam>({10, 10, 10});
  expect_prefixes<1024, TypeParam>(1024);
}

template <int Threads, class Op>
__global__ void scan_truths(int const* in, int* out, Op op) {
  int const i = thread_index();
  bool const x = in[i] != 0;
  bool total;
  out[i] = block::inclusive_scan<Threads>(x, op) + 2 * block::exclusive_scan<Threads>(x, op, true);
  block::exclusive_scan<Threads>(x, op, false, total);
  out[i] += 4 * total;
}

template <int Threads, class Op>
void expect_block_truths(int size) {
  expect_truths<Op>(size, size, size,
                    [=](auto const& in) { return run(scan_truths<Threads, Op>, size, in, Op{}); });
}

TEST(block_scan_of_truths, is_right_for_every_operator) {
  for_each_operator([]<class Op>(Op) {
    expect_block_truths<0, Op>(100);
    expect_block_truths<100, Op>(100);
    expect_block_truths<256, Op>(256);
    expect_block_truths<1024, Op>(1024);
  });
}

template <int Threads>
__global__ void scan_again(int const* in, int* out) {
  int const i = thread_index();
  int x = in[i];
  for (int k = 0; k < 6; ++k) x = block::inclusive_scan<Threads>(x, tally::plus{});
  out[i] = x;
}

template <int Threads>
void expect_scans_of_scans(int size) {
  auto x = values<numbers<int, tally::plus>>(size);
  auto const out = run(scan_again<Threads>, size, x);
  for (int k = 0; k < 6; ++k)
    for (int i = 1; i < size; ++i) x[i] = int(unsigned(x[i - 1]) + unsigned(x[i]));
  EXPECT_EQ(out, x) << size;
}

TEST(block_scan_calls, may_follow_one_another_without_a_barrier) {
  expect_scans_of_scans<0>(77);
  expect_scans_of_scans<0>(1024);
  expect_scans_of_scans<256>(256);
  expect_scans_of_scans<640>(640);
  expect_scans_of_scans<1000>(1000);
}

}  // namespace
