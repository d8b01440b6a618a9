// SPDX-License-Identifier: Apache-2.0
//
// Steps of a lane, and what comes of them in tiles and rows, are those of the aggregate itself.
#include "tally/device/scan/prefix/steps.cuh"

#include "support/device_scan_rows.cuh"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/product.hpp"

namespace {

using namespace support;

constexpr int batch_size = 8, batches = 96;

// A thread has a batch, behind the state of an element.
template <class A>
__global__ void take_steps(typename A::element const* in, bool exclusive, bool reverse,
                           typename A::result* out, typename A::result* fold) {
  using element = typename A::element;
  using steps = tally::device::steps_of<A>;
  unsigned const lane = threadIdx.x, stride = batch_size + 1;
  tally::device::items_of<element, batch_size> x;
  tally::device::items_of<typename A::result, batch_size> results;
  for (int k = 0; k < batch_size; ++k) x.set(k, in[lane * stride + 1 + k]);
  auto const before = A{}.lift(in[lane * stride], 0);
  auto const through = tally::device::scan_by_steps<A>(before, x, exclusive, reverse, results);
  for (int k = 0; k < batch_size; ++k) out[lane * stride + k] = results[k];
  out[lane * stride + batch_size] = A{}.lower(through);
  auto const sum = steps::combine(steps::none(), steps::fold(x));
  auto state = steps::state_of(sum);
  if constexpr (requires { steps::is_certain(sum); })
    if (!steps::is_certain(sum)) state = steps::state_behind(A{}.identity(), x, reverse);
  fold[lane] = A{}.lower(state);
}

template <class A>
void expect_steps(std::vector<typename A::element> const& in) {
  using R = typename A::result;
  tally::device_array<typename A::element> const data(in);
  tally::device_array<R> out(in.size()), folds(batches);
  for (int kinds = 0; kinds < 4; ++kinds) {
    bool const exclusive = kinds % 2, reverse = kinds / 2;
    tally::launch(take_steps<A>, 1, batches)(data.data(), exclusive, reverse, out.data(),
                                             folds.data());
    tally::check(cudaDeviceSynchronize());
    auto const got = out.to_host(), fold = folds.to_host();
    for (std::size_t lane = 0; lane < batches; ++lane) {
      auto const at = std::ptrdiff_t(lane * (batch_size + 1));
      std::vector<typename A::element> mine(in.begin() + at + 1, in.begin() + at + 1 + batch_size);
      if (reverse) std::reverse(mine.begin(), mine.end());
      scan_kind<R> how{.exclusive = exclusive, .reverse = reverse};
      auto const alone = scan_on_host(A{}, mine, how);
      EXPECT_EQ(memcmp(&fold[lane], &alone.total, sizeof(R)), 0) << "the fold of " << lane;
      how.init = A{}.lower(A{}.lift(in[std::size_t(at)], 0));
      std::vector<R> results(got.begin() + at, got.begin() + at + batch_size);
      if (reverse) std::reverse(results.begin(), results.end());
      expect_same({results, got[std::size_t(at + batch_size)]}, scan_on_host(A{}, mine, how),
                  "the batch " + std::to_string(lane));
    }
  }
}

// Numbers whose sums, or products, are not rounded, and NaNs, infinities and zeros between them.
template <class T>
std::vector<T> special_numbers(std::vector<T> numbers, unsigned seed = 5) {
  std::mt19937_64 random(seed);
  using f = tally::format<T>;
  T const special[] = {tally::from_bits<T>(tally::bits_of<T>(f::quiet_nan + 5)),
                       tally::from_bits<T>(tally::bits_of<T>(f::infinity + 1)),
                       tally::from_bits<T>(tally::bits_of<T>(f::quiet_nan | f::sign)),
                       tally::infinity<T>(false),
                       tally::infinity<T>(true),
                       T(0),
                       tally::from_bits<T>(f::sign)};
  for (auto& x : numbers)
    if (random() % 16 == 0) x = special[random() % 7];
  return numbers;
}
template <class T>
std::vector<T> small_integers(std::size_t n) {
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = tally::convert<T>(double(int(i * 7 % 11) - 5));
  return out;
}
template <class T>
std::vector<T> ones_and_halves(std::size_t n) {
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = tally::convert<T>(i % 5 == 0 ? -2.0 : i % 5 == 1 ? 0.5 : 1);
  return out;
}

template <class T>
struct steps_of_floats : ::testing::Test {};
using floats = ::testing::Types<tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(steps_of_floats, floats);

TYPED_TEST(steps_of_floats, are_those_of_the_aggregate) {
  using T = TypeParam;
  constexpr std::size_t n = batches * (batch_size + 1);
  for (auto const& in : {small_integers<T>(n), special_numbers(small_integers<T>(n)),
                         std::vector<T>(n, tally::from_bits<T>(tally::format<T>::sign))}) {
    expect_steps<tally::tree_sum<T>>(in);
    expect_steps<tally::running_extremum<T, true>>(in);
    expect_steps<tally::running_extremum<T, false>>(in);
  }
  expect_steps<tally::tree_product<T>>(ones_and_halves<T>(n));
  expect_steps<tally::tree_product<T>>(special_numbers(ones_and_halves<T>(n)));
  for (kind which : {kind::any_bits, kind::subnormal, kind::zeros, kind::nans, kind::largest}) {
    expect_steps<tally::running_extremum<T, true>>(values<T>(which, n));
    expect_steps<tally::running_extremum<T, false>>(values<T>(which, n));
  }
}

template <class T>
struct steps_of_integers : ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(steps_of_integers, integers);

TYPED_TEST(steps_of_integers, are_those_of_the_aggregate) {
  using T = TypeParam;
  auto const in = any_integers<T>(batches * (batch_size + 1));
  expect_steps<tally::running_extremum<T, true>>(in);
  expect_steps<tally::running_extremum<T, false>>(in);
  if constexpr (sizeof(T) <= 4) {
    expect_steps<tally::device::narrow_running_sum<T, T>>(in);
    expect_steps<tally::device::narrow_running_sum<T, std::int32_t>>(in);
  }
}

// In tiles of which some are not whole, of several warps and turns.
template <class A>
void expect_tiles_and_rows(std::vector<typename A::element> const& all,
                           typename A::result const& init) {
  constexpr std::size_t part = part_of_warp<A>;
  auto const first = [&](std::size_t n) {
    return std::vector<typename A::element>(all.begin(), all.begin() + std::ptrdiff_t(n));
  };
  for (auto const nan : {tally::propagate, tally::skip})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true}) {
        test_call call(2);
        scan_kind<typename A::result> how{.exclusive = exclusive, .reverse = reverse, .nan = nan};
        how.warps = 2, how.blocks = 2;
        for (std::size_t n : {std::size_t(3), part + 17, 7 * part - 1, 8 * part}) {
          how.init = n % 2 ? std::optional(init) : std::nullopt;
          expect_same(scan_on_device(A{}, first(n), call, how, int(n % 3), int(n % 5)),
                      scan_on_host(A{}, first(n), how), std::to_string(n));
        }
        how.warps = how.blocks = 0;
        expect_same(scan_on_device(A{}, first(2 * part + 9), call, how),
                    scan_on_host(A{}, first(2 * part + 9), how), "in a wave");
        for (std::size_t length : {5, 128, 133, 700})
          expect_rows(A{}, first(7 * 702), {7, length, length + 1, length + 2}, call, how);
      }
}

