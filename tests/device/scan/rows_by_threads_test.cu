// SPDX-License-Identifier: Apache-2.0
//
// Columns that are scanned by a thread each.
#include "tally/device/scan/rows_by_threads.cuh"

#include "support/device_scan.cuh"

namespace {

using namespace support;

// The columns of a matrix, to columns of another one whose rows are longer by some elements.
template <class A>
void expect_columns(A const& a, std::vector<typename A::element> const& in, std::size_t columns,
                    std::size_t length, scan_kind<typename A::result> const& how) {
  using T = typename A::element;
  using R = typename A::result;
  std::size_t const to_step = columns + 3;
  R poison;
  memset(static_cast<void*>(&poison), 0xa5, sizeof poison);
  tally::device_array<T> const data(in);
  tally::device_array<R> const out(std::vector<R>(length * to_step, poison)),
      totals(std::vector<R>(columns, poison));
  auto const layout = [&](std::size_t step) {
    return tally::row_layout{
        .count = columns, .length = length, .stride = 1, .step = std::int64_t(step)};
  };
  test_call call(1);
  std::string text;
  call.explanation = &text;
  tally::detail::scan_rows_on_gpu(call, a, how.nan, tally::array_input<T>{data.data(), in.size()},
                                  layout(columns), const_cast<R*>(out.data()), layout(to_step),
                                  how.with_total(const_cast<R*>(totals.data())));
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(text.substr(0, 14), "a thread a row");
  auto const found = out.to_host(), sums = totals.to_host();
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<T> column(length);
    for (std::size_t i = 0; i < length; ++i) column[i] = in[i * columns + c];
    scanned<R> got{std::vector<R>(length), sums[c]};
    for (std::size_t i = 0; i < length; ++i) got.out[i] = found[i * to_step + c];
    expect_same(got, scan_on_host(a, column, how), "column " + std::to_string(c));
  }
  for (std::size_t i = 0; i < length; ++i)
    for (std::size_t c = columns; c < to_step; ++c)
      EXPECT_EQ(memcmp(&found[i * to_step + c], &poison, sizeof poison), 0);
}

template <class T>
struct exact_columns : ::testing::Test {};
using floats = ::testing::Types<tally::bfloat16, float, double>;
TYPED_TEST_SUITE(exact_columns, floats);

TYPED_TEST(exact_columns, are_those_of_each_alone) {
  using T = TypeParam;
  using exact = tally::exact_running_sum<T, T>;
  for (kind which : {kind::normal, kind::wide, kind::any_bits})
    for (std::size_t length : {2, 7, 8, 9, 20}) {
      auto in = values<T>(which, 260 * length);
      scan_kind<T> how{.exclusive = length % 2 == 0, .reverse = length % 3 == 0};
      if (length > 7) how.init = tally::convert<T>(0.3);
      expect_columns(exact{}, in, 260, length, how);
      in[3] = tally::quiet_nan<T>(), in[in.size() / 2] = tally::infinity<T>(true);
      in[in.size() - 1] = tally::quiet_nan<T>();
      how.nan = length % 2 ? tally::skip : tally::propagate;
      expect_columns(exact{}, in, 260, length, how);
    }
}

TEST(columns, are_of_integers_and_extrema) {
  using sums = tally::integer_running_sum<std::int8_t, std::int64_t>;
  std::vector<std::int8_t> in(300 * 21);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::int8_t(i * 37);
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true})
      expect_columns(sums{}, in, 300, 21,
                     {.exclusive = exclusive, .reverse = reverse, .init = std::int64_t(1) << 40});
}

}  // namespace
