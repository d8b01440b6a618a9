// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/round.cuh"

#include <random>

#include "support/device_reduce.cuh"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"

namespace {

using namespace support;
using namespace tally;

// What a block makes of totals that are these digits, case after case.
template <class Agent>
__global__ void finish_all(Agent const agent, std::int64_t const* digits,
                           std::uint64_t const* counts, int cases, typename Agent::result* out) {
  __shared__ typename Agent::shared s;
  typename Agent::accumulator acc;
  auto const put = [&](auto& to, std::int64_t const* from) {
    for (int i = int(threadIdx.x); i < to.halves / 2; i += int(blockDim.x)) {
      to.half[2 * i] = int(from[i] & 0xffff);
      to.half[2 * i + 1] = int(from[i] >> 16);
    }
    return from + to.halves / 2;
  };
  for (int c = 0; c < cases; ++c) {
    s.sum.clear();
    __syncthreads();
    digits = put(s.sum.digits, digits);
    if constexpr (requires { s.absent; }) {
      if constexpr (requires { s.squares.half; }) digits = put(s.squares, digits);
      if (threadIdx.x == 0) s.absent = 0;
    }
    __syncthreads();
    agent.finish(acc, s, counts[c], out + c);
    __syncthreads();
  }
}

// Totals, and what they are rounded to.
template <class Result>
struct finishing {
  std::vector<std::int64_t> digits;
  std::vector<std::uint64_t> counts;
  std::vector<Result> want;

