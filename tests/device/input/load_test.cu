// SPDX-License-Identifier: Apache-2.0
#include "tally/device/input/load.cuh"

#include "support/device_reduce.cuh"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/product.hpp"
#include "tally/device/reduce/agent/describe.cuh"
#include "tally/device/reduce/agent/dot.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/transform.hpp"
#include "tally/zip.hpp"

namespace {

using namespace support;
using namespace tally;

// Small whole numbers, of which no sum is rounded, none of them 0.
template <class T>
std::vector<T> small_numbers(std::size_t n) {
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    int const x = int(i * 37 % 11) + 1;
    if constexpr (floating<T>)
      out[i] = convert<T>(double(x));
    else
      out[i] = T(x);
  }
  return out;
}

// Element by element, from the left.
template <class A>
typename A::result fold(A const& a, std::vector<typename A::element> const& in) {
  auto s = a.identity();
  for (std::size_t i = 0; i < in.size(); ++i) s = a.combine(s, a.lift(in[i], i));
  return a.lower(s);
}

// At every address of a vector, with every number of elements behind the last one; memory ends with
// the last one, or others follow.
template <class T, class... Op>
void expect_no_others(int behind, Op const&... op) {
  test_call call(1);
  constexpr int each = device::vector_size<T>;
  for (int offset = 0; offset < each; ++offset)
    for (std::size_t const n :
         {std::size_t(each - 1 - offset % 2), std::size_t(3 * each - offset / 2),
          std::size_t(1024 * each + offset * 3)}) {
      if (n == 0 || (n > 1000 && offset % 3 != 0)) continue;
      auto const in = small_numbers<T>(n);
      auto const one = [&](auto const& a) {
        auto const got = run_on_device(a, in, call, propagate, offset, behind).result;
        auto const want = fold(a, in);
        EXPECT_EQ(memcmp(&got, &want, sizeof want), 0)
            << typeid(a).name() << " of " << n << " elements at " << offset;
      };
      (one(op.template on<T>()), ...);
    }
}

template <class T>
void expect_no_others_of_integers(int behind) {
  expect_no_others<T>(behind, sum{}, product{}, minimum{}, arg_maximum{});
}
template <class T>
void expect_no_others_of_floats(int behind) {
  expect_no_others<T>(behind, sum{}, maximum{}, arg_minimum{}, fast_sum{}, tally::norm{});
}

TEST(arrays_on_a_device, are_read_to_the_end_of_memory_and_not_beyond) {
  expect_no_others_of_integers<std::int8_t>(0);
  expect_no_others_of_integers<std::uint16_t>(0);
  expect_no_others_of_integers<std::int64_t>(0);
  expect_no_others_of_floats<float>(0);
  expect_no_others_of_floats<double>(0);
  expect_no_others_of_floats<float16>(0);
}
TEST(arrays_on_a_device, are_read_to_their_end_and_not_beyond) {
  expect_no_others_of_integers<std::int16_t>(64);
  expect_no_others_of_integers<std::uint32_t>(64);
  expect_no_others_of_floats<float>(64);
  expect_no_others_of_floats<bfloat16>(64);
}

// Elements of other sizes than a vector can be cut into, or aligned to less than their size.
template <int Bytes, class Word>
struct words_of {
  Word word[Bytes / sizeof(Word)];
};
template <class Element>
struct sum_of_words {
  using element = Element;
  using state = std::uint64_t;
  using result = std::uint64_t;
  static constexpr bool any_order = true;
  TALLY_HD state identity() const { return 0; }
  TALLY_HD state lift(element const& x, std::uint64_t i) const {
    state s = i;
    for (auto const w : x.word) s += std::uint64_t(w) * w;
    return s;
  }
  TALLY_HD state combine(state s, state t) const { return s + t; }
  TALLY_HD result lower(state s) const { return s; }
};
template <class Element>
void expect_no_others_of_words() {
  test_call call(1);
  std::vector<std::size_t> sizes = {1, 2, 3, 4, 5, 7, 8, 31, 130, 1025};
  for (std::size_t const n : sizes)
    for (int offset = 0; offset < 5; ++offset) {
      std::vector<Element> in(n);
      for (std::size_t i = 0; i < n; ++i)
        for (auto& w : in[i].word) w = std::remove_reference_t<decltype(w)>(37 * i + 1);
      sum_of_words<Element> const a;
      EXPECT_EQ(run_on_device(a, in, call, propagate, offset).result, fold(a, in))
          << n << " of " << sizeof(Element) << " bytes at " << offset;
    }
}
TEST(arrays_on_a_device, are_read_to_the_end_of_memory_whatever_an_element_is) {
  expect_no_others_of_words<words_of<3, std::uint8_t>>();
  expect_no_others_of_words<words_of<8, std::uint8_t>>();
  expect_no_others_of_words<words_of<8, std::uint16_t>>();
  expect_no_others_of_words<words_of<8, std::uint32_t>>();
  expect_no_others_of_words<words_of<12, std::uint32_t>>();
  expect_no_others_of_words<words_of<16, std::uint16_t>>();
  expect_no_others_of_words<words_of<16, std::uint64_t>>();
  expect_no_others_of_words<words_of<24, std::uint64_t>>();
}

struct twice_and_once {
  template <class T, class U>
  TALLY_FN float operator()(zipped<T, U> const& pair) const {
    return 2 * float(pair.first) + float(pair.second);
  }
};

// Two arrays, of which either may begin anywhere, and both end with their memory.
template <class T, class U>
void expect_no_others_of_pairs() {
  test_call call(1);
  constexpr int each = std::min(device::vector_size<T>, device::vector_size<U>);
  for (int at = 0; at < device::vector_size<T>; ++at)
    for (int other_at : {0, 1, device::vector_size<U> - 1})
      for (int const n : {each, 2 * each - 1, 3 * each + at, 40 * each + 1}) {
        auto const x = small_numbers<T>(std::size_t(n));
        auto const y = small_numbers<U>(std::size_t(n + 5));
        device_array<T> const first(x.size() + at);
        device_array<U> const second(x.size() + other_at);
        put(x, first, at);
        put({y.begin() + 5, y.end()}, second, other_at);
        device_array<float> out(1);
        using pairs = zip_input<array_input<T>, array_input<U>>;
        transform_input<pairs, twice_and_once> const in{
            {{first.data() + at, std::size_t(n)}, {second.data() + other_at, std::size_t(n)}}, {}};
        detail::reduce_on_gpu(call, sum{}.on<float>(), propagate, in, out.data(), nullptr);
        float want = 0;
        for (int i = 0; i < n; ++i) want += 2 * float(x[i]) + float(y[i + 5]);
        EXPECT_EQ(out.to_host()[0], want) << n << " at " << at << " and " << other_at;
      }
}
TEST(arrays_on_a_device, are_read_to_the_end_of_memory_in_pairs) {
  expect_no_others_of_pairs<float, float>();
  expect_no_others_of_pairs<std::uint8_t, std::int16_t>();
  expect_no_others_of_pairs<double, float>();
  expect_no_others_of_pairs<std::int16_t, std::int16_t>();
}

}  // namespace
