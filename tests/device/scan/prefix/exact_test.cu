// SPDX-License-Identifier: Apache-2.0
#include "tally/device/scan/prefix/exact.cuh"

#include "support/device_scan.cuh"
#include "support/hard_patterns.hpp"

namespace {

using namespace support;

template <class T>
struct exact_scans_on_a_device : ::testing::Test {};
using floats = ::testing::Types<float, double, tally::float16, tally::bfloat16>;
TYPED_TEST_SUITE(exact_scans_on_a_device, floats);

TYPED_TEST(exact_scans_on_a_device, round_every_prefix_once) {
  using T = TypeParam;
  for (kind which : kinds)
    for (std::size_t n : {40, 11000, 11001}) {
      test_call call(n % 2 ? 3 : 1);
      auto const in = values<T>(which, n);
      tally::exact_running_sum<T, T> const a;
      scan_kind<T> how;
      expect_same(scan_on_device(a, in, call, how), scan_on_host(a, in, how),
                  "kind " + std::to_string(int(which)) + ", " + std::to_string(n));
    }
}

TYPED_TEST(exact_scans_on_a_device, are_of_every_kind) {
  using T = TypeParam;
  test_call call(2);
  for (std::size_t n : {0, 1, 33, 5125})
    for (kind which : {kind::wide, kind::cancelling})
      expect_scans(tally::exact_running_sum<T, T>{}, values<T>(which, n), tally::convert<T>(0.5),
                   call);
}

TYPED_TEST(exact_scans_on_a_device, can_skip_nan) {
  using T = TypeParam;
  test_call call(1);
  expect_scans(tally::exact_running_sum<T, T>{}, values<T>(kind::nans, 600), tally::convert<T>(0.5),
               call, tally::skip);
  expect_scans(tally::exact_running_sum<T, T>{}, values<T>(kind::any_and_infinities, 600),
               tally::infinity<T>(true), call);
}

template <class In, class Out>
void expect_rounded_to() {
  test_call call(1);
  for (kind which : {kind::wide, kind::any_bits, kind::subnormal}) {
    auto const in = values<In>(which, 5200);
    expect_scans(tally::exact_running_sum<In, Out>{}, in, tally::convert<Out>(0.25), call);
  }
}
// A sum that is not zero, and the result is: it has the sum's sign.
template <class In, class Out>
void expect_sign_of_what_vanishes(double large, double tiny, double less_large = 0) {
  test_call call(1);
  for (double sign : {-1, 1})
    for (std::size_t n : {5, 2000}) {
      std::vector<In> in(n, In{});
      double const last[] = {large, less_large, sign * tiny, -large, -less_large};
      for (int i = 0; i < 5; ++i) in[n - 5 + i] = tally::convert<In>(last[i]);
      expect_scans(tally::exact_running_sum<In, Out>{}, in, {}, call);
    }
}
TEST(exact_scans_on_a_device_of_another_type, keep_the_sign_of_what_vanishes) {
  expect_sign_of_what_vanishes<float, tally::float16>(0x1p27, 0x1p-40);
  expect_sign_of_what_vanishes<float, tally::bfloat16>(0x1p-85, 0x1p-149);
  expect_sign_of_what_vanishes<double, float>(0x1p-100, 0x1p-300);
  expect_sign_of_what_vanishes<double, float>(0x1p-60, 0x1p-300, 0x1p-160);
}

TEST(exact_scans_on_a_device_of_another_type, are_rounded_once) {
  expect_rounded_to<float, double>();
  expect_rounded_to<double, float>();
  expect_rounded_to<tally::float16, float>();
  expect_rounded_to<tally::bfloat16, tally::float16>();
  expect_rounded_to<tally::float16, tally::bfloat16>();
}

TYPED_TEST(exact_scans_on_a_device, need_no_blocks_beside_them_and_no_order_of_blocks) {
  using T = TypeParam;
  using sums = tally::exact_running_sum<T, T>;
  constexpr std::size_t part = part_of_warp<sums>;
  auto in = values<T>(kind::wide, 36 * part + 5);
  auto const far = values<T>(kind::any_bits, in.size());
  std::copy_n(far.begin(), 4 * part, in.begin() + 30 * part);  // tiles that publish all digits
  scan_kind<T> how{.warps = 1, .blocks = 5};
  auto const want = scan_on_host(sums{}, in, how);
  for (unsigned resident : {1, 2, 3, 5}) {
    schedule const now(resident + 10, resident, int(resident) % schedule::orders);
    test_call call(1);
    expect_same(scan_on_device(sums{}, in, call, how), want,
                std::to_string(resident) + " resident");
  }
}

// Half-way between two results, where an element far below decides.
TYPED_TEST(exact_scans_on_a_device, see_tiny_elements_that_decide_ties) {
  using T = TypeParam;
  using f = tally::format<T>;
  T const one = tally::convert<T>(1.0), least = tally::from_bits<T>(1);
  T const half = tally::convert<T>(std::ldexp(1.0, -f::precision));
  T const minus = tally::from_bits<T>(tally::bits_of<T>(f::sign | 1));
  test_call call(1);
  for (std::size_t tiny : {2, 19, 700, 5300}) {
    std::vector<T> in(5400, T{});
    in[1] = one;
    in[3] = half;
    for (T const decides : {least, minus}) {
      in[tiny] = decides;
      tally::exact_running_sum<T, T> const a;
      expect_same(scan_on_device(a, in, call), scan_on_host(a, in, {}), std::to_string(tiny));
    }
  }
}

// The largest values come and go: what is left was far below them.
TYPED_TEST(exact_scans_on_a_device, come_back_from_cancellation) {
  using T = TypeParam;
  using f = tally::format<T>;
  T const most = tally::from_bits<T>(tally::bits_of<T>(f::infinity - 1));
  T const least = tally::from_bits<T>(tally::bits_of<T>(f::sign | (f::infinity - 1)));
  test_call call(1);
  auto in = values<T>(kind::subnormal, 12000);
  for (std::size_t i : {10, 11, 12, 5000, 5001, 7000}) in[i] = most;
  for (std::size_t i : {300, 301, 5200, 5205, 8000, 11000}) in[i] = least;
  tally::exact_running_sum<T, T> const a;
  expect_same(scan_on_device(a, in, call), scan_on_host(a, in, {}), "cancellation");
}

template <class T>
T minus(T x) {
  return tally::from_bits<T>(tally::bits_of<T>(tally::to_bits(x) ^ tally::format<T>::sign));
}

// By warps of several tiles, in either direction.
template <class T>
void expect_exact(std::vector<T> const& in, std::string const& what) {
  tally::exact_running_sum<T, T> const a;
  test_call call(1);
  for (bool backwards : {false, true}) {
    scan_kind<T> const how{.exclusive = backwards, .reverse = backwards, .warps = 2, .blocks = 2};
    expect_same(scan_on_device(a, in, call, how), scan_on_host(a, in, how),
                what + (backwards ? ", exclusive and reverse" : ""));
  }
}

// Every prefix lies half-way between two results, or is off by the least there is: for a while up,
// and down.
TYPED_TEST(exact_scans_on_a_device, see_ties_at_every_position) {
  using T = TypeParam;
  T const large = tally::convert<T>(std::ldexp(1.0, tally::format<T>::precision));
  T const least = tally::from_bits<T>(1);
  std::mt19937 random(1);
  for (std::size_t apart : {5, 97, 1000}) {
    std::vector<T> in(5 * part_of_warp<tally::exact_running_sum<T, T>> + 7);
    int above = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      bool const up = above < 20 || (above < 100 && random() % 2);
      in[i] = tally::convert<T>(up ? 2.0 : -2.0);
      above += up ? 2 : -2;
    }
    in[0] = large;
    in[1] = tally::convert<T>(1.0);
    for (std::size_t i = apart - 1, k = 0; i < in.size(); i += apart, ++k)
      in[i] = k % 4 == 1 || k % 4 == 2 ? minus(least) : least;  // 1, 0, -1, 0 of them, and so on
    expect_exact(in, std::to_string(apart) + " apart");
    in.front() = tally::convert<T>(1.0), in.back() = large;  // for the other direction
    expect_exact(in, std::to_string(apart) + " apart, the largest at the end");
  }
}

