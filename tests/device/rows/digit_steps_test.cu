// SPDX-License-Identifier: Apache-2.0
#include "tally/digit_steps.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/device_scan.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/device/rows/each_index.cuh"

namespace {

using namespace support;
using namespace tally;
using namespace tally::detail;

template <class Step>
void run(std::uint64_t count, Step const& step) {
  test_call call(1);
  for_each_index_on_gpu(call, count, step);
  check(cudaDeviceSynchronize());
}

// Rows in a device's memory, and of these rows: places, digits below them, whose losses are found,
// and numbers again; all digits of every third group, and its numbers.
template <class T>
struct steps {
  using rows_of = number_rows<T>;
  struct answer {
    std::vector<std::uint8_t> places, lost;
    std::vector<std::int64_t> digits, all;
    std::vector<bits_of<T>> sums;
    bool told;
    bool operator==(answer const&) const = default;
  };

  // `launch` runs a step; `at` is where it finds an array, and `back` the array again.
  static answer take(rows_of const& rows, auto const& launch, auto const& room, auto const& back) {
    std::uint64_t const groups = number_groups::of(rows.size), each = number_groups::each;
    unsigned const log2 = log2_above(rows.count), width = digit_width(3);
    auto places = room(std::vector<std::uint8_t>(groups + 1, 9));
    auto digits = room(std::vector<std::int64_t>(groups * each * first_digits<T> + 1, 9));
    launch(groups, find_highest<T>{rows, groups, log2, at(places),
                                   at(digits) + groups * each * first_digits<T>});
    digit_layout<T> const below{at(places), groups, first_digits<T>, width};
    launch(groups, cut_numbers<T>{rows, below, {nullptr, groups}, at(digits)});
    auto lost = room(std::vector<std::uint8_t>(groups, 9));
    launch(groups, find_losses<T>{rows, below, at(lost)});
    auto sums = room(std::vector<T>(rows.size, T(5)));
    auto told = room(std::vector<std::uint8_t>(1, 9));
    launch(groups, round_sums<T>{below,
                                 {nullptr, groups},
                                 at(digits),
                                 at(sums),
                                 rows.size,
                                 reinterpret_cast<bool*>(at(told))});

    std::vector<std::int64_t> some;
    for (std::uint64_t g = 1; g < groups; g += 3) some.push_back(std::int64_t(g));
    auto which = room(some);
    digit_layout<T> const every{nullptr, 0, all_digits<T>(width - log2), width - log2};
    auto all = room(std::vector<std::int64_t>(some.size() * each * (every.count + 1), 9));
    launch(some.size(), cut_numbers<T>{rows, every, {at(which), some.size()}, at(all)});
    launch(some.size(),
           round_sums<T>{every, {at(which), some.size()}, at(all), at(sums), rows.size, nullptr});

    answer found{back(places), back(lost), back(digits), back(all), {}, back(told)[0] != 0};
    for (T const x : back(sums)) found.sums.push_back(to_bits(x));
    return found;
  }
  template <class U>
  static U* at(std::vector<U>& x) {
    return x.data();
  }
  template <class U>
  static U* at(device_array<U>& x) {
    return const_cast<U*>(x.data());
  }
};

template <class T>
void expect_as_on_cores(std::size_t n, unsigned count, bool finite) {
  std::mt19937_64 random(n);
  std::vector<std::vector<T>> here(count, std::vector<T>(n));
  for (auto& row : here)
    for (auto& x : row) {
      auto bits = bits_of<T>(random());
      if (finite)
        bits = bits_of<T>((bits & ~format<T>::infinity) |
                          (format<T>::infinity >> 1 & ~format<T>::fraction));
      x = from_bits<T>(bits);
    }
  std::vector<device_array<T>> there;
  number_rows<T> cores{{}, count, true, n}, device = cores;
  for (unsigned r = 0; r < count; ++r) {
    there.emplace_back(here[r]);
    cores.at[r] = here[r].data(), device.at[r] = there[r].data();
  }
  auto const want = steps<T>::take(
      cores,
      [](std::uint64_t k, auto const& step) {
        while (k-- > 0) step(k);
      },
      [](auto x) { return x; }, [](auto const& x) { return x; });
  auto const found = steps<T>::take(
      device, [](std::uint64_t k, auto const& step) { run(k, step); },
      []<class U>(std::vector<U> const& x) { return device_array<U>(x); },
      [](auto const& x) { return x.to_host(); });
  if (n > 1) {
    EXPECT_EQ(want.told, !finite);
  }
  EXPECT_TRUE(found == want) << n;
}

TEST(digit_steps, are_on_a_device_as_on_cores) {
  for (bool const finite : {true, false})
    for (std::size_t const n : {1, 300, 1000}) {
      expect_as_on_cores<float16>(n, 2, finite);
      expect_as_on_cores<bfloat16>(n, 1, finite);
      expect_as_on_cores<float>(n, 3, finite);
      expect_as_on_cores<double>(n, 2, finite);
    }
}

// Rows beyond those of one step are added to what is there.
TEST(digit_steps, go_on_with_more_rows) {
  std::size_t const n = 300;
  std::vector<float> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = float(i), y[i] = 0x1p20f + float(i % 7);
  device_array<float> const a(x), b(y);
  auto const groups = number_groups::of(n);
  device_array<std::uint8_t> const places(groups + 1);
  device_array<std::int64_t> const digits(8 * groups + 1);
  device_array<float> const sums(n);
  auto* const to = const_cast<std::uint8_t*>(places.data());
  auto* const room = const_cast<std::int64_t*>(digits.data());
  number_rows<float> const first{{a.data()}, 1, true, n}, second{{b.data()}, 1, false, n};
  for (auto const& rows : {first, second})
    run(groups, find_highest<float>{rows, groups, 1, to, room + 8 * groups});
  digit_layout<float> const below{to, groups, 1, digit_width(1)};
  for (auto const& rows : {first, second})
    run(groups, cut_numbers<float>{rows, below, {nullptr, groups}, room});
  run(groups, round_sums<float>{
                  below, {nullptr, groups}, room, const_cast<float*>(sums.data()), n, nullptr});
  auto const found = sums.to_host();
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(found[i], x[i] + y[i]);
}

}  // namespace
