// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/agent/plain.cuh"

#include "support/device_reduce.cuh"
#include "tally/aggregate/product.hpp"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/logic.cuh"

namespace {

using namespace support;

template <class T>
std::vector<T> numbers(std::size_t n, bool few = false) {
  std::mt19937_64 random(n);
  std::vector<T> out(n);
  for (T& x : out) x = T(few ? random() % 5 : random());
  return out;
}

// Element by element, from the left.
template <class A>
typename A::result fold(A const& a, std::vector<typename A::element> const& in,
                        tally::nan_policy nan = tally::propagate) {
  auto s = a.identity();
  for (std::size_t i = 0; i < in.size(); ++i)
    if (nan == tally::propagate || !tally::is_nan(in[i])) s = a.combine(s, a.lift(in[i], i));
  return a.lower(s);
}

template <class A>
void expect_fold(A const& a, std::vector<typename A::element> const& in, test_call& call,
                 int offset = 0, tally::nan_policy nan = tally::propagate) {
  auto const got = run_on_device(a, in, call, nan, offset).result;
  auto const want = fold(a, in, nan);
  EXPECT_EQ(memcmp(&got, &want, sizeof want), 0) << in.size() << " elements at " << offset;
}

TEST(a_reduction, tells_how_it_has_been_started) {
  test_call call(2);
  std::string text;
  call.explanation = &text;
  expect_fold(tally::integer_sum<std::int32_t>{}, numbers<std::int32_t>(1000), call);
  EXPECT_EQ(text, "tiles in any order, by 1 block of 256 threads");
  text.clear();
  expect_fold(tally::integer_sum<std::int32_t>{}, numbers<std::int32_t>(1 << 20), call);
  EXPECT_EQ(text, "tiles in any order, drawn, by 4 blocks of 512 threads, 48 bytes of scratch");
}

template <class T>
struct integers_on_a_device : ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(integers_on_a_device, integers);

TYPED_TEST(integers_on_a_device, are_right_for_every_size) {
  test_call call(2);
  for (std::size_t n : {0, 1, 15, 16, 17, 255, 4096, 16385, 65537}) {
    auto const in = numbers<TypeParam>(n);
    expect_fold(tally::integer_sum<TypeParam>{}, in, call);
    expect_fold(tally::integer_product<TypeParam>{}, in, call);
    auto const few = numbers<TypeParam>(n, true);
    expect_fold(tally::count_nonzero{}.on<TypeParam>(), few, call);
    expect_fold(tally::any_of{}.on<TypeParam>(), few, call);
    expect_fold(tally::all_of{}.on<TypeParam>(), few, call);
    auto odd = in;  // of which a product keeps all bits
    for (TypeParam& x : odd) x = TypeParam(x | 1);
    expect_fold(tally::integer_product<TypeParam>{}, odd, call);
    odd.resize(std::min<std::size_t>(n, 4097));
    expect_fold(tally::all_of{}.on<TypeParam>(), odd, call);
    if (n == 0) continue;
    expect_fold(tally::minimum{}.on<TypeParam>(), in, call);
    expect_fold(tally::maximum{}.on<TypeParam>(), in, call);
    expect_fold(tally::arg_minimum{}.on<TypeParam>(), few, call);
    expect_fold(tally::arg_maximum{}.on<TypeParam>(), few, call);
    expect_fold(tally::min_max{}.on<TypeParam>(), in, call);
  }
}

TYPED_TEST(integers_on_a_device, are_right_where_blocks_draw_their_tiles) {
  test_call call(1);
  std::size_t const tile = 512 * 64 / sizeof(TypeParam);
  for (std::size_t tiles : {48, 51, 60}) {
    auto in = numbers<TypeParam>(tiles * tile + tiles % 3, true);
    expect_fold(tally::integer_sum<TypeParam>{}, in, call);
    for (std::size_t at : {in.size() / 3, tiles / 2 * tile, in.size() - tile / 2}) {
      in[at] = TypeParam(100);
      expect_fold(tally::arg_maximum{}.on<TypeParam>(), in, call);
      expect_fold(tally::arg_maximum{}.on<TypeParam>(), in, call, 1);
      in[at] = 1;
    }
  }
}

TYPED_TEST(integers_on_a_device, are_right_at_every_address) {
  test_call call(2);
  for (int offset = 0; offset < 17; ++offset)
    for (std::size_t n : {5, 20001}) {
      auto const in = numbers<TypeParam>(n, true);
      expect_fold(tally::integer_sum<TypeParam>{}, in, call, offset);
      expect_fold(tally::arg_maximum{}.on<TypeParam>(), in, call, offset);
    }
}

// The places of all vectors of some lanes, and of all elements of a vector.
constexpr std::size_t places_of_a_tile = 1024;
TYPED_TEST(integers_on_a_device, have_the_first_of_two_extrema_at_every_place) {
  using T = TypeParam;
  test_call call(1);
  constexpr std::size_t each = 16 / sizeof(T);
  for (std::size_t vector = 0; vector < 5 * 33; vector += 33) {
    std::size_t const at = vector * each + vector % each;
    for (T const best : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()})
      for (std::size_t const apart : {1, 2, 3, int(each), int(32 * each), int(5 * each + 1)}) {
        std::vector<T> in(places_of_a_tile * each + 3, T(7));
        in[at] = in[at + apart] = best;
        expect_fold(tally::arg_minimum{}.on<T>(), in, call);
        expect_fold(tally::arg_maximum{}.on<T>(), in, call);
      }
  }
}