// Prefixes are zero again and again, after few elements and after some tiles.
TYPED_TEST(exact_scans_on_a_device, are_zero_where_all_cancels) {
  using T = TypeParam;
  for (kind which : {kind::any_bits, kind::normal})
    for (std::size_t half : {1, 19, 333, 1100}) {
      auto in = values<T>(which, 1800);
      for (std::size_t i = 0; i < in.size(); ++i)
        if (i % (2 * half) >= half) in[i] = minus(in[i - 2 * (i % half) - 1]);
      expect_exact(in, "half " + std::to_string(half));
    }
}

TYPED_TEST(exact_scans_on_a_device, hold_80_binades) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  std::vector<T> in(4000);
  for (auto& x : in) {
    double const unit = double(std::int64_t(random()) >> 11) * 0x1p-52;
    x = tally::convert<T>(std::ldexp(unit, int(random() % 80) - 40));
    if (!tally::is_finite(x)) x = tally::convert<T>(unit);
  }
  expect_exact(in, "80 binades");
  for (std::size_t i = 0; i < in.size(); ++i)  // and tiles of 10 binades beside others
    in[i] = tally::convert<T>(std::ldexp(double(std::int64_t(random()) >> 11) * 0x1p-52,
                                         int(i / 500) * 10 - 35 - int(random() % 10)));
  expect_exact(in, "10 binades each");
}

