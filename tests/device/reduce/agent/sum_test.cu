// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/agent/sum.cuh"

#include "support/device_reduce.cuh"

namespace {

using namespace support;

template <class T>
struct exact_sums_on_a_device : ::testing::Test {};
using floats = ::testing::Types<float, double, tally::float16, tally::bfloat16>;
TYPED_TEST_SUITE(exact_sums_on_a_device, floats);

template <class T>
T exact(std::vector<T> const& in, tally::nan_policy nan) {
  tally::exact_state<T> s;
  for (T const x : in)
    if (nan == tally::propagate || !tally::is_nan(x)) s.add(x);
  return s.template result<T>();
}

template <class T>
void expect_exact(kind which, std::size_t n, test_call& call, int offset = 0,
                  tally::nan_policy nan = tally::propagate) {
  auto const in = values<T>(which, n, unsigned(n));
  auto const got = run_on_device(tally::exact_sum<T>{}, in, call, nan, offset);
  EXPECT_EQ(bits_text(got.result), bits_text(exact(in, nan)))
      << "kind " << int(which) << ", n = " << n << ", offset " << offset;
  EXPECT_TRUE(got.found);
}

TYPED_TEST(exact_sums_on_a_device, are_right_for_every_kind_of_value) {
  test_call call(2);
  for (kind which : kinds)
    for (std::size_t n : {1, 33, 1000, 9001, 20000}) expect_exact<TypeParam>(which, n, call);
}

TYPED_TEST(exact_sums_on_a_device, are_right_for_every_size) {
  test_call call(3);
  for (std::size_t n : {0,    1,    2,    7,    8,    9,    31,   32,   33,   255,   256,  257,
                        1023, 1024, 1025, 4095, 4096, 4097, 8191, 8192, 8193, 16385, 65537})
    expect_exact<TypeParam>(kind::normal, n, call);
}

TYPED_TEST(exact_sums_on_a_device, are_right_at_every_address) {
  test_call call(2);
  for (int offset = 0; offset < 17; ++offset)
    for (std::size_t n : {3, 40, 9003}) expect_exact<TypeParam>(kind::wide, n, call, offset);
}

TYPED_TEST(exact_sums_on_a_device, can_skip_nan) {
  test_call call(2);
  for (std::size_t n : {1, 8, 500, 20000})
    expect_exact<TypeParam>(kind::nans, n, call, 1, tally::skip);
}

TYPED_TEST(exact_sums_on_a_device, do_not_depend_on_the_grid) {
  for (int multiprocessors : {1, 2, 5}) {
    test_call call(multiprocessors);
    for (kind which : {kind::any_bits, kind::wide}) expect_exact<TypeParam>(which, 50000, call);
  }
}

// Values that are not finite are in the counts alone.
TYPED_TEST(exact_sums_on_a_device, come_as_states_of_the_same_bytes) {
  test_call call(2);
  tally::exact_sum_state<TypeParam> const a;
  for (kind which : kinds)
    for (std::size_t n : {0, 1, 300, 20000})
      for (auto const nan : {tally::propagate, tally::skip}) {
        auto const in = values<TypeParam>(which, n);
        auto want = a.identity();
        for (TypeParam const x : in)
          if (nan == tally::propagate || !tally::is_nan(x)) want.add(x);
        auto const got = run_on_device(a, in, call, nan, 1).result;
        EXPECT_EQ(bytes_of(a, got), bytes_of(a, want)) << "kind " << int(which) << ", n = " << n;
      }
}

// Elements that are close together, but for one in `distance`.
template <class T>
std::vector<T> with_outliers(std::size_t n, std::size_t distance) {
  auto out = values<T>(kind::normal, n);
  auto const others = values<T>(kind::any_bits, n);
  for (std::size_t i = distance / 2; i < n; i += distance) out[i] = others[i];
  return out;
}

TYPED_TEST(exact_sums_on_a_device, are_right_where_few_elements_lie_apart) {
  test_call call(2);
  for (std::size_t distance : {3, 20, 501, 5003})
    for (std::size_t n : {1000, 40000}) {
      auto const in = with_outliers<TypeParam>(n, distance);
      EXPECT_EQ(bits_text(run_on_device(tally::exact_sum<TypeParam>{}, in, call).result),
                bits_text(exact(in, tally::propagate)))
          << "one in " << distance << " of " << n;
    }
}

TEST(exact_sums_on_a_device, go_on_when_the_epoch_wraps) {
  test_call call(2, ~std::uint32_t(0) - 2, true);
  for (int i = 0; i < 5; ++i) expect_exact<float>(kind::normal, 20000 + i, call);
  EXPECT_LT(call.epoch(), 5u);
}

TEST(exact_sums_on_a_device, do_not_meet_old_totals_after_the_epoch_wrapped) {
  test_call call(5, 0, true);
  expect_exact<float>(kind::normal, 50000, call);  // many words of epoch 1
  call.set_epoch(~std::uint32_t(0) - 1);
  call.set_multiprocessors(1);
  expect_exact<float>(kind::normal, 20000, call);  // few words of the last epoch
  EXPECT_EQ(call.epoch(), 0u);
  call.set_multiprocessors(5);
  expect_exact<float>(kind::uniform, 50000, call);  // epoch 1 again
}

}  // namespace
