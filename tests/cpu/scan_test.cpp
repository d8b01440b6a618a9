// SPDX-License-Identifier: Apache-2.0
#include "tally/scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <numeric>
#include <optional>

#include "cpu/operators.hpp"
#include "support/failure_of.hpp"
#include "tally/cpu_operators.hpp"

namespace {

using namespace tally;
using operators::affine;
using operators::sizes;
using support::failure_of;

// Every prefix by a plain loop; `start` may be null for an inclusive scan.
template <class T, class Op>
std::vector<T> plain_scan(std::vector<T> x, Op op, T const* start, bool exclusive, bool reverse,
                          T* total) {
  if (reverse) std::reverse(x.begin(), x.end());
  std::vector<T> out(x.size());
  std::optional<T> so_far;
  if (start) so_far = *start;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (exclusive) out[i] = *so_far;
    so_far = !so_far ? x[i] : reverse ? op(x[i], *so_far) : op(*so_far, x[i]);
    if (!exclusive) out[i] = *so_far;
  }
  if (so_far) *total = *so_far;
  if (reverse) std::reverse(out.begin(), out.end());
  return out;
}

template <class T, class Op>
void compare_with_plain_scan(std::vector<T> const& x, Op op, T const* start) {
  for (bool const reverse : {false, true}) {
    for (bool const exclusive : {false, true}) {
      if (exclusive && !start) continue;
      T want_total{};
      auto const want = plain_scan(x, op, start, exclusive, reverse, &want_total);
      for (int const threads : {1, 2, 4}) {
        T total{};
        scan_options<T> options{.reverse = reverse, .total = &total};
        if (start) options.init = *start;
        std::vector<T> out(x.size()), in_place = x;
        if (exclusive) {
          exclusive_scan(cpu{threads}, x, out, op, options);
          exclusive_scan(cpu{threads}, in_place, in_place, op, options);
        } else {
          inclusive_scan(cpu{threads}, x, out, op, options);
          inclusive_scan(cpu{threads}, in_place, in_place, op, options);
        }
        ASSERT_TRUE(out == want) << x.size() << " reverse " << reverse << " exclusive "
                                 << exclusive;
        ASSERT_TRUE(in_place == want) << x.size();
        ASSERT_TRUE(total == want_total) << x.size();
      }
    }
  }
}

TEST(scan, keeps_the_order_of_an_operator_that_does_not_commute) {
  affine const start{5, 3};
  int const first = -1;
  for (std::size_t const n : sizes) {
    auto const x = operators::random_affine(n);
    compare_with_plain_scan<affine>(x, operators::then{}, nullptr);
    compare_with_plain_scan<affine>(x, operators::then{}, &start);
    std::vector<int> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 7);
    compare_with_plain_scan<int>(numbers, operators::leftmost{}, nullptr);
    compare_with_plain_scan<int>(numbers, operators::leftmost{}, &first);
  }
}

TEST(scan, begins_an_exclusive_scan_with_the_identity_if_there_is_no_init) {
  auto const x = operators::random_affine(600);
  std::vector<affine> with(600), without(600);
  exclusive_scan(cpu{}, x, with, operators::then{}, {.init = affine{1, 0}});
  exclusive_scan(cpu{}, x, without, operators::then_with_identity{});
  EXPECT_TRUE(with == without);
}

TEST(scan, goes_on_where_the_chunk_before_ended) {
  auto const x = operators::random_affine(100000);
  std::vector<affine> want(x.size()), out(x.size());
  inclusive_scan(cpu{2}, x, want, operators::then{});
  scanner<affine, affine, operators::then> running;
  std::mt19937 random(2);
  for (std::size_t at = 0; at < x.size();) {
    std::size_t const length = std::min<std::size_t>(random() % 30000, x.size() - at);
    running.inclusive(cpu{2}, std::span(x).subspan(at, length), std::span(out).subspan(at, length));
    at += length;
  }
  EXPECT_TRUE(out == want);
  EXPECT_EQ(running.total(), want.back());
}