TYPED_TEST(steps_of_floats, make_tiles_and_rows) {
  using T = TypeParam;
  constexpr std::size_t n = 8 * 1792;
  // Few NaNs, so that there are lanes, warps and tiles behind one and without one.
  auto some_nan = small_integers<T>(n);
  for (std::size_t i : {200, 3100, 3101, 9000})
    some_nan[i] = tally::from_bits<T>(tally::bits_of<T>(tally::format<T>::quiet_nan + i % 50));
  expect_tiles_and_rows<tally::running_extremum<T, true>>(some_nan, tally::convert<T>(-4.0));
  expect_tiles_and_rows<tally::running_extremum<T, false>>(some_nan, tally::convert<T>(-6.0));
  std::vector<T> flat(n, tally::convert<T>(1.0));
  for (std::size_t i = 0; i < n; i += 2) flat[i] = tally::convert<T>(-1.0);
  flat[4500] = tally::infinity<T>(false), flat[n - 700] = tally::infinity<T>(true);
  expect_tiles_and_rows<tally::tree_sum<T>>(flat, tally::convert<T>(2.0));
  expect_tiles_and_rows<tally::tree_product<T>>(flat, tally::convert<T>(-2.0));
}

TEST(steps_of_narrow_integers, make_tiles_and_rows) {
  constexpr std::size_t n = 8 * 3584;
  using sums = tally::integer_running_sum<std::int8_t, std::int8_t>;
  auto const bytes = any_integers<std::int8_t>(n);
  expect_tiles_and_rows<tally::running_extremum<std::int8_t, true>>(bytes, std::int8_t(100));
  expect_tiles_and_rows<sums>(bytes, std::int8_t(100));
  expect_tiles_and_rows<tally::running_extremum<std::uint16_t, false>>(
      any_integers<std::uint16_t>(n), std::uint16_t(3));
}

}  // namespace
