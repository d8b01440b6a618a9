// SPDX-License-Identifier: Apache-2.0
#include "tally/warp/scan.cuh"

#include "support/truths.cuh"

namespace {

using namespace support;
namespace warp = tally::warp;
using tally::thread_index;

template <class T>
struct warp_scan : ::testing::Test {};
TYPED_TEST_SUITE(warp_scan, all_cases);

template <int Width, class T, class Op>
__global__ void scan_inclusive(T const* in, T* out, Op op) {
  int const i = thread_index();
  out[i] = warp::inclusive_scan<Width>(in[i], op);
}
template <int Width, class T, class Op>
__global__ void scan_exclusive(T const* in, T* out, Op op) {
  int const i = thread_index();
  out[i] = warp::exclusive_scan<Width>(in[i], op);
}
template <int Width, class T, class Op>
__global__ void scan_from(T const* in, T* out, Op op, T init) {
  int const i = thread_index();
  out[i] = warp::exclusive_scan<Width>(in[i], op, init);
}

TYPED_TEST(warp_scan, is_every_prefix_for_every_width_and_with_lanes_missing) {
  using op = typename TypeParam::op;
  for (dim3 shape : {dim3(1), dim3(31), dim3(64), dim3(100), dim3(4, 3, 5)}) {
    int const size = size_of(shape);
    auto const in = values<TypeParam>(size);
    auto const init = TypeParam::value(-1, 12345);
    for_each_width([&](auto width) {
      auto const inclusive = run(scan_inclusive<width>, shape, in, op{});
      auto const exclusive = run(scan_exclusive<width>, shape, in, op{});
      auto const from = run(scan_from<width>, shape, in, op{}, init);
      for (int i = 0; i < size; ++i) {
        int const first = i - i % width;
        EXPECT_EQ(bits(inclusive[i]), bits(fold(in, first, i + 1, op{}))) << i;
        if (i == first) {
          EXPECT_EQ(bits(from[i]), bits(init)) << i;
        } else {
          auto const before = fold(in, first, i, op{});
          EXPECT_EQ(bits(exclusive[i]), bits(before)) << i;
          EXPECT_EQ(bits(from[i]), bits(op{}(init, before))) << i;
        }
      }
    });
  }
}

template <class Op>
__global__ void scan_truths(int const* in, int* out, Op op) {
  int const i = thread_index();
  bool const x = in[i] % 2 != 0;
  out[i] = warp::inclusive_scan<8>(x, op) + 2 * warp::exclusive_scan(x, op, true) +
           4 * warp::reduce(x, op);
}

TEST(warp_scan_of_truths, is_right_for_every_operator) {
  for_each_operator([]<class Op>(Op op) {
    expect_truths<Op>(32, 8, 1, [=](auto const& in) { return run(scan_truths, 32, in, op); });
  });
}

TEST(warp_scan_by_eight, gives_the_tutorials_golden_vector) {
  std::vector<int> in;
  for (int i = 0; i < 32; ++i) in.push_back(31 - i);
  EXPECT_EQ(run(scan_inclusive<8>, 32, in, tally::plus{}),
            (std::vector{31, 61, 90, 118, 145, 171, 196, 220, 23, 45, 66, 86, 105, 123, 140, 156,
                         15, 29, 42, 54,  65,  75,  84,  92,  7,  13, 18, 22, 25,  27,  28,  28}));
}

}  // namespace
