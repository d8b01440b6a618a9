// SPDX-License-Identifier: Apache-2.0
//
// Rows of every layout by the public calls on a GPU: the bits of the CPU.
#include "tally/rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/gpu_reduce_rows.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

template <class T>
std::vector<T> few_values(std::size_t n, std::mt19937_64& random) {
  std::vector<T> x(n);
  for (auto& e : x)
    if constexpr (floating<T>)
      e = random() % 50 ? convert<T>(double(int(random() % 2000)) / 8 - 100) : quiet_nan<T>();
    else
      e = T(random() % 300);
  return x;
}

template <class A>
void expect_same(A const& here, A const& there, char const* what, row_layout const& rows) {
  ASSERT_EQ(here.size(), there.size());
  EXPECT_EQ(std::memcmp(here.data(), there.data(), here.size() * sizeof here[0]), 0)
      << what << " of " << rows.count << " rows of " << rows.length << ", " << rows.step
      << " apart";
}

// The same rows in both memories; where theirs begin and end may be in these, too.
template <class T>
void expect_selections(gpu& where, rows<T const> const& here, rows<T const> const& there,
                       std::mt19937_64& random) {
  std::uint64_t const k = 1 + random() % (here.length + 1);
  top_k_options const options{random() % 2 ? largest : smallest, random() % 3 != 0,
                              random() % 4 == 0, floating<T> && random() % 2 ? skip : propagate};
  auto const best = top_k(cpu{}, here, k, options), found = top_k(where, there, k, options);
  expect_same(best.values, found.values, "values", here);
  expect_same(best.indices, found.indices, "indices", here);
  expect_same(best.counts, found.counts, "counts", here);
  auto const kth = kth_value(cpu{}, here, k), found_kth = kth_value(where, there, k);
  expect_same(kth.values, found_kth.values, "k-th values", here);
  expect_same(kth.indices, found_kth.indices, "k-th indices", here);
  expect_same(quantile(cpu{}, here, 0.37, {.nan = skip}),
              quantile(where, there, 0.37, {.nan = skip}), "quantiles", here);
  if constexpr (integer<T>) {
    std::vector<T> chosen(std::size_t(here.count));
    device_array<T> const chosen_there(chosen);
    std::array<double, 1> const q = {0.37};
    quantile_options const higher{.method = interpolation::higher};
    quantile_into(cpu{}, here, q, chosen, higher);
    quantile_into(where, there, q, std::span(chosen_there.data(), chosen.size()), higher);
    where.synchronise();
    expect_same(chosen, chosen_there.to_host(), "chosen elements", here);
  }
}

template <class T>
void expect_scans(gpu& where, rows<T const> const& here, rows<T const> const& there, bool apart,
                  bool reverse) {
  using R =
      std::conditional_t<floating<T>, T,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  std::vector<R> out(here.count * here.length, R(3)), totals(here.count, R(5));
  device_array<R> const out_there(out), totals_there(totals);
  row_layout to{.count = here.count, .length = here.length, .stride = std::int64_t(here.length)};
  if (apart) to.stride = 1, to.step = std::int64_t(here.count);
  inclusive_scan(cpu{}, here, rows<R>(out.data(), to), sum{},
                 {.reverse = reverse, .total = totals.data()});
  inclusive_scan(where, there, rows<R>(out_there.data(), to), sum{},
                 {.reverse = reverse, .total = totals_there.data()});
  check(cudaDeviceSynchronize());
  expect_same(out, out_there.to_host(), "scans", here);
  expect_same(totals, totals_there.to_host(), "totals", here);
}

