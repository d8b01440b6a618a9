// SPDX-License-Identifier: Apache-2.0
#include "tally/warp/reduce.cuh"

#include "support/device_cases.cuh"

namespace {

using namespace support;
namespace warp = tally::warp;
using tally::thread_index;

template <class T>
struct warp_reduce : ::testing::Test {};
TYPED_TEST_SUITE(warp_reduce, all_cases);

template <int Width, bool All, class T, class Op>
__global__ void reduce_groups(T const* in, T* out, Op op) {
  int const i = thread_index();
  out[i] = All ? warp::all_reduce<Width>(in[i], op) : warp::reduce<Width>(in[i], op);
}

template <int Width, bool All, class T, class Op>
__global__ void reduce_counted(T const* in, T* out, Op op, int count) {
  int const i = thread_index();
  out[i] = All ? warp::all_reduce<Width>(in[i], op, count) : warp::reduce<Width>(in[i], op, count);
}

// In each group of `width` threads, the first or all have the fold of its first `count` values.
template <class Case>
void expect_folds(std::vector<typename Case::type> const& in,
                  std::vector<typename Case::type> const& out, int width, int count, bool all) {
  for (int i = 0; i < int(in.size()); ++i) {
    int const first = i - i % width;
    int const end = std::min(first + count, int(in.size()));
    if (all || i == first) {
      EXPECT_EQ(bits(out[i]), bits(fold(in, first, end, typename Case::op{})))
          << "thread " << i << ", width " << width << ", count " << count << (all ? ", all" : "");
    }
  }
}

TYPED_TEST(warp_reduce, keeps_the_order_of_lanes_for_every_width) {
  using op = typename TypeParam::op;
  auto const in = values<TypeParam>(96);
  for_each_width([&](auto width) {
    expect_folds<TypeParam>(in, run(reduce_groups<width, false>, 96, in, op{}), width, width,
                            false);
    expect_folds<TypeParam>(in, run(reduce_groups<width, true>, 96, in, op{}), width, width, true);
  });
}

TYPED_TEST(warp_reduce, does_not_read_the_lanes_from_count_on) {
  using op = typename TypeParam::op;
  auto const in = values<TypeParam>(64);
  for_each_width([&](auto width) {
    for (int count = 1; count <= width; ++count) {
      expect_folds<TypeParam>(in, run(reduce_counted<width, false>, 64, in, op{}, count), width,
                              count, false);
      expect_folds<TypeParam>(in, run(reduce_counted<width, true>, 64, in, op{}, count), width,
                              count, true);
    }
  });
}

template <int Width, class T, class Op>
__global__ void reduce_live(T const* in, T* out, Op op) {
  int const i = thread_index();
  out[i] = warp::all_reduce<Width>(in[i], op, warp::live_lanes<Width>());
}

TYPED_TEST(warp_reduce, works_where_the_last_warp_lacks_lanes) {
  for (int size : {1, 2, 31, 33, 47, 100}) {
    auto const in = values<TypeParam>(size);
    for_each_width([&](auto width) {
      expect_folds<TypeParam>(in, run(reduce_live<width>, size, in, typename TypeParam::op{}),
                              width, width, true);
    });
  }
}

template <class T, class Op>
__global__ void reduce_survivors(T const* in, T* out, Op op, int count) {
  int const i = thread_index();
  out[i] = in[i];
  if (i >= count) return;
  out[i] = warp::all_reduce(in[i], op, count);
}

TYPED_TEST(warp_reduce, works_where_lanes_have_exited) {
  using op = typename TypeParam::op;
  auto const in = values<TypeParam>(32);
  for (int count : {1, 2, 13, 31}) {
    auto const out = run(reduce_survivors, 32, in, op{}, count);
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(bits(out[i]), bits(i < count ? fold(in, 0, count, op{}) : in[i])) << i;
  }
}

// The group g folds g + 1 times; its first lane keeps the sum of what came out.
__global__ void reduce_in_a_loop(int const* in, int* out) {
  int const i = thread_index();
  out[i] = 0;
  for (int k = 0; k <= i / 8; ++k) out[i] += warp::reduce<8>(in[i] * k, tally::plus{});
}

TEST(warp_reduce_groups, need_not_stay_together) {
  auto const in = values<numbers<int, tally::plus>>(32);
  auto const out = run(reduce_in_a_loop, 32, in);
  for (unsigned g = 0; g < 4; ++g)
    EXPECT_EQ(unsigned(out[8 * g]),
              unsigned(fold(in, 8 * g, 8 * g + 8, tally::plus{})) * (g * (g + 1) / 2));
}

TEST(warp_reduce_blocks, number_lanes_as_threads_of_any_shape) {
  using op = affine_map::op;
  for (dim3 shape : {dim3(4, 3, 5), dim3(2, 2, 16), dim3(1, 1, 64), dim3(33, 3, 1)}) {
    auto const in = values<affine_map>(size_of(shape));
    expect_folds<affine_map>(in, run(reduce_live<32>, shape, in, op{}), 32, 32, true);
  }
}

template <class T>
void expect_wrapping() {
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  EXPECT_EQ(tally::plus{}(most, T(1)), least);
  EXPECT_EQ(tally::multiplies{}(most, most), T(1));
}

TEST(sums_and_products_of_integers, wrap_around) {
  expect_wrapping<std::uint16_t>();
  expect_wrapping<std::int32_t>();
  expect_wrapping<std::uint32_t>();
  expect_wrapping<std::int64_t>();
  expect_wrapping<std::uint64_t>();
}

template <class T>
void expect_trees() {
  std::mt19937 random(7);
  std::normal_distribution<T> next;
  std::vector<T> in(32);
  for (T& x : in) x = next(random);
  for (int count = 1; count <= 32; ++count) {
    T const expected = fold_tree(std::vector<T>(in.begin(), in.begin() + count), tally::plus{});
    for (T x : run(reduce_counted<32, true>, 32, in, tally::plus{}, count))
      EXPECT_EQ(bits(x), bits(expected)) << count;
  }
  for (T x : run(reduce_groups<32, true>, 32, in, tally::plus{}))
    EXPECT_EQ(bits(x), bits(fold_tree(in, tally::plus{})));
}

TEST(warp_reduce_of_floats, adds_neighbours_then_pairs_and_so_on) {
  expect_trees<float>();
  expect_trees<double>();
}

template <class T, class Op>
void expect_extremes_reduced() {
  std::mt19937_64 random(5);
  T const least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  std::vector<T> const special = {least, most, T(0), T(-1), T(1), T(most - 1), T(least + 1)};
  for (int trial = 0; trial < 8; ++trial) {
    std::vector<T> in(32);
    for (T& x : in) x = random() % 4 ? T(random() >> random() % 64) : special[random() % 7];
    if (trial < 2) in.assign(32, trial ? most : least);
    for (int count : {1, 7, 32}) {
      auto const out = run(reduce_counted<32, false>, 32, in, Op{}, count);
      EXPECT_EQ(out[0], fold(in, 0, count, Op{})) << typeid(T).name() << typeid(Op).name();
    }
  }
}

template <class... T>
void expect_integers_reduced() {
  (expect_extremes_reduced<T, tally::plus>(), ...);
  (expect_extremes_reduced<T, tally::smaller>(), ...);
  (expect_extremes_reduced<T, tally::larger>(), ...);
  (expect_extremes_reduced<T, tally::bit_and>(), ...);
  (expect_extremes_reduced<T, tally::bit_or>(), ...);
  (expect_extremes_reduced<T, tally::bit_xor>(), ...);
}

TEST(warp_reduce_of_integers, is_right_at_the_ends_of_every_type) {
  expect_integers_reduced<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                          std::uint32_t, std::int64_t, std::uint64_t>();
}

}  // namespace
