// SPDX-License-Identifier: Apache-2.0
#include "support/device_scan.cuh"

namespace {

constexpr int ways = int(tally::device::exact_way::total_of_digits) + 1;
__device__ unsigned taken[ways];

// The exact sum, and ways are counted.
template <class T>
struct counted_sum : tally::exact_running_sum<T, T> {};
struct counter {
  static __device__ void took(tally::device::exact_way way) {
    if (threadIdx.x % tally::warp_size == 0) atomicAdd(taken + int(way), 1u);
  }
};

}  // namespace

namespace tally::device {
template <class T>
struct prefix_for<counted_sum<T>> {
  using state = typename counted_sum<T>::state;
  static auto make(auto const&, bool skips_nan, bool, std::optional<state> const& before) {
    return exact_prefix<T, T, detail::sum_digits<T>, counter>{
        {skips_nan, sum_before_of(before.value_or(state{}))}};
  }
};
}  // namespace tally::device

namespace {

using namespace support;

// How often each way was taken in a scan, whose results are right.
template <class T>
std::vector<unsigned> ways_taken(std::vector<T> const& in) {
  unsigned count[ways] = {};
  tally::check(cudaMemcpyToSymbol(taken, count, sizeof count));
  test_call call(1);
  expect_same(scan_on_device(counted_sum<T>{}, in, call), scan_on_host(counted_sum<T>{}, in, {}),
              "counted");
  tally::check(cudaMemcpyFromSymbol(count, taken, sizeof count));
  return {count, count + ways};
}
template <class T>
std::vector<T> of_doubles(std::size_t n, auto value) {
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = tally::convert<T>(double(value(i)));
  return out;
}
template <class T>
void expect_way(tally::device::exact_way way, bool alone, std::vector<T> const& in) {
  auto const count = ways_taken(in);
  EXPECT_GT(count[int(way)], 0u) << int(way);
  for (int i = 0; i < ways; ++i)
    if (alone && i != int(way)) {
      EXPECT_EQ(count[i], 0u) << i << " beside " << int(way);
    }
}
TEST(ways_of_an_exact_scan, are_taken_where_they_are_needed) {
  using enum tally::device::exact_way;
  using tally::bfloat16;
  constexpr std::size_t n = 20000;
  auto const small = [](std::size_t i) { return double(i % 7) - 3; };
  expect_way(one_end_rounded, true, of_doubles<bfloat16>(n, small));
  expect_way(ends_rounded, true, of_doubles<float>(n, small));
  expect_way(ends_rounded, true, of_doubles<double>(n, small));
  // What a double does not hold, and two do.
  auto const beyond = [&](std::size_t i) { return i == 0 ? 0x1p-60 : 3 + small(i); };
  expect_way(total_of_two_doubles, false, of_doubles<float>(n, beyond));
  expect_way(ends_rounded_twice, false, of_doubles<bfloat16>(300, [](std::size_t i) {
               return i == 0 ? 0x1p-60 : std::ldexp(128 + double(i % 100), -7 - int(i % 8));
             }));
  // Above a tie: by less than a float holds, than a double does, and than two do.
  auto const sum_of = [](std::initializer_list<double> first) {
    return [first = std::vector<double>(first)](std::size_t i) {
      return i < first.size() ? first[i] : 0;
    };
  };
  expect_way(ends_rounded, false, of_doubles<bfloat16>(n, sum_of({0x1p-100, 0x1p-40, 0x1p-8, 1})));
  expect_way(long_ends_rounded, false, of_doubles<float>(n, sum_of({0x1p-100, 0x1p24, 1})));
  auto const far_apart = of_doubles<float>(n, sum_of({0x1p120, 1, 0x1p-24, 0x1p-90, -0x1p120}));
  expect_way(total_of_digits, false, far_apart);
  expect_way(results_of_digits, false, far_apart);
  expect_way(same_everywhere, false, of_doubles<double>(n, [&](std::size_t i) {
               return i == 5 ? std::numeric_limits<double>::infinity() : small(i);
             }));
}

// What tiles come to, found out when the largest elements are taken away again.
TEST(totals_of_tiles, are_right_where_a_lane_reads_two_that_do_not_add_up) {
  tally::exact_running_sum<float, float> const a;
  test_call call(40);
  std::size_t const tile = 5120;  // of a wave
  std::vector<float> in(36 * tile);
  in[0] = 0x1p120f, in[1] = 0x1p60f, in[32 * tile] = 0x1p-140f;
  in[34 * tile] = -0x1p120f, in[35 * tile] = -0x1p60f;
  expect_same(scan_on_device(a, in, call), scan_on_host(a, in, {}), "two tiles of a lane");
}
TEST(totals_of_tiles, are_right_where_a_digit_is_full_and_the_next_carries) {
  tally::exact_running_sum<float, float> const a;
  test_call call(2);
  scan_kind<float> how;
  how.warps = 1, how.blocks = 2;
  std::size_t const tile = part_of_warp<std::remove_const_t<decltype(a)>>;
  std::vector<float> in(3 * tile);
  float const first[] = {0x1p120f, 0x1p-149f, 0xffffffp18f, 127 * 0x1p11f, 0x1p10f};
  std::copy(std::begin(first), std::end(first), in.begin());
  in[tile] = -0x1p120f;
  expect_same(scan_on_device(a, in, call, how), scan_on_host(a, in, how), "a full digit");
}

}  // namespace