TEST(scan, in_reverse_goes_on_before_the_chunk_that_came_last) {
  auto const x = operators::random_affine(100000);
  affine const start{5, 3};
  std::span<affine const> const all = x;
  std::mt19937 random(3);
  for (bool const exclusive : {false, true}) {
    affine total{};
    auto const want = plain_scan(x, operators::then{}, &start, exclusive, true, &total);
    std::vector<affine> out(x.size());
    scanner<affine, affine, operators::then> running({}, {.init = start, .reverse = true},
                                                     x.size());
    for (std::size_t end = x.size(); end > 0;) {
      std::size_t const length = std::min<std::size_t>(random() % 30000, end);
      end -= length;
      auto const to = std::span(out).subspan(end, length);
      if (exclusive)
        running.exclusive(cpu{2}, all.subspan(end, length), to);
      else
        running.inclusive(cpu{2}, all.subspan(end, length), to);
    }
    EXPECT_TRUE(out == want) << exclusive;
    EXPECT_EQ(running.total(), total);
  }
}

template <class T>
void compare_extrema() {
  std::mt19937_64 random(3);
  for (std::size_t const n : {1, 2, 513, 5000, 140000}) {
    std::vector<T> x(n);
    for (T& e : x) {
      auto b = bits_of<T>(random());
      if constexpr (floating<T>) {  // NaNs with payloads are rare; zeros of both signs are not
        if (is_nan(from_bits<T>(b)) && random() % 4) b = 1;
        if (random() % 8 == 0) b = random() % 2 ? format<T>::sign : bits_of<T>(0);
      }
      e = from_bits<T>(b);
    }
    auto const same = [](std::vector<T> const& a, std::vector<T> const& b) {
      return std::equal(a.begin(), a.end(), b.begin(),
                        [](T s, T t) { return to_bits(s) == to_bits(t); });
    };
    auto const key = [](T e) {  // -0.0 below +0.0
      if constexpr (floating<T>)
        return std::pair(double(e), !std::signbit(double(e)));
      else
        return e;
    };
    auto const least = [&](T a, T b) {
      return is_nan(a) ? a : is_nan(b) || key(b) < key(a) ? b : a;
    };
    auto const most = [&](T a, T b) {
      return is_nan(a) ? a : is_nan(b) || key(a) < key(b) ? b : a;
    };
    for (bool const reverse : {false, true}) {
      T total;
      auto const low = plain_scan<T>(x, least, nullptr, false, reverse, &total);
      auto const high = plain_scan<T>(x, most, nullptr, false, reverse, &total);
      for (int const threads : {1, 3}) {
        std::vector<T> out(n);
        inclusive_scan(cpu{threads}, x, out, minimum{}, {.reverse = reverse});
        EXPECT_TRUE(same(out, low)) << n;
        out = x;
        inclusive_scan(cpu{threads}, out, out, maximum{}, {.reverse = reverse});
        EXPECT_TRUE(same(out, high)) << n;
      }
    }
  }
}

TEST(scan, of_extrema_passes_the_elements_through_with_all_their_bits) {
  compare_extrema<float>();
  compare_extrema<double>();
  compare_extrema<float16>();
  compare_extrema<bfloat16>();
  compare_extrema<std::int8_t>();
  compare_extrema<std::uint64_t>();
}

TEST(scan, of_integers_wraps_in_the_type_of_out) {
  std::vector<std::uint8_t> const x(700, 200);
  std::vector<std::uint8_t> narrow(700);
  std::vector<std::uint64_t> wide(700);
  std::uint8_t total = 0;
  inclusive_scan(cpu{}, x, narrow, sum{}, {.init = 100, .total = &total});
  exclusive_scan(cpu{}, x, wide, sum{}, {.init = ~0ull});
  for (std::size_t i = 0; i < 700; ++i) {
    ASSERT_EQ(narrow[i], std::uint8_t(100 + 200 * (i + 1)));
    ASSERT_EQ(wide[i], 200 * i - 1);
  }
  EXPECT_EQ(total, narrow.back());
}

// More than the caches hold is written past them, in lines, while the next chunk is fetched.
template <class In, class Out>
void compare_large(std::size_t offset_in, std::size_t offset_out, bool exclusive, bool reverse,
                   int threads) {
  std::size_t const n = (std::size_t(1) << 25) / sizeof(Out) + 54321;
  std::vector<In> x(n + offset_in);
  std::vector<Out> out(n + offset_out, Out(7));
  std::mt19937 random(5);
  for (In& e : x) e = In(int(random() % 64) - 32);
  std::span<In const> const in(x.data() + offset_in, n);
  std::span<Out> const to(out.data() + offset_out, n);
  scan_options<Out> const options{.reverse = reverse};
  if (exclusive)
    exclusive_scan(cpu{threads}, in, to, sum{}, options);
  else
    inclusive_scan(cpu{threads}, in, to, sum{}, options);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const k = reverse ? n - 1 - i : i;
    std::int64_t const before = at;
    at += std::int64_t(in[k]);
    ASSERT_EQ(to[k], Out(exclusive ? before : at)) << k << " of " << n << ", " << threads;
  }
  for (std::size_t i = 0; i < offset_out; ++i) ASSERT_EQ(out[i], Out(7));
}