// A result for each row, and of more that the library holds for floats.
template <class T, class Op>
void expect_reduction(gpu& where, rows<T const> const& here, rows<T const> const& there,
                      Op const& op, nan_policy nan, char const* what) {
  expect_same(reduce(cpu{}, here, op, {nan}), reduce(where, there, op, {nan}), what, here);
}
template <class T>
void expect_reductions(gpu& where, rows<T const> const& here, rows<T const> const& there,
                       nan_policy nan) {
  auto const expect = [&](auto const& op, char const* what) {
    expect_reduction(where, here, there, op, nan, what);
  };
  expect(sum{}, "sums"), expect(fast_sum{}, "fast sums"), expect(product{}, "products");
  expect(minimum{}, "minima"), expect(maximum{}, "maxima"), expect(min_max{}, "both ends");
  expect(arg_minimum{}, "places of minima"), expect(arg_maximum{}, "places of maxima");
  expect(mean{}, "means"), expect(variance{1}, "variances");
  expect(standard_deviation{}, "deviations"), expect(tally::norm{}, "norms");
  expect(sum_of_squares{}, "sums of squares"), expect(count_nonzero{}, "counts");
  expect(any_of{}, "any"), expect(all_of{}, "all"), expect(peak_to_peak{}, "peaks");
  auto const described = reduce(cpu{}, here, describe{}, {nan}),
             described_there = reduce(where, there, describe{}, {nan});
  for (std::size_t r = 0; r < described.size(); ++r) {
    std::vector<std::uint64_t> a, b;
    described[r].each([&](char const*, auto x) { a.push_back(to_bits(x)); });
    described_there[r].each([&](char const*, auto x) { b.push_back(to_bits(x)); });
    ASSERT_EQ(a, b) << "description of row " << r << " of " << here.count << " of " << here.length;
  }
  if constexpr (floating<T>) {
    if constexpr (sizeof(T) == 2) {
      expect(sum{}.as<float>(), "wide sums");
    } else if constexpr (sizeof(T) == 4) {
      expect(sum{}.as<double>(), "wide sums");
    } else {
      expect(sum{}.as<float>(), "narrow sums");
    }
    auto const states = reduce(where, there, sum_state{}, {nan});
    auto const sums = reduce(cpu{}, here, sum{}, {nan});
    for (std::size_t r = 0; r < states.size(); ++r)
      ASSERT_EQ(to_bits(states[r].template result<T>()), to_bits(sums[r])) << "state of row " << r;
  }
}
template <class T>
void expect_dots(gpu& where, rows<T const> const& here, rows<T const> const& there) {
  rows<T const> const again(here.data, here), again_there(there.data, there);
  expect_same(reduce(cpu{}, zip(here, again), dot{}), reduce(where, zip(there, again_there), dot{}),
              "dots", here);
}

template <class T>
class rows_on_a_gpu : public ::testing::Test {};
using some_elements =
    ::testing::Types<float, std::int32_t, std::uint8_t, double, bfloat16, std::int16_t>;
TYPED_TEST_SUITE(rows_on_a_gpu, some_elements);

TYPED_TEST(rows_on_a_gpu, have_the_bits_of_the_cores) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  gpu where;
  for (int turn = 0; turn < 20; ++turn) {
    std::array<std::uint64_t, 3> const shape = {
        1 + random() % 40, 1 + random() % (turn % 5 ? 60 : 2000), 1 + random() % 50};
    auto const x = few_values<T>(shape[0] * shape[1] * shape[2], random);
    device_array<T> const data(x);
    auto const expect = [&](row_layout const& here, row_layout const& there) {
      rows<T const> const a(x.data(), here), b(data.data(), there);
      expect_selections(where, a, b, random);
      expect_scans(where, a, b, random() % 2, random() % 2);
      expect_reductions(where, a, b, random() % 2 ? skip : propagate);
      expect_dots(where, a, b);
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
      along const lines{x.data(), shape, axis};
      expect(lines, lines);
    }
    std::vector<std::int64_t> offsets{0};
    while (offsets.back() < std::int64_t(x.size()) && offsets.size() < 3000)
      offsets.push_back(
          std::min(std::int64_t(x.size()), offsets.back() + std::int64_t(random() % 200)));
    device_array<std::int64_t> const offsets_there(offsets);
    segments const all{x, offsets, 250};
    row_layout there = all;
    there.starts = there.lengths_from = offsets_there.data();
    there.lengths = offsets_there.data() + 1;
    expect(all, there);
  }
}