// Totals of tiles are two doubles, the second of which is no float, and all is taken back.
TYPED_TEST(exact_scans_on_a_device, hold_as_many_binades_as_two_doubles) {
  using T = TypeParam;
  std::mt19937_64 random(6);
  for (int binades : {30, 45, 60}) {
    std::vector<T> in(6000);
    for (auto& x : in) {
      double const unit = double(std::int64_t(random()) >> 11) * 0x1p-52;
      x = tally::convert<T>(std::ldexp(unit, int(random() % unsigned(binades)) - binades / 2));
      if (!tally::is_finite(x)) x = tally::convert<T>(unit);
    }
    for (std::size_t i = 0; i < in.size() / 2; ++i) in[in.size() - 1 - i] = minus(in[i]);
    expect_exact(in, std::to_string(binades) + " binades");
  }
}

// All elements have one sign, and bits up to where a digit ends. Two that are far below them, and
// far apart, have the total of a warp need all digits.
TYPED_TEST(exact_scans_on_a_device, add_up_digits_that_are_full) {
  using T = TypeParam;
  using f = tally::format<T>;
  T const large = tally::from_bits<T>(
      tally::bits_of<T>(tally::bits_of<T>(f::bias + 1) << (f::precision - 1) | f::fraction));
  T const far = tally::from_bits<T>(
      tally::bits_of<T>(tally::bits_of<T>(f::bias * 2 / 5) << (f::precision - 1)));
  for (bool negative : {false, true}) {
    std::vector<T> in(4 * part_of_warp<tally::exact_running_sum<T, T>> + 9,
                      negative ? minus(large) : large);
    for (std::size_t i = 5; i < in.size(); i += 800)
      in[i] = tally::from_bits<T>(1), in[i + 1] = far;
    expect_exact(in, negative ? "negative" : "positive");
  }
}

// The total of each tile is a double, and that of some is more than two: what is left when the
// larger ones are taken back is the least.
TYPED_TEST(exact_scans_on_a_device, come_back_from_tiles_far_apart) {
  using T = TypeParam;
  using sums = tally::exact_running_sum<T, T>;
  constexpr std::size_t part = part_of_warp<sums>;
  T const large = tally::convert<T>(sizeof(T) == 8 ? 0x1p600 : 0x1p120), one = T(1.0);
  T const least = tally::from_bits<T>(1);
  std::vector<T> in(14 * part + 3);
  in[3] = tally::is_finite(large) ? large : T(0x1p15), in[part + 7] = one, in[2 * part] = least;
  in[9 * part] = minus(in[3]), in[10 * part + 1] = minus(one);
  auto const want = scan_on_host(sums{}, in, {});
  for (unsigned blocks : {1, 3, 5}) {
    test_call call(1);
    scan_kind<T> const how{.warps = 1, .blocks = blocks};
    expect_same(scan_on_device(sums{}, in, call, how), want, std::to_string(blocks) + " blocks");
  }
}

TYPED_TEST(exact_scans_on_a_device, stay_special_from_the_middle_on) {
  using T = TypeParam;
  T const specials[] = {tally::quiet_nan<T>(), tally::infinity<T>(false), tally::infinity<T>(true)};
  for (std::size_t at : {0, 700, 1279, 1280, 2000})
    for (T const x : specials) {
      auto in = values<T>(kind::wide, 2600);
      in[at] = x;
      expect_exact(in, "a special at " + std::to_string(at));
      in[2100] = tally::infinity<T>(true);
      expect_exact(in, "and an infinity after one at " + std::to_string(at));
    }
}

// Half-way, and above or below only by an element in the same part as the others, in a later tile
// of such elements alone, or beside one that takes away what is left of the sum: where that is down
// to even, and where it is up.
TYPED_TEST(exact_scans_on_a_device, see_on_which_side_of_a_tie_they_are) {
  using T = TypeParam;
  constexpr int precision = tally::format<T>::precision;
  auto const power = [](int e) { return tally::convert<T>(std::ldexp(1.0, e)); };
  T const zero{}, least = tally::from_bits<T>(1);
  std::size_t const part = part_of_warp<tally::exact_running_sum<T, T>>, later = 2 * part;
  for (double odd : {1.0, 3.0}) {
    std::vector<T> start(later + 300, zero);
    start[0] = power(precision), start[1] = tally::convert<T>(odd);
    for (std::size_t at : {std::size_t(2), later + 100})
      for (T const x : {least, power(precision - 60), power(precision - 80)})
        for (T const tiny : {x, minus(x)}) {
          if (tally::to_bits(x) == 0) continue;
          auto in = start;
          in[at] = tiny;
          expect_exact(in, "alone at " + std::to_string(at));
        }
    auto in = start;
    T const left = power(precision - 92);
    in.resize(later + part + 30, zero);
    in[2] = left;  // and in a last lane, behind which nobody has to look at these two
    in[later + part - 2] = minus(power(precision - 173)), in[later + part - 1] = minus(left);
    expect_exact(in, "beside one");
  }
}