TEST(scan, of_more_than_the_caches_hold_is_right_at_any_alignment) {
  for (std::size_t const offset : {0, 1, 3, 13}) {
    for (int const threads : {1, 3}) {
      bool const odd = offset % 2;
      compare_large<std::int32_t, std::int32_t>(offset, offset + 1, false, false, threads);
      compare_large<std::int64_t, std::int64_t>(0, offset, odd, false, threads);
      compare_large<std::int8_t, std::int64_t>(offset, offset, false, odd, threads);
      compare_large<float, float>(offset, offset, odd, threads == 3, threads);
      compare_large<double, float>(offset, 1, false, false, threads);
      compare_large<double, double>(offset, offset, odd, false, threads);
    }
  }
}

// Results that one way past the caches writes and another has to write again.
template <class T>
void compare_large_with_in_place(int threads) {
  std::size_t const n = (std::size_t(1) << 25) / sizeof(T) + 4321;
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    int const spread = i / 20'000 % 4 == 2 ? int(random() % 160) - 80 : 0;
    x[i] = convert<T>(std::ldexp(normal(random), spread));
    if (i / 20'000 % 8 == 5) x[i] = from_bits<T>(to_bits(x[i - 20'000]) ^ format<T>::sign);
  }
  x[n - 5000] = infinity<T>();
  std::vector<T> out(n), in_place = x;
  inclusive_scan(cpu{threads}, std::span<T const>(x), std::span<T>(out), sum{});
  inclusive_scan(cpu{1}, std::span<T const>(in_place), std::span<T>(in_place), sum{});
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(to_bits(out[i]), to_bits(in_place[i])) << i << " of " << n << ", " << threads;
}
TEST(scan, of_more_than_the_caches_hold_takes_any_data) {
  for (int const threads : {1, 3}) {
    compare_large_with_in_place<float>(threads);
    compare_large_with_in_place<double>(threads);
    compare_large_with_in_place<float16>(threads);
    compare_large_with_in_place<bfloat16>(threads);
  }
}

TEST(scan, of_fast_sum_has_the_same_bits_for_any_number_of_threads_and_rounding_mode) {
  std::mt19937 random(4);
  std::normal_distribution<float> next;
  std::vector<float> x(200000);
  for (float& e : x) e = next(random);
  std::vector<float> want(x.size()), out(x.size());
  inclusive_scan(cpu{1}, x, want, fast_sum{});
  double exact = 0, sizes = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    exact += x[i], sizes += std::abs(x[i]);
    ASSERT_NEAR(want[i], exact, 1e-7 * 600 * sizes);
  }
  for (int const rounding : {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO}) {
    for (int const threads : {1, 2, 3, 8}) {
      std::fesetround(rounding);  // the caller's, which must not matter
      inclusive_scan(cpu{threads}, x, out, fast_sum{});
      EXPECT_EQ(std::fesetround(FE_TONEAREST), 0);
      EXPECT_TRUE(out == want) << rounding;
    }
  }
}

// Of 60 binades: sums that are known up to a bound for many tiles in a row, while what is behind
// waits to be added up, in memory that may be written to meanwhile.
template <class T>
std::vector<T> far_apart(std::size_t n) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  std::vector<T> x(n);
  for (T& e : x) e = T(std::ldexp(normal(random), int(random() % 60) - 30));
  return x;
}

