// SPDX-License-Identifier: Apache-2.0
//
// Scans in instalments: what a kernel leaves of everything so far is what the next one goes on
// with, not rounded.
#include "support/device_scan.cuh"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/fast_sum.hpp"

namespace {

using namespace support;

template <class A>
tally::maybe<typename A::state> start_of(A const& a, scan_kind<typename A::result> const& how) {
  tally::maybe<typename A::state> start{};
  if (how.init)
    start = {*tally::detail::start_of_scan(a, how.with_total(nullptr)), true};
  else if constexpr (tally::has_identity<A>)
    start = {a.identity(), true};
  return start;
}

// The parts [cuts[i], cuts[i + 1]) one after the other, in reverse from the last one on.
template <class A>
void expect_in_parts(A const& a, std::vector<typename A::element> const& in,
                     std::vector<std::size_t> const& cuts, test_call& call,
                     scan_kind<typename A::result> how, std::string const& what) {
  using R = typename A::result;
  using known = tally::maybe<typename A::state>;
  scanned<R> got{std::vector<R>(in.size()), {}};
  auto const want = scan_on_host(a, in, how);
  known before = start_of(a, how);
  how.init.reset();
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    std::size_t const i = how.reverse ? cuts.size() - 2 - k : k;
    auto const from = in.begin() + std::ptrdiff_t(cuts[i]);
    std::vector const part(from, in.begin() + std::ptrdiff_t(cuts[i + 1]));
    tally::device_array<known> const after(std::vector<known>{before});
    how.before = &before, how.after = after.data();
    auto const found = scan_on_device(a, part, call, how);
    std::copy(found.out.begin(), found.out.end(), got.out.begin() + std::ptrdiff_t(cuts[i]));
    got.total = found.total;
    before = after.to_host()[0];
  }
  EXPECT_TRUE(before.present);
  R const last = a.lower(before.value);
  EXPECT_EQ(memcmp(&last, &got.total, sizeof last), 0) << what;
  expect_same(got, want, what);
}

template <class A>
void expect_parts_of_every_kind(A const& a, std::vector<typename A::element> const& in,
                                std::optional<typename A::result> const& init,
                                std::string const& what, tally::nan_policy nan = tally::propagate) {
  constexpr std::size_t part = part_of_warp<A>;
  std::size_t const n = in.size();
  std::vector<std::size_t> const cuts[] = {
      {0, 1, 1, 40, n}, {0, std::min(part + 1, n / 2), n / 2, n}, {0, n / 3, n}};
  for (bool reverse : {false, true})
    for (int i = 0; i < 3; ++i) {  // in a wave of one block and of several, and by tiles
      test_call call(i == 1 ? 4 : 1);
      scan_kind<typename A::result> how{.exclusive = reverse, .reverse = reverse, .nan = nan};
      if (i > 0) how.init = init;
      if (i > 1) how.warps = 1, how.blocks = 2;
      expect_in_parts(a, in, cuts[i], call, how,
                      what + (reverse ? ", reverse, " : ", ") + std::to_string(i));
    }
}

// A sum that two doubles do not hold, of terms that cancel, so that all of it decides at the end.
template <class T>
std::vector<T> of_all_sizes(std::size_t n) {
  std::vector<T> out(n);
  int const least = tally::format<T>::lowest, most = tally::format<T>::bias;
  for (std::size_t i = 0; i < n; ++i) {
    int const place = least + int((i * 37) % std::size_t(most - least - 10));
    out[i] = tally::convert<T>(std::ldexp(i / 2 % 2 ? -1.0 : 1.0, place));
  }
  return out;
}

template <class T>
struct exact_scans_in_parts : ::testing::Test {};
using floats = ::testing::Types<tally::bfloat16, float, double>;
TYPED_TEST_SUITE(exact_scans_in_parts, floats);

