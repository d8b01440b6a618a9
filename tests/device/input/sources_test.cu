// SPDX-License-Identifier: Apache-2.0
#include "tally/device/input/sources.cuh"

#include <algorithm>
#include <numeric>

#include "support/device_reduce.cuh"
#include "tally/aggregate/bits.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/product.hpp"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/logic.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/transform.hpp"
#include "tally/zip.hpp"

namespace {

using namespace support;

// One answer of the kernel.
template <class Op, class In>
auto on_device(Op const& op, In const& in, test_call& call,
               tally::nan_policy nan = tally::propagate) {
  auto const a = tally::detail::bind_reduce<typename In::element>(op);
  struct holder {
    typename decltype(a)::result value;
  };
  tally::device_array<holder> out(1);
  out.fill_bytes(0xa5);
  tally::detail::reduce_on_gpu(call, a, nan, in, &out.data()->value, nullptr);
  tally::check(cudaDeviceSynchronize());
  return out.to_host()[0].value;
}

template <class T>
struct placed {
  tally::device_array<T> memory;
  tally::array_input<T> input;
  placed(std::vector<T> const& in, int at) : memory(in.size() + at) {
    std::vector<T> around(in.size() + at);
    std::copy(in.begin(), in.end(), around.begin() + at);
    memory.copy_from(around);
    input = {memory.data() + at, in.size()};
  }
};

// Another type, and not zero of zero.
struct distance_from_half {
  TALLY_FN float operator()(std::uint8_t x) const { return 0.5f - float(x) / 255; }
};
struct product_of {
  TALLY_FN double operator()(tally::zipped<float, double> const& p) const {
    return double(p.first) * p.second;
  }
};
struct scaled {
  double by;
  TALLY_FN double operator()(float x) const { return by * double(x); }
};

// As the cores would have it: of an array that holds the values.
template <class Op, class T>
auto of_values(Op const& op, std::vector<T> const& x, test_call& call,
               tally::nan_policy nan = tally::propagate) {
  return on_device(op, placed(x, 0).input, call, nan);
}

TEST(inputs_on_a_device, are_computed_once_read) {
  test_call call(2);
  for (std::size_t const n : {1, 15, 16, 17, 1000, 20001})
    for (int const at : {0, 1, 7}) {
      std::vector<std::uint8_t> bytes(n);
      for (std::size_t i = 0; i < n; ++i) bytes[i] = std::uint8_t(i * 151);
      placed const in(bytes, at);
      std::vector<float> values(n);
      std::transform(bytes.begin(), bytes.end(), values.begin(), distance_from_half{});
      tally::transform_input<decltype(in.input), distance_from_half> const each{in.input, {}};
      EXPECT_EQ(on_device(tally::sum{}, each, call), of_values(tally::sum{}, values, call));
      EXPECT_EQ(on_device(tally::minimum{}, each, call),
                *std::min_element(values.begin(), values.end()));
      EXPECT_EQ(on_device(tally::arg_minimum{}, each, call),
                std::min_element(values.begin(), values.end()) - values.begin());
      EXPECT_EQ(on_device(tally::fast_sum{}, each, call),
                of_values(tally::fast_sum{}, values, call));
    }
}

TEST(inputs_on_a_device, are_pairs_of_other_sizes_wherever_they_lie) {
  test_call call(2);
  for (std::size_t const n : {1, 2, 5, 1000, 9001})
    for (int const at : {0, 1, 3}) {
      auto const x = support::values<float>(kind::wide, n, 3);
      auto const y = support::values<double>(kind::wide, n, 4);
      placed const first(x, at);
      placed const second(y, (at + 1) % 2);
      std::vector<double> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = double(x[i]) * y[i];
      using pairs = tally::zip_input<tally::array_input<float>, tally::array_input<double>>;
      tally::transform_input<pairs, product_of> const each{{first.input, second.input}, {}};
      EXPECT_EQ(on_device(tally::sum{}, each, call), of_values(tally::sum{}, values, call));
      EXPECT_EQ(on_device(tally::fast_sum{}, each, call),
                of_values(tally::fast_sum{}, values, call));
      EXPECT_EQ(on_device(tally::arg_maximum{}, each, call),
                std::max_element(values.begin(), values.end()) - values.begin());
    }
}

TEST(inputs_on_a_device, have_what_functions_return_skipped_where_it_is_nan) {
  test_call call(2);
  auto x = support::values<float>(kind::normal, 5003);
  for (std::size_t i = 0; i < x.size(); i += 7) x[i] = tally::quiet_nan<float>();
  std::vector<double> values(x.size());
  std::transform(x.begin(), x.end(), values.begin(), scaled{3});
  placed const in(x, 1);
  tally::transform_input<decltype(in.input), scaled> const each{in.input, {3}};
  for (auto const nan : {tally::propagate, tally::skip}) {
    auto const same = [&](auto op) {
      auto const got = on_device(op, each, call, nan), want = of_values(op, values, call, nan);
      EXPECT_EQ(tally::to_bits(got), tally::to_bits(want));
    };
    same(tally::sum{});
    same(tally::maximum{});
    same(tally::fast_sum{});
  }
}

// An element of 8 bytes that need be aligned to 4 only, and an aggregate of one's own.
struct couple {
  std::int32_t a, b;
};
struct difference {
  using element = couple;
  using state = std::int64_t;
  using result = std::int64_t;
  static constexpr bool any_order = true;
  TALLY_HD state identity() const { return 0; }
  TALLY_HD state lift(couple c, std::uint64_t) const { return std::int64_t(c.a) - c.b; }
  TALLY_HD state combine(state s, state t) const { return s + t; }
  TALLY_HD result lower(state s) const { return s; }
};

TEST(inputs_on_a_device, may_be_elements_that_no_vector_is_aligned_to) {
  test_call call(2);
  for (std::size_t const n : {1, 2, 3, 4, 5, 1000, 10001})
    for (int const at : {0, 1, 2, 3}) {
      std::vector<std::int32_t> halves(2 * n + at);
      std::iota(halves.begin(), halves.end(), -70);
      for (std::size_t i = 0; i < halves.size(); i += 3) halves[i] *= 1001;
      tally::device_array<std::int32_t> const memory(halves);
      auto const* const data = reinterpret_cast<couple const*>(memory.data() + at);
      std::int64_t want = 0;
      for (std::size_t i = 0; i < n; ++i) want += halves[2 * i + at] - halves[2 * i + 1 + at];
      EXPECT_EQ(on_device(difference{}, tally::array_input<couple>{data, n}, call), want);
    }
}

// All above zero, all below, all zero where the function of zero is not, and the other way round:
// a zero, or its value, in place of what there is not would be seen.
struct above_zero {
  TALLY_FN float operator()(std::uint8_t x) const { return 3 + float(x); }
};
struct below_zero {
  TALLY_FN float operator()(std::uint8_t x) const { return -3 - float(x); }
};
struct is_zero {
  TALLY_FN std::int32_t operator()(std::uint8_t x) const { return x == 0; }
};
struct some_bits {
  TALLY_FN std::uint16_t operator()(std::uint8_t x) const { return std::uint16_t(x | 0x700); }
};
struct odd_number {
  TALLY_FN std::int64_t operator()(std::uint8_t x) const { return 2 * x + 3; }
};
struct difference_of_thirds {
  TALLY_FN float operator()(float a, float b) const { return a * 0.75f - b / 3; }
};

using array_input_of_bytes = tally::array_input<std::uint8_t>;
template <class F, class... Op>
void expect_as_of_values(array_input_of_bytes const& in, std::vector<std::uint8_t> const& bytes,
                         test_call& call, Op const&... op) {
  using value = std::remove_cvref_t<std::invoke_result_t<F const&, std::uint8_t>>;
  std::vector<value> values(bytes.size());
  std::transform(bytes.begin(), bytes.end(), values.begin(), F{});
  tally::transform_input<array_input_of_bytes, F> const each{in, {}};
  auto const one = [&](auto const& op) {
    auto const a = tally::detail::bind_reduce<value>(op);
    auto s = a.identity();
    for (std::size_t i = 0; i < values.size(); ++i) s = a.combine(s, a.lift(values[i], i));
    auto const got = on_device(op, each, call), want = a.lower(s);
    EXPECT_EQ(memcmp(&got, &want, sizeof want), 0)
        << typeid(F).name() << ", " << typeid(op).name() << " of " << bytes.size();
  };
  (one(op), ...);
}

TEST(inputs_on_a_device, have_nothing_in_place_of_what_there_is_not) {
  test_call call(2);
  for (std::size_t const n : {1, 15, 17, 33, 600, 513 * 16 + 5, 1029 * 16, 3 * 16384 + 70})
    for (int const at : {0, 5}) {
      std::vector<std::uint8_t> bytes(n);
      for (std::size_t i = 0; i < n; ++i) bytes[i] = std::uint8_t(1 + i * 151 % 255);
      placed const in(bytes, at);
      using namespace tally;
      expect_as_of_values<above_zero>(in.input, bytes, call, minimum{}, arg_minimum{}, min_max{},
                                      all_of{}, count_nonzero{}, sum{});
      expect_as_of_values<below_zero>(in.input, bytes, call, maximum{}, arg_maximum{}, min_max{},
                                      all_of{});
      expect_as_of_values<is_zero>(in.input, bytes, call, any_of{}, maximum{}, sum{});
      expect_as_of_values<some_bits>(in.input, bytes, call, minimum{}, bit_and{}, bit_or{},
                                     bit_xor{});
      expect_as_of_values<odd_number>(in.input, bytes, call, product{}, minimum{}, sum{});
      std::vector<float> values(n);
      std::transform(bytes.begin(), bytes.end(), values.begin(), above_zero{});
      tally::transform_input<array_input_of_bytes, above_zero> const each{in.input, {}};
      using operation = tally::operation<float, difference_of_thirds>;
      EXPECT_EQ(on_device(operation{}, each, call), of_values(operation{}, values, call)) << n;
    }
}

}  // namespace
