// SPDX-License-Identifier: Apache-2.0
//
// Columns that are scanned by a thread each, or by several threads, of which each has a chunk.
#include "tally/device/scan/rows_by_threads.cuh"

#include "support/device_scan.cuh"
#include "tally/aggregate/extrema.hpp"

namespace {

using namespace support;

// The columns of a matrix, to columns of another one whose rows are longer by some elements.
template <class A>
void expect_columns(A const& a, std::vector<typename A::element> const& in, std::size_t columns,
                    std::size_t length, scan_kind<typename A::result> const& how,
                    int multiprocessors = 1) {
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
  test_call call(multiprocessors);
  std::string text;
  call.explanation = &text;
  tally::detail::scan_rows_on_gpu(call, a, how.nan, tally::array_input<T>{data.data(), in.size()},
                                  layout(columns), const_cast<R*>(out.data()), layout(to_step),
                                  how.with_total(const_cast<R*>(totals.data())));
  tally::check(cudaDeviceSynchronize());
  bool const is_in_chunks = columns < 512u * unsigned(multiprocessors) && length >= 32;
  EXPECT_EQ(text.substr(0, 16), is_in_chunks ? "a thread a chunk" : "a thread a row, ") << text;
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

// The chunks of one of 2 columns are a block's, of 40 a warp's, of 300 four lanes'.
TYPED_TEST(exact_columns, are_the_same_in_chunks) {
  using T = TypeParam;
  using exact = tally::exact_running_sum<T, T>;
  for (kind which : {kind::normal, kind::wide, kind::any_bits})
    for (std::size_t columns : {2, 40, 300}) {
      std::size_t const length = columns == 2 ? 1400 : columns == 40 ? 390 : 47;
      auto in = values<T>(which, columns * length);
      scan_kind<T> how{.exclusive = columns == 40, .reverse = columns != 300};
      if (columns != 2) how.init = tally::convert<T>(which == kind::wide ? 1e-30 : 0.3);
      expect_columns(exact{}, in, columns, length, how);
      in[1] = tally::quiet_nan<T>(), in[in.size() / 2] = tally::infinity<T>(true);
      in[in.size() - 1] = tally::infinity<T>(false);
      how.nan = columns == 40 ? tally::propagate : tally::skip;
      how.reverse = !how.reverse;
      expect_columns(exact{}, in, columns, length, how);
    }
}

// Sums that two doubles do not hold in the middle of a column alone, and zeros of either sign.
TEST(columns, go_on_from_any_sum) {
  using exact = tally::exact_running_sum<float, float>;
  std::vector<float> in(3 * 300, -0.0f);
  in[3 * 40] = 0x1p127f, in[3 * 41] = 0x1p-149f, in[3 * 42] = 3;
  in[3 * 200] = -0x1p127f;
  in[3 * 220 + 1] = 0x1p-149f;
  for (bool reverse : {false, true})
    for (bool exclusive : {false, true})
      expect_columns(exact{}, in, 3, 300, {.exclusive = exclusive, .reverse = reverse});
}

TEST(columns, have_more_chunks_than_a_block_has_threads) {
  using exact = tally::exact_running_sum<float, float>;
  std::size_t const length = 16 * 1040;
  for (kind which : {kind::normal, kind::any_bits})
    expect_columns(exact{}, values<float>(which, 2 * length), 2, length, {}, 5);
  using sums = tally::integer_running_sum<std::int8_t, std::int32_t>;
  expect_columns(sums{}, any_integers<std::int8_t>(2 * length), 2, length, {.reverse = true}, 5);
}

// The first NaN stays, bit for bit, also where a chunk has two of them.
TEST(columns, keep_the_first_nan) {
  std::vector<float> in(5 * 200, 1);
  auto const nan = [](std::uint32_t payload) {
    return tally::from_bits<float>(0x7fc00000 + payload);
  };
  for (std::size_t const i : {3, 9, 150, 158, 199}) in[5 * i + 1] = nan(std::uint32_t(i));
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true})
      expect_columns(tally::detail::bind_scan<float, float>(tally::maximum{}), in, 5, 200,
                     {.exclusive = exclusive, .reverse = reverse, .init = -9.0f});
}

TEST(columns, are_of_integers_and_extrema) {
  using sums = tally::integer_running_sum<std::int8_t, std::int64_t>;
  std::vector<std::int8_t> in(300 * 231);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::int8_t(i * 37);
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true}) {
      scan_kind<std::int64_t> const how{
          .exclusive = exclusive, .reverse = reverse, .init = std::int64_t(1) << 40};
      auto const few = std::vector(in.begin(), in.begin() + 600 * 21);
      expect_columns(sums{}, few, 600, 21, how);
      expect_columns(sums{}, in, 300, 231, how);
      expect_columns(sums{}, in, 11, 300 * 21, how);
      expect_columns(sums{}, in, 7, 300 * 33, how, 3);
      expect_columns(tally::detail::bind_scan<std::int8_t, std::int8_t>(tally::maximum{}), in, 7,
                     300 * 33,
                     {.exclusive = exclusive, .reverse = reverse, .init = std::int8_t(-9)});
    }
}

}  // namespace