TYPED_TEST(exact_scans_in_parts, are_those_of_the_whole) {
  using T = TypeParam;
  using exact = tally::exact_running_sum<T, T>;
  constexpr std::size_t n = 9 * part_of_warp<exact> + 5;
  auto const init = tally::convert<T>(0.3);
  expect_parts_of_every_kind(exact{}, values<T>(kind::wide, n), init, "wide");
  expect_parts_of_every_kind(exact{}, of_all_sizes<T>(n), init, "of all sizes");
}

// Where the first part comes to more than two doubles hold, and the rest takes nearly all of it.
TYPED_TEST(exact_scans_in_parts, lose_nothing_between_parts) {
  using T = TypeParam;
  using exact = tally::exact_running_sum<T, T>;
  auto in = of_all_sizes<T>(700);
  auto const first = in;
  for (auto x = first.rbegin(); x != first.rend(); ++x)
    in.push_back(tally::convert<T>(-double(*x)));
  test_call call(1);
  expect_in_parts(exact{}, in, {0, 700, in.size()}, call, {}, "cancelling");
  expect_in_parts(exact{}, in, {0, 700, 1399, in.size()}, call, {.reverse = true}, "cancelling");
}

TYPED_TEST(exact_scans_in_parts, tell_what_was_not_finite) {
  using T = TypeParam;
  using exact = tally::exact_running_sum<T, T>;
  auto const special = [](int which) {
    return which == 0   ? tally::quiet_nan<T>()
           : which == 1 ? tally::infinity<T>(false)
                        : tally::infinity<T>(true);
  };
  for (int first = 0; first < 3; ++first)
    for (auto const nan : {tally::propagate, tally::skip}) {
      auto in = values<T>(kind::wide, 1000);
      in[100] = special(first), in[600] = special((first + 1) % 3);
      test_call call(1);
      for (bool reverse : {false, true})
        expect_in_parts(exact{}, in, {0, 300, 500, 1000}, call,
                        {.reverse = reverse, .init = T{}, .nan = nan}, std::to_string(first));
    }
}

TEST(exact_scans_in_parts_of_other_types, are_those_of_the_whole) {
  using widened = tally::exact_running_sum<float, double>;
  expect_parts_of_every_kind(widened{}, of_all_sizes<float>(3000), 0x1p-1074, "to double");
  using narrowed = tally::exact_running_sum<double, float>;
  expect_parts_of_every_kind(narrowed{}, of_all_sizes<double>(3000), 0.1f, "to float");
}

TEST(other_scans_in_parts, are_those_of_the_whole) {
  using bytes = tally::integer_running_sum<std::int8_t, std::int8_t>;
  using wide = tally::integer_running_sum<std::int32_t, std::int64_t>;
  std::vector<std::int8_t> small(5000);
  std::vector<std::int32_t> large(5000);
  for (int i = 0; i < 5000; ++i) small[i] = std::int8_t(i * 37), large[i] = std::int32_t(i * 1000003u);
  expect_parts_of_every_kind(bytes{}, small, std::int8_t(7), "bytes");
  expect_parts_of_every_kind(wide{}, large, 7, "wide");
  using least = tally::running_extremum<std::int32_t, true>;
  expect_parts_of_every_kind(least{}, large, 7, "minimum");
}

// Of no identity: matrices that do not commute.
struct matrix {
  std::uint32_t a, b;
};
struct product_of {
  TALLY_FN matrix operator()(matrix const& x, matrix const& y) const {
    return {x.a * y.a, x.b * y.a + y.b};
  }
};

TEST(other_scans_in_parts, need_no_identity) {
  std::vector<matrix> in(3000);
  for (std::uint32_t i = 0; i < 3000; ++i) in[i] = {2 * i + 1, i};
  tally::operation<matrix, product_of> const op{};
  test_call call(2);
  for (bool reverse : {false, true})
    expect_in_parts(op, in, {0, 0, 1, 1500, 3000}, call, {.reverse = reverse}, "matrices");
}

}  // namespace