  template <class A>
  void expect(A const& a) const {
    auto const agent = device::make_agent(a, false);
    device_array<std::int64_t> const in(digits);
    device_array<std::uint64_t> const n(counts);
    device_array<Result> out(want.size());
    launch(finish_all<std::remove_const_t<decltype(agent)>>, 1, warp_size)(
        agent, in.data(), n.data(), int(want.size()), out.data());
    auto const got = out.to_host();
    int wrong = 0;
    for (std::size_t i = 0; i < want.size() && wrong < 5; ++i)
      if (to_bits(got[i]) != to_bits(want[i])) {
        ADD_FAILURE() << "case " << i << ": " << bits_text(got[i]) << ", not "
                      << bits_text(want[i]);
        ++wrong;
      }
  }
};

// Adds a zero: digits that cancel, up to 2^14 carries at once, in [low, high].
template <class Number>
void add_carries(Number& x, int low, int high, std::mt19937_64& random) {
  for (int i = low; i < high; ++i) {
    auto const carries = std::int64_t(random() >> random() % 16 >> 50) - (1 << 13);
    x.digit[i] += carries * (std::int64_t(1) << 32);
    x.digit[i + 1] -= carries;
  }
}

// The highest digit becomes carries out of the one below it, where these are not too many.
template <class Number>
void put_top_below(Number& x) {
  int top = Number::digits - 1;
  while (top > 1 && x.digit[top] == 0) --top;
  if (std::abs(x.digit[top]) >> 14) return;
  x.digit[top - 1] += x.digit[top] * (std::int64_t(1) << 32);
  x.digit[top] = 0;
}

template <class Number>
void add_bit(Number& x, bool negative, int exponent) {
  if (exponent >= Number::lsb) x.add(negative, 1, exponent);
}

// How far below there may be something.
constexpr int gaps[] = {54,  55,  60,  63,  64,  65,  70,  85,  90,  95,  96,  97,
                        100, 103, 104, 105, 106, 107, 108, 110, 127, 128, 129, 150,
                        160, 190, 191, 192, 193, 199, 200, 201, 207, 208, 215, 223,
                        224, 225, 240, 255, 256, 257, 288, 300, 400, 512, 700, 1000};

// Half way between two results of R, the lower of which is even or odd, and something far below.
template <class A, class Number, class R>
void expect_ties(A const& a, std::vector<int> const& tops) {
  std::mt19937_64 random(7);
  finishing<R> cases;
  auto const add_case = [&](Number const& x) {
    cases.want.push_back(x.template round<R>());
    cases.digits.insert(cases.digits.end(), std::begin(x.digit), std::end(x.digit));
    cases.counts.push_back(1);
  };
  for (int const top : tops)
    for (int const gap : gaps) {
      auto const draw = unsigned(random() >> 20);
      bool const negative = draw & 1, below = draw & 2, odd = draw & 4, nothing = (draw & 56) < 16;
      Number x;
      add_bit(x, negative, top);
      add_bit(x, negative, top - format<R>::precision);
      if (odd) add_bit(x, negative, top - format<R>::precision + 1);
      if (!nothing) add_bit(x, below, top - gap);
      if (draw & 64) {
        x.carry();
        int const from = (std::max(top - gap, Number::lsb) - Number::lsb) / 32;
        add_carries(x, from, std::min((top - Number::lsb) / 32 + 2, Number::digits - 1), random);
      }
      if (draw & 128) put_top_below(x);
      add_case(x);
    }
  cases.expect(a);
}

std::vector<int> range(int first, int last, int step = 1) {
  std::vector<int> out;
  for (int i = first; i <= last; i += step) out.push_back(i);
  return out;
}

TEST(rounded_sums, see_what_is_far_below_half_way_between_two_doubles) {
  using number = detail::sum_digits<double>;
  expect_ties<exact_sum<double>, number, double>({}, range(0, 31));
}
// Digits that are not zero, of a number that is.
TEST(rounded_sums, may_be_nothing_but_carries) {
  using number = detail::sum_digits<double>;
  finishing<double> cases;
  for (int const length : {1, 2, 3, 4, 5, 9, 40})
    for (int const sign : {1, -1}) {
      number x;
      for (int i = 0; i < length; ++i) {
        x.digit[3 + i] += sign * (std::int64_t(1) << 32);
        x.digit[4 + i] -= sign;
      }
      cases.want.push_back(0);
      cases.digits.insert(cases.digits.end(), std::begin(x.digit), std::end(x.digit));
      cases.counts.push_back(1);
    }
  cases.expect(exact_sum<double>{});
}
TEST(rounded_sums, are_right_where_doubles_begin_and_end) {
  using number = detail::sum_digits<double>;
  expect_ties<exact_sum<double>, number, double>({}, {-1074, -1073, -1023, -1022, -1021, -1000});
  expect_ties<exact_sum<double>, number, double>({}, {1022, 1023, 1024, 1030});
}
TEST(rounded_sums, see_what_is_far_below_half_way_between_two_floats) {
  expect_ties<exact_sum<float>, detail::sum_digits<float>, float>({}, range(90, 121, 3));
  expect_ties<exact_sum<float>, detail::sum_digits<float>, float>({}, {-149, -126, 126, 127, 128});
  using wide = detail::sum_digits<double>;
  expect_ties<exact_sum<double, float>, wide, float>({}, range(0, 31, 5));
  expect_ties<exact_sum<double, float>, wide, float>(
      {}, {-152, -151, -150, -149, -148, -140, -127, -126, -125, 126, 127, 128});
  expect_ties<exact_sum<float, double>, detail::sum_digits<float>, double>({}, range(60, 90, 7));
}
TEST(rounded_sums, see_what_is_far_below_half_way_between_two_small_floats) {
  expect_ties<exact_sum<float16>, detail::sum_digits<float16>, float16>({}, range(-24, 17));
  using number = detail::sum_digits<bfloat16>;
  expect_ties<exact_sum<bfloat16>, number, bfloat16>({}, range(95, 128, 3));
  expect_ties<exact_sum<bfloat16>, number, bfloat16>({}, range(-133, -120));
}

// All of a number that is half way is carried out of the digits, or cancels there.
TEST(rounded_sums, may_be_above_all_digits) {
  using number = detail::sum_digits<bfloat16>;
  std::mt19937_64 random(3);
  finishing<bfloat16> cases;
  for (int high = 4; high < number::digits - 1; ++high)
    for (int size : {4, high})
      for (std::int64_t const odd : {257, 259, 383, -257, -259, -509}) {
        number x;
        x.digit[high - 1] = odd * (std::int64_t(1) << 32);
        add_carries(x, high - size, high - 1, random);
        cases.digits.insert(cases.digits.end(), std::begin(x.digit), std::end(x.digit));
        cases.want.push_back(x.round<bfloat16>());
        cases.counts.push_back(1);
      }
  cases.expect(exact_sum<bfloat16>{});
}

// Means, and what is made of squares, of a few elements: totals as a device would have them.
template <class A>
struct few_elements {
  using T = typename A::element;
  using R = typename A::result;
  A a;
  finishing<R> cases;
  std::mt19937_64 random{11};

  explicit few_elements(A const& a) : a(a) {}
  static constexpr bool squares = requires(typename A::parts::state s) { s.squares.finite; };

