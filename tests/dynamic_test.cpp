// SPDX-License-Identifier: Apache-2.0
#include "tally/dynamic.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "support/failure_of.hpp"
#include "support/host_gpu.hpp"
#include "support/missing.hpp"
#include "tally/compiled.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/tally.hpp"
#include "tally/top_k.hpp"

namespace {

using namespace tally;
using support::failure_of;

constexpr std::size_t n = 1500;

// Small numbers, and in every seventh a NaN where there is one.
template <element T>
T value_of(std::mt19937& random, std::size_t i) {
  auto const small = int(random() % 7);
  if constexpr (floating<T>)
    return i % 7 == 3 ? quiet_nan<T>() : convert<T>(double(small) - 2.5);
  else
    return T(small);
}
template <element T>
std::unique_ptr<T[]> values(unsigned seed) {
  std::mt19937 random(seed);
  auto x = std::make_unique<T[]>(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = value_of<T>(random, i);
  return x;
}

template <class R>
std::vector<any_number> numbers(R const& result) {
  if constexpr (element<R>) {
    return {any_number(result)};
  } else {
    std::vector<any_number> all;
    result.each([&](char const*, auto x) { all.emplace_back(x); });
    return all;
  }
}
std::vector<any_number> numbers(any_result const& result) {
  std::vector<any_number> all;
  for (auto const& [name, value] : result) all.push_back(value);
  return all;
}

any_array part(any_array const& x, std::size_t first, std::size_t count) {
  return {x.type, static_cast<std::byte const*>(x.data) + first * size_of(x.type), count};
}

// By way of two reducers, one of which travels as bytes.
any_reducer in_two(bound_aggregate const& op, any_array const& x, nan_policy nan) {
  constexpr std::size_t middle = 1024;
  any_reducer left(op, {nan}), right(op, {nan}, middle), sent(op, {nan});
  left.add(cpu{2}, part(x, 0, middle));
  right.add(cpu{2}, part(x, middle, n - middle));
  byte_writer out;
  right.write(out);
  auto const bytes = out.take();
  byte_reader in(bytes);
  sent.read(in);
  EXPECT_TRUE(in.at_end());
  left.append(sent);
  return left;
}

template <class Op, element T>
void check(nan_policy nan) {
  using result = typename Op::template result<T>;
  if constexpr (element<result> ||
                requires(result const& r) { r.each([](char const*, auto) {}); }) {
    SCOPED_TRACE(std::string(Op::name) + " of " + std::string(name(dtype_of<T>)));
    auto const memory = values<T>(1);
    std::span<T const> const x(memory.get(), n);
    any_array const any(x);
    aggregate_options options;
    if constexpr (element<result>) options.as = dtype_of<result>;
    auto const op = any_aggregate(Op::name, options).on(dtype_of<T>);
    auto const want = numbers(reduce(cpu{}, x, Op{}, {nan}));
    EXPECT_EQ(numbers(reduce(cpu{3}, any, op, {nan})), want);
    auto const pieces = in_two(op, any, nan);
    EXPECT_EQ(numbers(pieces.result()), want);
    EXPECT_EQ(pieces.nan_count(), floating<T> ? count_nan(cpu{}, any) : 0);
    if constexpr (integer<T>) support::check_missing(op, any);
    EXPECT_EQ(op.has_kernel(),
              (detail::kernel_is_held<Op, array_input<T>> || !detail::in_table<Op, T>));
  }
}
template <class Op, class Pair>
  requires(!element<Pair>)
void check(nan_policy nan) {
  using T = typename Pair::first_type;
  using result = typename Op::template result<Pair>;
  if constexpr (element<result>) {
    auto const a = values<T>(1), b = values<T>(2);
    std::span<T const> const x(a.get(), n), y(b.get(), n);
    auto const op = any_aggregate(Op::name, {.as = dtype_of<result>}).on(dtype_of<T>);
    auto const want = numbers(reduce(cpu{}, zip(x, y), Op{}, {nan}));
    EXPECT_EQ(numbers(reduce(cpu{3}, any_array(x), any_array(y), op, {nan})), want);
    any_reducer all(op, {nan});
    all.add(cpu{}, any_array(x), any_array(y));
    EXPECT_EQ(numbers(all.result()), want);
  }
}

#define CHECK_ONE(O, T)                       \
  check<detail::canonical_of<O, T>, T>(skip); \
  check<detail::canonical_of<O, T>, T>(propagate);
#define CHECK(ELEMENTS, O) TALLY_EACH_##ELEMENTS(CHECK_ONE, O)

using detail::pair;
using detail::variance_as;

TEST(dynamic, every_line_of_the_table_gives_the_bits_of_the_call_with_types){
    TALLY_INTEGER_SUMS(CHECK) TALLY_SUMS(CHECK) TALLY_FAST_SUMS(CHECK) TALLY_PRODUCTS(CHECK)
        TALLY_LOGIC(CHECK) TALLY_BITS(CHECK) TALLY_MEANS(CHECK)
            TALLY_DOTS(CHECK)} TEST(dynamic, those_of_extrema_and_second_moments_do){
    TALLY_EXTREMA(CHECK) TALLY_ARG_EXTREMA(CHECK) TALLY_VARIANCES(CHECK) TALLY_NORMS(CHECK)
        TALLY_DESCRIPTIONS(CHECK)
            TALLY_INTEGER_DESCRIPTIONS(CHECK)} TEST(dynamic, so_do_results_of_other_types){
    TALLY_WIDENED_SUMS(CHECK_ONE) TALLY_NARROWED_SUMS(CHECK_ONE)
        TALLY_ROUNDED_FLOATS(CHECK_ONE, variance_as) TALLY_ROUNDED_INTEGERS(CHECK_ONE, basic_mean)
            TALLY_ROUNDED_INTEGERS(CHECK_ONE, basic_norm) TALLY_ROUNDED_DOTS(CHECK_ONE)}

TEST(dynamic, sums_of_integers_are_rounded_once_to_floating_types) {
  std::vector<std::uint64_t> const x(3, ~std::uint64_t(0));
  auto const op = any_aggregate("sum", {.as = dtype::float64}).on(dtype::uint64);
  EXPECT_EQ(reduce(cpu{}, any_array(x), op).value().as<double>(), 3 * 0x1p64);
}

TEST(dynamic, every_summary_is_half_a_line) {
  for (auto const& info : aggregates()) {
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_LT(info.summary.size(), 80u) << info.name;
    EXPECT_FALSE(info.elements.empty()) << info.name;
    EXPECT_NE(info.name, "sum_state");
  }
}

TEST(dynamic, what_a_minimum_knows_tells_more) {
  std::vector<float> const x = {3, 1, 2};
  any_reducer ends(any_aggregate("minimum").on(dtype::float32));
  ends.add(cpu{}, any_array(x));
  auto const index = any_aggregate("arg_minimum").on(dtype::float32);
  EXPECT_EQ(ends.result(index).value().as<std::int64_t>(), 1);
  auto const mean = any_aggregate("mean").on(dtype::float32);
  EXPECT_EQ(failure_of([&] { ends.result(mean); }),
            "result: a minimum of float32 does not tell the mean of float32");
}

TEST(dynamic, what_a_description_knows_tells_its_parts) {
  std::vector<double> const x = {1, 5, 3};
  any_reducer all(any_aggregate("describe").on(dtype::float64));
  all.add(cpu{}, any_array(x));
  auto const told = [&](char const* name) {
    return all.result(any_aggregate(name).on(dtype::float64)).value();
  };
  EXPECT_EQ(told("sum"), any_number(9.0));
  EXPECT_EQ(told("mean"), any_number(3.0));
  EXPECT_EQ(told("maximum"), any_number(5.0));
  EXPECT_EQ(told("arg_maximum"), any_number(std::int64_t(1)));
  auto const [sum_beside, described] = reduce(cpu{}, x, all_together(sum{}, describe{}));
  EXPECT_EQ(sum_beside, 9);
}

TEST(dynamic, what_needs_an_element_says_so) {
  any_reducer none(any_aggregate("mean").on(dtype::int8)),
      sum(any_aggregate("sum").on(dtype::int8));
  EXPECT_FALSE(none.has_result());
  EXPECT_TRUE(sum.has_result());
  EXPECT_EQ(failure_of([&] { none.result(); }), "mean: the array is empty");
}

TEST(dynamic, errors_name_the_argument_and_its_value) {
  EXPECT_TRUE(failure_of([] {
                any_aggregate("foo");
              }).starts_with("aggregate 'foo': there are sum, fast_sum, product, "));
  EXPECT_EQ(failure_of([] { any_aggregate("sum", {.ddof = 1}); }),
            "aggregate 'sum': takes no ddof, which is 1");
  EXPECT_EQ(
      failure_of([] { any_aggregate("bit_or").on(dtype::float32); }),
      "there is no bit_or of float32: it takes bool, int8, int16, int32, int64, uint8, uint16, "
      "uint32, uint64");
  EXPECT_EQ(failure_of([] { any_aggregate("sum", {.as = dtype::int32}).on(dtype::int32); }),
            "as = int32: the sum of int32 can be int64, float16, bfloat16, float32, float64");
  std::vector<double> const x(3), y(2);
  auto const sum = any_aggregate("sum").on(dtype::float32);
  auto const dot = any_aggregate("dot").on(dtype::float64);
  EXPECT_EQ(failure_of([&] { reduce(cpu{}, any_array(x), sum); }),
            "sum: in holds float64, not float32");
  EXPECT_EQ(failure_of([&] { reduce(cpu{}, any_array(x), dot); }),
            "dot: takes two arrays, not one");
  EXPECT_EQ(failure_of([&] { reduce(cpu{}, any_array(x), any_array(y), dot); }),
            "dot: a has 3 elements, b has 2");
  EXPECT_EQ(failure_of([&] { any_number(1.0f).as<double>(); }),
            "any_number: a float32, not a float64");
}

template <class Op, element In, element Out>
void check_scan() {
  if constexpr (detail::held_scan<Op, In, Out> || detail::sums_integers<Op, In, Out>) {
    auto const memory = values<In>(3);
    std::span<In const> const x(memory.get(), n);
    auto const want = std::make_unique<Out[]>(n), got = std::make_unique<Out[]>(n);
    Out total;
    any_number any_total;
    exclusive_scan(cpu{}, x, std::span(want.get(), n), Op{},
                   {.init = Out{}, .reverse = true, .total = &total, .nan = skip});
    any_output const out{dtype_of<Out>, got.get(), n};
    exclusive_scan(cpu{2}, any_array(x), out, any_aggregate(Op::name),
                   {.init = any_number(Out{}), .reverse = true, .total = &any_total, .nan = skip});
    EXPECT_EQ(std::memcmp(want.get(), got.get(), n * sizeof(Out)), 0) << Op::name;
    EXPECT_EQ(any_total, any_number(total));
    any_scanner pieces(any_aggregate(Op::name), dtype_of<In>, dtype_of<Out>, {.nan = skip});
    inclusive_scan(cpu{}, x, std::span(want.get(), n), Op{}, {.nan = skip});
    for (std::size_t const at : {0, 512}) {
      std::size_t const size = at ? n - at : 512;
      pieces.inclusive(cpu{}, part(any_array(x), at, size), {out.type, got.get() + at, size});
    }
    if (!floating<In> || std::is_same_v<Op, sum>) {
      EXPECT_EQ(std::memcmp(want.get(), got.get(), n * sizeof(Out)), 0) << Op::name;
    }
  }
  EXPECT_EQ(can_scan(any_aggregate(Op::name), dtype_of<In>, dtype_of<Out>),
            (detail::held_scan<Op, In, Out> || detail::sums_integers<Op, In, Out>));
}

TEST(dynamic, scans_give_the_bits_of_the_calls_with_types) {
  check_scan<sum, float, double>();
  check_scan<sum, float, float>();
  check_scan<sum, std::int8_t, std::uint16_t>();
  check_scan<sum, bool, std::uint64_t>();
  check_scan<fast_sum, double, double>();
  check_scan<fast_sum, std::int16_t, std::int64_t>();
  check_scan<product, double, double>();
  check_scan<product, std::int64_t, std::int64_t>();
  check_scan<product, std::int32_t, std::int32_t>();
  check_scan<minimum, bfloat16, bfloat16>();
  check_scan<maximum, std::uint32_t, std::uint32_t>();
  check_scan<maximum, float, double>();
  check_scan<mean, float, float>();
  EXPECT_EQ(failure_of([] { any_scanner(any_aggregate("mean"), dtype::int8, dtype::int8); }),
            "there is no scan of int8 by mean to int8");
}

template <class Op, element In, element Out>
void check_kernel() {
  using held = std::conditional_t<detail::sums_integers<Op, In, Out>, sum, Op>;
  EXPECT_EQ(can_scan_on_gpu(any_aggregate(Op::name), dtype_of<In>, dtype_of<Out>),
            (detail::scan_is_held_on_gpu<held, array_input<In>, Out>))
      << Op::name;
}
#define CHECK_KERNEL(O, IN, OUT) check_kernel<O, IN, OUT>();
#define CHECK_KERNELS(O, T) CHECK_KERNEL(O, T, T) CHECK_KERNEL(O, T, float)

TEST(dynamic, a_gpu_has_the_scans_of_the_table) {
  TALLY_SCANS_OF_INTEGERS(CHECK_KERNEL)
  TALLY_SCANS_OF_PRODUCTS(CHECK_KERNEL)
  TALLY_SCANS_OF_FLOATS(CHECK_KERNEL)
  TALLY_EACH_element(CHECK_KERNELS, minimum) TALLY_EACH_element(CHECK_KERNELS, maximum)
      TALLY_EACH_element(CHECK_KERNELS, fast_sum) TALLY_EACH_element(CHECK_KERNELS, mean)
          EXPECT_TRUE(can_scan_on_gpu(any_aggregate("sum"), dtype::float32, dtype::float64));
  EXPECT_FALSE(can_scan_on_gpu(any_aggregate("sum"), dtype::int16, dtype::int8));
}

TEST(dynamic, what_a_gpu_cannot_scan_is_found_before_anything_runs) {
  support::host_memory memory;
  auto there = support::gpu_with(memory);
  std::vector<float> const in(4);
  std::vector<double> out(4);
  any_array const x(in);
  any_output const to{dtype::float64, out.data(), 4};
  any_aggregate const sum("sum");
  EXPECT_EQ(failure_of([&] { inclusive_scan(there, x, to, any_aggregate("maximum")); }),
            "there is no scan of float32 by maximum to float64");
  EXPECT_EQ(failure_of([&] { inclusive_scan(there, x, to, sum, {.init = any_number(1.0f)}); }),
            "scan: init is a float32, out holds float64");
  EXPECT_EQ(failure_of([&] { exclusive_scan(there, x, {to.type, to.data, 3}, sum); }),
            "exclusive_scan: out has 3 elements, in has 4");
  std::vector<std::int16_t> const few(4);
  std::vector<std::int8_t> low(4);
  EXPECT_EQ(
      failure_of([&] { inclusive_scan(there, any_array(few), {dtype::int8, low.data(), 4}, sum); }),
      "scan: there is no kernel for a scan of int16 by sum to int8");
}

TEST(dynamic, a_scan_runs_where_its_array_lies) {
  auto where = best();
  std::vector<float> const in = {1, 2, 3};
  std::vector<float> out(3);
  any_number total;
  inclusive_scan(where, any_array(in), {dtype::float32, out.data(), 3}, any_aggregate("sum"),
                 {.reverse = true, .total = &total});
  EXPECT_EQ(out, (std::vector<float>{6, 5, 3}));
  EXPECT_EQ(total, any_number(6.0f));
  EXPECT_EQ(where.ran(), "cpu");
}

TEST(dynamic, top_k_gives_the_elements_of_the_call_with_types) {
  auto const memory = values<float>(4);
  std::span<float const> const x(memory.get(), n);
  top_k_options const how{.distinct = true, .nan = skip};
  auto const want = top_k(cpu{}, x, 20, how);
  auto const got = top_k(cpu{}, any_array(x), 20, how);
  any_selector pieces(dtype::float32, 20, how), right(dtype::float32, 20, how, 700);
  pieces.add(cpu{}, part(any_array(x), 0, 700));
  right.add(cpu{}, part(any_array(x), 700, n - 700));
  pieces.append(std::move(right));
  EXPECT_EQ(pieces.count(), n);
  auto const also = std::move(pieces).result();
  std::vector<float> values_into(20);
  std::vector<std::int64_t> indices_into(20);
  any_output const room{dtype::float32, values_into.data(), 20};
  auto const count = top_k_into(cpu{}, any_array(x), 20, room, indices_into, how);
  ASSERT_EQ(count, want.indices.size());
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(got.indices[i], want.indices[i]);
    EXPECT_EQ(also.indices[i], want.indices[i]);
    EXPECT_EQ(indices_into[i], want.indices[i]);
    EXPECT_EQ(static_cast<float const*>(got.values.data)[i], want.values[i]);
  }
}

TEST(dynamic, top_k_runs_where_its_array_lies) {
  auto where = best();
  std::vector<std::int16_t> const in = {1, 3, 2};
  auto const found = top_k(where, any_array(in), 2);
  EXPECT_EQ(found.indices[0], 1);
  EXPECT_EQ(found.indices[1], 2);
  std::vector<std::int16_t> values(2);
  std::vector<std::int64_t> indices(2);
  std::uint64_t count = 0;
  top_k_into(where, any_array(in), 2, {dtype::int16, values.data(), 2}, indices, &count,
             {.order = smallest});
  EXPECT_EQ(values, (std::vector<std::int16_t>{1, 2}));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(where.ran(), "cpu");
}

TEST(dynamic, what_a_gpu_cannot_select_is_found_before_anything_runs) {
  support::host_memory memory;
  auto there = support::gpu_with(memory);
  std::vector<float> const in(4);
  any_array const x(in);
  std::vector<std::int64_t> indices(4);
  any_output const room{dtype::float64, nullptr, 4};
  EXPECT_EQ(failure_of([&] { top_k(there, x, 5); }), "top_k: k = 5 is larger than n = 4");
  EXPECT_EQ(failure_of([&] { top_k_into(there, x, 2, room, indices, nullptr); }),
            "top_k_into: values holds float64, not float32");
}

TEST(dynamic, quantiles_and_the_kth_value_are_those_of_the_call_with_types) {
  auto const memory = values<float>(5);
  std::span<float const> const x(memory.get(), n);
  std::vector<double> const qs = {0.25, 0.5};
  auto where = best();
  auto const want = quantile(cpu{}, x, qs, {.nan = skip});
  for (auto const& got : {quantile(cpu{}, any_array(x), qs, {.nan = skip}),
                          quantile(where, any_array(x), qs, {.nan = skip})})
    EXPECT_EQ(got, (std::vector<any_number>{any_number(want[0]), any_number(want[1])}));
  auto const kth = kth_value(cpu{}, x, 100);
  EXPECT_EQ(kth_value(where, any_array(x), 100).index, kth.index);
  EXPECT_EQ(kth_value(cpu{}, any_array(x), 100).value, any_number(kth.value));
  std::vector<std::int8_t> const integers = {1, 2};
  EXPECT_EQ(quantile(cpu{}, any_array(integers), qs)[1], any_number(1.5));
  std::vector<std::int64_t> const large = {1, (std::int64_t(1) << 53) + 1};
  EXPECT_EQ(quantile(cpu{}, any_array(large), qs, {.method = interpolation::higher})[0],
            any_number(large[1]));
  std::vector<fraction> const nearly{{UINT64_MAX - 1, UINT64_MAX}};
  EXPECT_EQ(quantile(cpu{}, any_array(large), nearly, {.method = interpolation::lower})[0],
            any_number(large[0]));
  EXPECT_EQ(failure_of([&] {
              quantile(cpu{}, any_array(large), std::vector<fraction>{{3, 0}},
                       {.method = interpolation::lower});
            }),
            "quantile: q = 3/0 is not from 0 to 1");
  support::host_memory none;
  auto there = support::gpu_with(none);
  EXPECT_EQ(failure_of([&] { kth_value(there, any_array(x), 0); }),
            "kth_value: k = 0 is not from 1 on");
  EXPECT_EQ(failure_of([&] { quantile(there, any_array(x), std::vector<double>{2}); }),
            "quantile: q = 2 is not from 0 to 1");
}

}  // namespace
