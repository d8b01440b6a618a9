// SPDX-License-Identifier: Apache-2.0
#include "tally/warp/top_k.cuh"

#include "support/top_k_entries.cuh"

namespace {

using namespace support;

template <class T, class First, int Width>
__global__ void select(T const* in, int n, int k, tally::entry<T>* out, int* counts) {
  int const lane = tally::warp::lane<Width>(), group = tally::thread_index() / Width;
  int const from = group * n;  // each group has an array of its own
  tally::warp::running_top_k<T, std::uint32_t, First, Width> best(k);
  for (int i = lane; i - lane < n; i += Width) {
    bool const live = i < n;
    best.add({live ? in[from + i] : T{}, std::uint32_t(i)}, live);
  }
  if (lane < best.count()) out[group * Width + lane] = best.mine();
  counts[tally::thread_index()] = best.count() == 0 ? 0 : int(best.at(best.count() - 1).index) + 1;
}

template <class T, class First, int Width>
void expect_best(std::vector<T> const& x, int k) {
  constexpr int threads = 64, groups = threads / Width;
  int const n = int(x.size()) / groups;
  tally::device_array<T> const in(std::span<T const>{x});
  tally::device_array<tally::entry<T>> const out(std::size_t{threads});
  tally::device_array<int> const last(std::size_t{threads});
  out.fill_bytes(0xa5);
  tally::launch(select<T, First, Width>, 1, threads)(in.data(), n, k, out.data(), last.data());
  auto const found = out.to_host();
  auto const ends = last.to_host();
  for (int g = 0; g < groups; ++g) {
    auto const right = first_of<First>(std::vector<T>(&x[g * n], &x[g * n] + n), k);
    expect_entries(found.data() + g * Width, right);
    for (int l = 0; l < Width; ++l)
      ASSERT_EQ(ends[g * Width + l], right.empty() ? 0 : int(right.back().index) + 1);
  }
}

template <class T>
struct warp_top_k : ::testing::Test {};
using types = ::testing::Types<std::int8_t, std::uint16_t, int, std::uint64_t, tally::float16,
                               tally::bfloat16, float, double>;
TYPED_TEST_SUITE(warp_top_k, types);

TYPED_TEST(warp_top_k, is_the_front_of_a_stable_sort) {
  for_each_width([]<class Width>(Width) {
    for (int k : {1, 3, Width::value})
      if (k <= Width::value)
        for (auto const& x : arrays_of<TypeParam>(64 / Width::value * 70)) {
          expect_best<TypeParam, tally::larger_first, Width::value>(x, k);
          expect_best<TypeParam, tally::smaller_first, Width::value>(x, k);
        }
  });
}

TEST(warp_top_k_of_few, gives_what_there_is) {
  for (int n : {1, 5, 31, 32, 33})
    for (auto const& x : arrays_of<float>(2 * n))
      for (int k : {1, 7, 32}) expect_best<float, tally::larger_first, 32>(x, k);
}

}  // namespace