// The greatest and the least integer are what an extremum of no element is, too.
TYPED_TEST(integers_on_a_device, have_extrema_at_the_ends_of_their_range) {
  using T = TypeParam;
  test_call call(2);
  for (T const all : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()})
    for (std::size_t const n : {1, 100, 20001})
      for (bool const but_one : {false, true}) {
        std::vector<T> in(n, all);
        if (but_one) in[n / 2] = T(1);
        expect_fold(tally::minimum{}.on<T>(), in, call);
        expect_fold(tally::maximum{}.on<T>(), in, call);
        for (int const offset : {0, 1}) {
          expect_fold(tally::arg_minimum{}.on<T>(), in, call, offset);
          expect_fold(tally::arg_maximum{}.on<T>(), in, call, offset);
        }
        expect_fold(tally::min_max{}.on<T>(), in, call);
      }
}

template <class T>
struct floats_on_a_device : ::testing::Test {};
using floats = ::testing::Types<float, double, tally::float16, tally::bfloat16>;
TYPED_TEST_SUITE(floats_on_a_device, floats);

template <class T>
void expect_all(std::vector<T> const& in, test_call& call, tally::nan_policy nan) {
  expect_fold(tally::minimum{}.on<T>(), in, call, 0, nan);
  expect_fold(tally::maximum{}.on<T>(), in, call, 1, nan);
  expect_fold(tally::arg_minimum{}.on<T>(), in, call, 0, nan);
  expect_fold(tally::arg_maximum{}.on<T>(), in, call, 3, nan);
  expect_fold(tally::min_max{}.on<T>(), in, call, 0, nan);
  expect_fold(tally::count_nonzero{}.on<T>(), in, call, 0, nan);
  expect_fold(tally::any_of{}.on<T>(), in, call, 0, nan);
  expect_fold(tally::all_of{}.on<T>(), in, call, 0, nan);
}

TYPED_TEST(floats_on_a_device, have_the_extrema_of_the_cpu) {
  test_call call(2);
  auto const try_all = [&](kind which, std::size_t n) {
    expect_all(values<TypeParam>(which, n), call, tally::propagate);
    expect_all(values<TypeParam>(which, n), call, tally::skip);
  };
  for (kind which : kinds)
    for (std::size_t n : {1, 100}) try_all(which, n);
  // What more than one block can get wrong: extrema see the order of values, and these.
  for (kind which : {kind::any_bits, kind::zeros, kind::infinities, kind::nans})
    try_all(which, 20000);
}

TYPED_TEST(floats_on_a_device, have_the_first_of_many_equal_extrema) {
  test_call call(2);
  auto in = values<TypeParam>(kind::zeros, 40000);
  expect_all(in, call, tally::propagate);
  in[123] = in[30000] = tally::quiet_nan<TypeParam>();
  expect_all(in, call, tally::propagate);
  expect_all(in, call, tally::skip);
}

// At every place of two vectors: an extremum, whose equal comes later, and a NaN beside better
// ones.
TYPED_TEST(floats_on_a_device, have_the_first_extremum_and_nan_at_every_place) {
  using T = TypeParam;
  test_call call(1);
  constexpr std::size_t each = 16 / sizeof(T);
  T const two = tally::convert<T>(2.0), none = tally::quiet_nan<T>();
  for (std::size_t at = 0; at < 2 * each; ++at)
    for (std::size_t const later : {at + 1, at + each + 1, at + 64 * each + 3}) {
      std::vector<T> in(100 * each + 5, tally::convert<T>(1.0));
      auto const expect = [&] {
        for (auto const nan : {tally::propagate, tally::skip}) {
          expect_fold(tally::arg_maximum{}.on<T>(), in, call, 0, nan);
          expect_fold(tally::arg_minimum{}.on<T>(), in, call, 0, nan);
          expect_fold(tally::min_max{}.on<T>(), in, call, 0, nan);
        }
      };
      in[at] = in[later] = two;
      expect();
      in[at] = in[later] = none;
      expect();
      in[later] = two, in[0] = tally::convert<T>(0.5);
      expect();
    }
}

// The worst of all numbers is better than none.
TYPED_TEST(floats_on_a_device, have_infinite_extrema_beside_nan) {
  using T = TypeParam;
  test_call call(2);
  for (bool const below : {false, true}) {
    std::vector<T> in(20000, tally::quiet_nan<T>());
    in[12345] = in[12999] = tally::infinity<T>(below);
    expect_all(in, call, tally::skip);
    std::fill(in.begin(), in.end(), tally::infinity<T>(below));
    in[0] = tally::quiet_nan<T>();
    expect_all(in, call, tally::skip);
  }
}

template <class T, class... Op>
void expect_nothing(Op const&... op) {
  test_call call(2);
  for (std::size_t const n : {1, 300, 20000}) {
    std::vector<T> const nothing(n, tally::quiet_nan<T>());
    auto const one = [&](auto const& a) {
      EXPECT_FALSE(run_on_device(a, nothing, call, tally::skip).found);
      EXPECT_TRUE(run_on_device(a, nothing, call, tally::propagate).found);
    };
    (one(op.template on<T>()), ...);
  }
}

TEST(floats_on_a_device, know_that_nothing_counts) {
  expect_nothing<float>(tally::minimum{}, tally::arg_maximum{}, tally::min_max{});
  expect_nothing<double>(tally::maximum{}, tally::arg_minimum{}, tally::arg_maximum{});
  expect_nothing<tally::float16>(tally::minimum{}, tally::arg_maximum{}, tally::min_max{});
  expect_nothing<tally::bfloat16>(tally::maximum{}, tally::arg_minimum{}, tally::arg_maximum{});
}

}  // namespace