  // The elements `times` times each.
  void add(std::vector<T> const& x, std::uint64_t times = 1) {
    typename A::parts::state s;
    for (T const element : x) s.add(element);
    s.count = x.size() * times;
    auto const put = [&](auto finite) {
      for (auto& digit : finite.digit) digit *= std::int64_t(times);
      int high = finite.digits - 1;
      while (high > 0 && finite.digit[high] == 0) --high;
      if (random() % 2)
        add_carries(finite, std::max(high - 5, 0), std::min(high + 1, finite.digits - 1), random);
      cases.digits.insert(cases.digits.end(), std::begin(finite.digit), std::end(finite.digit));
      return finite;
    };
    s.sum.finite = put(s.sum.finite);
    if constexpr (squares) s.squares.finite = put(s.squares.finite);
    cases.counts.push_back(s.count);
    cases.want.push_back(a.lower(s));
  }
  ~few_elements() { cases.expect(a); }
};

// Something `gap` binades below 1, if T has that, or nothing.
template <class T>
T below(int gap, bool negative) {
  if (gap > format<T>::bias + format<T>::precision - 2) return T{};
  return convert<T>(negative ? -std::ldexp(1.0, -gap) : std::ldexp(1.0, -gap));
}
template <class T>
T negated(T x) {
  return from_bits<T>(bits_of<T>(to_bits(x) ^ format<T>::sign));
}
template <class T>
T scaled(std::uint64_t x, int exponent) {
  return convert<T>(std::ldexp(double(x), exponent));
}

// Gaps around those of two doubles, and some others.
std::vector<int> const far = [] {
  auto out = range(90, 120);
  for (int gap : {30, 45, 60, 75, 130, 149, 180, 196, 215, 240, 300, 500}) out.push_back(gap);
  return out;
}();

template <class T>
std::uint64_t drawn(std::mt19937_64& random, std::uint64_t low, std::uint64_t high) {
  return (low + random() % (high - low)) | 1;
}

// n equal elements m * 2^e, the last of which is half way, in two parts, and something below.
template <class T>
void expect_means() {
  constexpr int p = format<T>::precision, least = format<T>::lowest;
  few_elements of(mean{}.on<T>());
  auto& random = of.random;
  for (int const gap : far)
    for (std::uint64_t const n : {2, 3, 5, 7, 12, 1000}) {
      bool const negative = random() % 2;
      auto const m = drawn<T>(random, (std::uint64_t(1) << p) / n, (std::uint64_t(1) << p) / n * 2);
      // n elements: (m * n + tiny) / n, where m * n has the bits of a tie and one for n.
      std::vector<T> x(n);
      std::uint64_t const tie = std::uint64_t(1) << p | (random() & format<T>::fraction) | 1;
      std::uint64_t rest = tie * n;  // cut into elements
      for (std::size_t i = 0; i + 1 < n && rest != 0; ++i) {
        int const width = 64 - std::min(64, leading_zeros(rest));
        std::uint64_t const part = width <= p ? rest : rest >> (width - p) << (width - p);
        x[i] = scaled<T>(part, -p - 1);
        rest -= part;
      }
      if (rest != 0 || !is_finite(x[0])) continue;
      x[n - 1] = below<T>(gap, negative);
      if (m % 2)
        for (T& element : x) element = negated(element);
      of.add(x);
    }
  // Results below all normal ones.
  for (std::uint64_t units = 1; units < 40; ++units)
    for (std::uint64_t const n : {2, 3, 4, 6})
      of.add({scaled<T>(units, least), T{}, T{}, T{}, T{}, T{}}, n == 2 ? 1 : n);
  for (int i = 0; i < 30; ++i) {
    auto const unit = bits_of<T>(1) << (p - 1);
    of.add({from_bits<T>(bits_of<T>(unit + 15 - i)), from_bits<T>(bits_of<T>(unit)),
            from_bits<T>(bits_of<T>(2 * unit + i))});
  }
}
TEST(rounded_means, see_what_is_far_below_half_way) {
  expect_means<double>();
  expect_means<float>();
  expect_means<float16>();
  expect_means<bfloat16>();
}

// An odd number whose square is half way between two results.
template <class T>
std::uint64_t root_of_a_tie(std::mt19937_64& random) {
  constexpr int p = format<T>::precision;
  auto const low = std::uint64_t(std::ceil(std::sqrt(std::ldexp(1.0, p))));
  return drawn<T>(random, low, std::uint64_t(std::sqrt(std::ldexp(1.0, p + 1))) - 1);
}
// One of which the third and fourth part of 5 times it are elements, and 5 times it is half way.
template <class T>
std::uint64_t fifth_of_a_tie(std::mt19937_64& random) {
  auto const tie = std::uint64_t(1) << format<T>::precision;
  return drawn<T>(random, tie / 5 + 1, tie / 3 - 1);
}

template <class T>
void expect_squares() {
  constexpr int p = format<T>::precision;
  few_elements squares(sum_of_squares{}.on<T>());
  few_elements norms(tally::norm{}.on<T>());
  few_elements variances(variance{}.on<T>()), others(variance{1}.on<T>());
  few_elements deviations(standard_deviation{}.on<T>());
  auto& random = squares.random;
  int const shift = p / 2 - 2;  // elements of about this many bits
  for (int const gap : far)
    for (int trial = 0; trial < 2; ++trial) {
      auto const root = scaled<T>(root_of_a_tie<T>(random), -shift);
      squares.add({root, below<T>(gap / 2, false), below<T>(gap - gap / 2, true)});
      auto const fifth = fifth_of_a_tie<T>(random);
      norms.add({scaled<T>(3 * fifth, -p), below<T>(gap / 2, trial & 1), scaled<T>(4 * fifth, -p)});
      variances.add({root, below<T>(gap, trial & 1)}, trial ? 7 : 1);
      others.add({root, below<T>(gap, trial & 1)}, trial ? 1000 : 1);
      // Twice a deviation of p + 1 bits.
      auto const even =
          scaled<T>(std::uint64_t(1) << (p - 1) | (random() & format<T>::fraction), 1);
      auto const one = trial & 1 ? scaled<T>(1, 0) : scaled<T>((1ull << gap % p) + 1, -(gap % p));
      deviations.add({even, negated(one)}, gap);
    }
}

// Of elements whose sum is nothing, or little: (a + b) / 2, (a - b) / 2.
template <class T>
void expect_little_sums() {
  constexpr int p = format<T>::precision;
  few_elements variances(variance{}.on<T>());
  for (int const gap : far) {
    auto const root = scaled<T>(root_of_a_tie<T>(variances.random), -p / 2);
    auto const tiny = below<T>(gap / 2, false);
    variances.add({root, tiny, negated(root), negated(tiny)});
  }
  for (int at = 0; at < 32; ++at)
    for (int bits = 2; bits < p / 2; bits += 2) {
      auto const root = root_of_a_tie<T>(variances.random) << bits;
      int const exponent = at - bits - p / 2;
      variances.add({scaled<T>(root + 1, exponent), negated(scaled<T>(root - 1, exponent))});
    }
}
TEST(rounded_squares, see_what_little_a_sum_takes_from_a_tie) {
  expect_little_sums<double>();
  expect_little_sums<float>();
}

TEST(rounded_squares, see_what_is_far_below_half_way) {
  expect_squares<double>();
  expect_squares<float>();
  expect_squares<float16>();
  expect_squares<bfloat16>();
}

// By kernels: of elements that no block has all of, with some beside them that cancel, many or
// few, so that blocks tell one another few words or many.
TEST(rounded_answers, see_what_is_far_below_half_way_in_another_block) {
  test_call call(2);
  constexpr std::size_t tile = 2048;  // of doubles, a block's
  for (int const gap : {54, 96, 107, 200, 700})
    for (int const many : {0, 20}) {
      std::vector<double> x(3 * tile + 1);
      bool const negative = gap % 4 == 0;
      int const at = gap % 32;
      x[10] = std::ldexp(1.0, at);
      x[tile + 20] = std::ldexp(1.0, at - 53);
      x[2 * tile + 30] = std::ldexp(negative ? -1.0 : 1.0, at - gap);
      for (int i = 0; i < many; ++i) {
        x[tile + 100 * i] += std::ldexp(1.0, at + 200 - 40 * i);
        x[2 * tile + 100 * i] -= std::ldexp(1.0, at + 200 - 40 * i);
      }
      exact_state<double> want;
      for (double const e : x) want.add(e);
      EXPECT_EQ(run_on_device(sum{}.on<double>(), x, call).result, want.result()) << gap;
      EXPECT_EQ(run_on_device(sum{}.as<float>().on<double>(), x, call).result, want.result<float>())
          << gap;
      moments<double, false>::state s{want, x.size(), {}};
      EXPECT_EQ(run_on_device(mean{}.on<double>(), x, call).result, mean{}.on<double>().lower(s))
          << gap;
    }
}

}  // namespace