// Few, long ones, and very many: parts of rows, and rows that are computed again.
TYPED_TEST(rows_on_a_gpu, are_reduced_in_parts) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  gpu where;
  for (auto const& [count, length] : {std::pair{3ul, 300001ul}, {70001ul, 5ul}, {800ul, 4099ul}}) {
    auto const x = few_values<T>(count * length, random);
    device_array<T> const data(x);
    for (row_layout const& all :
         {row_layout{.count = count, .length = length, .stride = std::int64_t(length)},
          row_layout{.count = length, .length = count, .stride = 1, .step = std::int64_t(length)}})
      expect_reductions(where, rows<T const>(x.data(), all), rows<T const>(data.data(), all), skip);
  }
}

// What doubles do not tell: sums that are near a tie, or cancel.
TEST(sums_of_rows_on_a_gpu, are_exact_where_all_are_in_doubt) {
  std::mt19937_64 random(3);
  gpu where;
  std::uint64_t const count = 5000, length = 66;
  std::vector<float> x(count * length);
  for (std::uint64_t r = 0; r < count; ++r)
    for (std::uint64_t i = 0; i < length; i += 2) {
      auto const big = std::ldexp(float(random() % 1000 + 1), int(random() % 200) - 90);
      x[r * length + i] = big;
      x[r * length + i + 1] = random() % 4 ? -big : std::ldexp(1.0f, -140);
    }
  device_array<float> const data(x);
  rows<float const> const here(x.data(), count, length), there(data.data(), count, length);
  expect_same(reduce(cpu{}, here, sum{}), reduce(where, there, sum{}), "sums", here);
  expect_same(reduce(cpu{}, here, mean{}), reduce(where, there, mean{}), "means", here);
}

// x -> a * x + b, one after the other.
struct affine {
  std::uint32_t a, b;
};
struct then {
  TALLY_FN affine operator()(affine const& f, affine const& g) const {
    return {g.a * f.a, g.a * f.b + g.b};
  }
};
TEST(rows_on_a_gpu_by_an_operator_of_ones_own, keep_their_order) {
  std::mt19937_64 random(4);
  gpu where;
  std::vector<affine> x(300 * 77);
  for (affine& f : x) f = {std::uint32_t(random()) | 1, std::uint32_t(random())};
  device_array<affine> const data(x);
  expect_same(reduce(cpu{}, rows{x.data(), 300, 77}, then{}),
              reduce(where, rows{data.data(), 300, 77}, then{}), "chains", rows{x.data(), 300, 77});
}

TEST(results_of_rows_on_a_gpu, go_where_they_are_sent) {
  gpu where;
  std::vector<std::int32_t> const x{1, 2, 3, 4, 5, 6};
  device_array<std::int32_t> const data(x);
  device_array<std::int64_t> const out(std::vector<std::int64_t>(5, -7));
  reduce_into(where, columns{data.data(), 2, 3}, rows<std::int64_t>(out.data(), 3, 1, 2), sum{});
  check(cudaDeviceSynchronize());
  EXPECT_EQ(out.to_host(), (std::vector<std::int64_t>{5, -7, 7, -7, 9}));
}

TEST(ends_of_no_bools_on_a_gpu, are_bools) {
  gpu where;
  device_array<std::uint8_t> const data(std::vector<std::uint8_t>(1));
  rows<bool const> const none(reinterpret_cast<bool const*>(data.data()), 2, 0);
  EXPECT_EQ(reduce(where, none, minimum{}), (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ(reduce(where, none, maximum{}), (std::vector<std::uint8_t>{0, 0}));
}

TEST(rows_on_a_gpu_whose_offsets_are_elsewhere, are_refused_by_name) {
  gpu where;
  device_array<float> const data(std::vector<float>(10));
  std::vector<std::int64_t> const offsets{0, 4, 10};
  rows<float const> const all(data.data(), segments{std::span(data.data(), 10), offsets});
  EXPECT_NE(failure_of([&] { top_k(where, all, 2); }).find("top_k: offsets = "), std::string::npos);
}

}  // namespace