// Two elements so far apart that their limbs are full, or lack room for a bit: when the upper bits
// have cancelled, the lowest one is left.
template <class T>
void expect_full_limbs(int limbs) {
  using f = tally::format<T>;
  std::size_t const part = part_of_warp<tally::exact_running_sum<T, T>>;
  for (int more : {0, 1}) {
    int const bits = 41 * limbs + more, bottom = -bits / 2, top = bottom + bits;
    auto const power = [](int e) { return tally::convert<T>(std::ldexp(1.0, e)); };
    T const unit = tally::from_bits<T>(tally::to_bits(power(bottom + f::precision - 1)) | 1);
    std::vector<T> in(part + 40, T{});
    in[0] = power(top - 1), in[1] = unit;
    in[32] = minus(in[0]), in[part + 2] = minus(power(bottom + f::precision - 1));
    expect_exact(in, std::to_string(limbs) + " limbs and " + std::to_string(more));
  }
}
template <class T>
void expect_patterns(std::vector<std::size_t> const& sizes) {
  using sums = tally::exact_running_sum<T, T>;
  test_call call(9);
  std::mt19937_64 random(48);
  for (auto const& p : patterns)
    for (std::size_t n : sizes) {
      std::vector<T> in(n);
      for (std::size_t i = 0; i < n; ++i) in[i] = tally::convert<T>(p.at(i, random()));
      scan_kind<T> how;
      if (n < 20000) how.warps = n % 2 ? 1 : 3, how.blocks = 3;
      expect_same(scan_on_device(sums{}, in, call, how), scan_on_host(sums{}, in, how),
                  std::string(p.name) + ", " + std::to_string(n));
    }
}

#if __has_include("simt/machine.hpp")
TYPED_TEST(exact_scans_on_a_device, of_hard_patterns) {
  expect_patterns<TypeParam>({3, 129, 3001, 7168});
}
#else
TYPED_TEST(exact_scans_on_a_device, of_hard_patterns) {
  expect_patterns<TypeParam>({1,     2,     3,     31,    33,     127,          128,
                              129,   895,   896,   897,   1000,   7167,         7168,
                              12543, 12544, 12545, 14336, 100003, (1 << 20) + 5});
}
#endif

TEST(exact_scans_on_a_device_of_floats, keep_the_last_bit_of_full_limbs) {
  for (int limbs : {1, 5}) expect_full_limbs<float>(limbs);
}
TEST(exact_scans_on_a_device_of_doubles, keep_the_last_bit_of_full_limbs) {
  for (int limbs : {2, 3}) expect_full_limbs<double>(limbs);
}

// Between the highest place that limbs have and the largest double.
TEST(exact_scans_on_a_device_of_doubles, reach_above_the_highest_limb) {
  for (int exponent : {971, 972, 990, 1012}) {
    std::vector<double> in(700);
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = std::ldexp(1 + double(i) * 0x1p-52, exponent - 1);
    expect_exact(in, "2^" + std::to_string(exponent));
  }
}

// Of what a scan has left where the next one publishes, nothing is taken for a total: here digits
// of the first tile's total make the next epoch, where the next scan's sixth tile will be.
TEST(exact_scans_on_a_device_of_floats, leave_no_totals_to_others) {
  for (int order = 0; order < schedule::orders; ++order)
    for (std::uint64_t seed : {1, 2, 3}) {
      schedule const by(seed, 4, order);
      test_call call(4, 0, true);
      using exact = tally::exact_running_sum<float, float>;
      using integers = decltype(tally::sum{}.scanning<int, int>());
      scan_kind<float> how;
      how.warps = 1, how.blocks = 2;
      std::vector<float> in(4 * part_of_warp<exact>);
      in[0] = 0x1p108f, in[1] = 0x1p-52f, in[2] = 0x1p-149f;
      expect_same(scan_on_device(exact{}, in, call, how), scan_on_host(exact{}, in, how), "exact");
      scan_kind<int> then;
      then.warps = 1, then.blocks = 4;
      std::vector<int> const ones(20 * part_of_warp<integers>, 1);
      expect_same(scan_on_device(integers{}, ones, call, then),
                  scan_on_host(integers{}, ones, then), "then");
    }
}

}  // namespace
