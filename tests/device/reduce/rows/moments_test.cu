// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/moments.cuh"

#include <limits>
#include <vector>

#include "support/device_reduce.cuh"
#include "tally/device/reduce/agent/moments.cuh"

namespace {

using namespace support;
using namespace tally;

template <class Moments, class T>
__global__ void mean_by_one_lane(T const* x, std::uint64_t n, double* mean, int* known) {
  Moments moments{};
  for (std::uint64_t i = 0; i < n; ++i) moments.add(x[i]);
  *known = moments.mean(n, *mean);
}

// In the middle between two doubles, or so near to it that an approximation does not tell.
TEST(moments_of_doubles, have_means_near_the_middle) {
  double const half = 0x1p-53, little = 0x1p-95;
  auto const a = detail::bind_reduce<double>(mean{});
  for (double const sign : {-1, 1})
    for (double const n : {2, 3, 100, 256})
      for (double const middle : {half, 3 * half, 5 * half})
        for (double const beside : {-little, 0.0, little}) {
          std::vector<double> x(std::size_t(n), 0.0);
          x[0] = sign * n, x[1] = sign * (n * middle + beside);
          auto state = a.identity();
          for (std::size_t i = 0; i < x.size(); ++i) state = a.combine(state, a.lift(x[i], i));
          device_array<double> const there(x);
          device_array<double> got(1);
          device_array<int> known(1);
          launch(mean_by_one_lane<device::long_moments<double, false>, double>, 1, 1)(
              there.data(), x.size(), got.data(), known.data());
          EXPECT_TRUE(known.to_host()[0]);
          EXPECT_EQ(bits_text(got.to_host()[0]), bits_text(a.lower(state))) << n << ' ' << middle;
        }
}

// A vector of narrow integers is what its elements are, one by one.
template <class T>
__global__ void add_both_ways(T const* x, std::int64_t* out) {
  using moments = device::whole_moments<T, true>;
  device::batch<T, 1> v;
  v.clear(0);
  moments each{}, together{};
  for (int k = 0; k < v.size; ++k) v.set(k, x[k]), each.add(x[k]);
  together.add_words(v);
  out[0] = each.of.first, out[1] = each.of.second;
  out[2] = together.of.first, out[3] = together.of.second;
}
template <class T>
struct moments_of_narrow_integers : ::testing::Test {};
using narrow_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(moments_of_narrow_integers, narrow_types);

TYPED_TEST(moments_of_narrow_integers, are_added_up_by_words) {
  using T = TypeParam;
  constexpr int size = device::batch<T, 1>::size;
  for (int seed = 0; seed < 20; ++seed) {
    std::vector<T> x(size);
    for (int k = 0; k < size; ++k)
      x[k] = seed == 0   ? std::numeric_limits<T>::min()
             : seed == 1 ? std::numeric_limits<T>::max()
                         : T(unsigned(seed * size + k) * 0x9e3779b1u >> 7);
    device_array<T> const there(x);
    device_array<std::int64_t> out(4);
    launch(add_both_ways<T>, 1, 1)(there.data(), out.data());
    auto const got = out.to_host();
    EXPECT_EQ(got[0], got[2]);
    EXPECT_EQ(got[1], got[3]);
  }
}

}  // namespace