template <class T>
void expect_the_same_in_place_and_in_chunks(bool reverse) {
  auto const x = far_apart<T>(300'000);
  std::span<T const> const all = x;
  std::vector<T> want(x.size()), out(x.size());
  inclusive_scan(cpu{1}, x, want, sum{}, {.reverse = reverse});
  for (int const threads : {1, 2, 4}) {
    auto in_place = x;
    T total{};
    inclusive_scan(cpu{threads}, in_place, in_place, sum{}, {.reverse = reverse, .total = &total});
    EXPECT_TRUE(in_place == want) << threads << reverse;
    EXPECT_EQ(total, reverse ? want.front() : want.back());
    scanner<T, T, sum> running({}, {.reverse = reverse}, reverse ? x.size() : 0);
    for (std::size_t part = 0; part < 3; ++part) {
      std::size_t const at = 100'000 * (reverse ? 2 - part : part);
      running.inclusive(cpu{threads}, all.subspan(at, 100'000),
                        std::span(out).subspan(at, 100'000));
    }
    EXPECT_TRUE(out == want) << threads << reverse;
    EXPECT_EQ(running.total(), total);
  }
}

TEST(scan, of_what_is_far_apart_is_the_same_in_place_and_in_chunks) {
  for (bool const reverse : {false, true}) {
    expect_the_same_in_place_and_in_chunks<float>(reverse);
    expect_the_same_in_place_and_in_chunks<double>(reverse);
  }
}

TEST(scan, refuses_what_it_cannot_do_and_says_why) {
  std::vector<float> x(10), nine(9);
  auto const all = std::span(x);
  EXPECT_EQ(failure_of([&] { inclusive_scan(cpu{}, x, nine, sum{}); }),
            "inclusive_scan: out has 9 elements, in has 10");
  EXPECT_EQ(failure_of([&] { inclusive_scan(cpu{}, all.first(6), all.subspan(3, 6), sum{}); }),
            "inclusive_scan: out overlaps in without being the same array");
  EXPECT_EQ(failure_of([&] { exclusive_scan(cpu{}, all.subspan(1, 6), all.first(6), sum{}); }),
            "exclusive_scan: out overlaps in without being the same array");
  inclusive_scan(cpu{}, all.first(5), all.subspan(5), sum{});
  std::vector<double> wide(5);
  std::span<float> const narrow(reinterpret_cast<float*>(wide.data()), 5);
  EXPECT_EQ(failure_of([&] { inclusive_scan(cpu{}, narrow, wide, sum{}); }),
            "inclusive_scan: out overlaps in without being the same array");
  EXPECT_EQ(failure_of([&] { exclusive_scan(cpu{}, x, x, std::plus<float>{}); }),
            "exclusive_scan: init is missing, and the operator has no identity");
  EXPECT_EQ(failure_of([&] { inclusive_scan(cpu{-1}, x, x, sum{}); }),
            "cpu: threads = -1 is negative");
}

// A chunk's total is known before the chunk is scanned; a scan's is added up in order.
TEST(scan, of_minima_hands_on_the_first_nan_of_a_chunk) {
  std::vector<float> x(300'000, 1.0f), out(x.size());
  auto const first = from_bits<float>(0x7fc00001), later = from_bits<float>(0x7fc00002);
  for (std::size_t const distance : {1, 25, 30, 32, 1000}) {
    std::fill(x.begin(), x.end(), 1.0f);
    x[40] = first;
    x[40 + distance] = later;
    inclusive_scan(cpu{4}, x, out, minimum{});
    for (std::size_t i = 40; i < x.size(); ++i) ASSERT_EQ(to_bits(out[i]), to_bits(first)) << i;
  }
}

TEST(scan, of_nothing_gives_init_or_the_identity_as_its_total) {
  std::vector<float> none;
  float total = 9;
  inclusive_scan(cpu{}, none, none, sum{}, {.total = &total});
  EXPECT_EQ(total, 0);
  exclusive_scan(cpu{}, none, none, std::plus<float>{}, {.init = 3.5f, .total = &total});
  EXPECT_EQ(total, 3.5f);
  exclusive_scan(cpu{}, none, none, minimum{}, {.total = &total});
  EXPECT_EQ(total, INFINITY);
}

// Large outputs are written past the caches, whole lines at a time: the last tile is not whole.
TEST(scan, of_a_large_array_ends_where_its_output_does) {
  std::size_t const n = (std::size_t(40) << 20) / sizeof(float);
  std::vector<float> const in(n + 64, 1);
  std::vector<float> out(n + 128);
  auto const line = 16 - reinterpret_cast<std::uintptr_t>(out.data()) / 4 % 16;
  for (std::size_t const rest : {1, 7, 17, 40}) {
    std::fill(out.begin(), out.end(), -1.0f);
    inclusive_scan(cpu{}, std::span(in).first(n + rest), std::span(out).subspan(line, n + rest),
                   sum{});
    EXPECT_EQ(out[line + n + rest - 1], float(n + rest));
    EXPECT_EQ(std::count(out.begin() + std::ptrdiff_t(line + n + rest), out.end(), -1.0f),
              std::ptrdiff_t(128 - rest - line));
  }
}

}  // namespace
