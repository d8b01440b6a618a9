// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/kth/kth_value.cuh"

#include "support/device_quantile.cuh"
#include "support/device_scan.cuh"
#include "support/doubled.cuh"

namespace {

using namespace support;
using tally::top_k_options;

// Elements of few values or of any bits, so that there are NaNs of both signs, both zeros and ties.
template <class T>
std::vector<T> elements(std::size_t n, unsigned kinds, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (auto& x : out) {
    auto const bits = tally::bits_of<T>(random());
    x = kinds == 0 ? tally::from_bits<T>(bits) : T(double(int(random() % kinds) - int(kinds / 2)));
  }
  return out;
}

std::vector<top_k_options> all_options() {
  std::vector<top_k_options> all;
  for (auto order : {tally::largest, tally::smallest})
    for (auto nan : {tally::propagate, tally::skip}) all.push_back({.order = order, .nan = nan});
  return all;
}

template <class T>
void expect_kth_of_one(test_call& call, std::vector<T> const& in, std::uint64_t k,
                       top_k_options const& options, std::string const& what) {
  expect_kth(call, in, test_rows{1, in.size(), in.size()}, k, options, what);
}

template <class T>
class kth_value_on_a_device : public ::testing::Test {};
using every_element = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                       std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                       tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(kth_value_on_a_device, every_element);

TYPED_TEST(kth_value_on_a_device, is_where_a_stable_sort_puts_it) {
  test_call call(1);
  for (std::size_t n : {1, 2, 700})
    for (unsigned kinds : {0u, 7u}) {
      auto const in = elements<TypeParam>(n, kinds);
      for (auto const& options : all_options())
        for (std::size_t k : {std::size_t(1), n / 3 + 1, n})
          expect_kth_of_one(call, in, k, options,
                            std::to_string(n) + " of " + std::to_string(kinds));
    }
}

TYPED_TEST(kth_value_on_a_device, is_found_by_several_blocks) {
  test_call call(2);  // four blocks
  std::size_t const tile = tally::device::row_batch<tally::bits_of<TypeParam>>::items * 512;
  std::size_t const n = 4 * tile + 77;
  for (unsigned kinds : {0u, 3u}) {
    auto const in = elements<TypeParam>(n, kinds);
    for (std::size_t k : {std::size_t(10), n / 2})
      expect_kth_of_one(call, in, k, {.order = tally::smallest}, std::to_string(kinds) + " kinds");
  }
}

TEST(kth_value_of_rows_on_a_device, tells_how_it_has_been_started) {
  test_call call(2);
  std::string text;
  call.explanation = &text;
  expect_kth_of_one(call, elements<float>(40000, 0), 10, {}, "explained");
  EXPECT_EQ(text.substr(0, text.rfind(", ")), "digits, by 1 team of 4 blocks of 512 threads");
}

// A block's tie is the first or the last of a tile, a block's stretch or the array.
TEST(kth_value_on_a_device_of_ties, is_each_of_them_in_turn) {
  std::size_t const tile = 16 * 512, n = 4 * tile;
  std::vector<float> in(n, 1.0f);
  for (std::size_t i = 0; i < n; i += 3) in[i] = 2;
  std::vector<std::size_t> zeros{0, 1, 511, tile - 1, tile, 2 * tile - 1, 2 * tile + 5, n - 1};
  for (auto const i : zeros) in[i] = 0;
  for (int multiprocessors : {1, 2}) {
    test_call call(multiprocessors);
    for (std::size_t k = 1; k <= zeros.size(); ++k)
      expect_kth_of_one(call, in, k, {.order = tally::smallest}, "zeros");
    expect_kth_of_one(call, in, n / 2, {.order = tally::smallest}, "ones");
    expect_kth_of_one(call, in, n / 3, {.order = tally::largest}, "twos");
  }
}

TEST(kth_value_of_rows_on_a_device, may_begin_and_end_anywhere) {
  test_call call(1);
  for (int offset : {0, 1, 3, 7}) {
    auto const in = elements<std::int16_t>(40 * 37, 100);
    test_rows rows{40, 35, 37};
    expect_kth(call, in, rows, 5, {.order = tally::smallest}, "rows", offset);
    for (int r = 0; r < 40; ++r) rows.starts.push_back(r % 3), rows.lengths.push_back(r * 7 % 36);
    rows.lengths[39] = 30;
    expect_kth(call, in, rows, 5, {.order = tally::smallest}, "rows of their own", offset);
    expect_kth(call, in, rows, 36, {}, "too short", offset);
  }
}

TEST(kth_value_of_rows_on_a_device, shares_blocks_among_a_few_rows) {
  test_call call(6);  // 12 blocks
  for (unsigned kinds : {0u, 4u}) {
    auto const in = elements<float>(3 * 20000, kinds);
    for (std::uint64_t k : {9500, 18999})
      expect_kth(call, in, test_rows{3, 19000, 20000}, k, {.nan = tally::skip}, "three rows");
  }
}

TEST(kth_value_on_a_device_of_one, orders_blocks_in_any_way) {
  for (unsigned kinds : {3u, 1'000'000u}) {
    auto const in = elements<std::int32_t>(5 * 8192, kinds);
    for (int order = 0; order < schedule::orders; ++order)
      for (unsigned seed : {1u, 2u}) {
        schedule const how(seed, 1, order);
        test_call call(2);
        expect_kth_of_one(call, in, 13000, {.order = tally::smallest}, "scheduled");
      }
  }
}

TEST(kth_value_of_an_input, is_of_its_elements_though_it_has_data) {
  std::vector<std::uint32_t> in(3000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::uint32_t(i * 0x9e3779b1u);
  tally::device_array<std::uint32_t> const data(in);
  for (auto& x : in) x *= 2;
  guarded_output<std::uint32_t> value(1);
  guarded_output<std::int64_t> index(1);
  test_call call(1);
  tally::detail::kth_value_on_gpu(
      call,
      tally::device::row_request<doubled, tally::detail::gpu_kth<std::uint32_t>>{
          {data.data(), in.size()},
          {.count = 1, .length = in.size()},
          tally::rank_order<std::uint32_t>::of(std::type_identity<std::uint32_t>{}, false, false),
          {100, 0, value.data(), index.data()}});
  tally::check(cudaDeviceSynchronize());
  auto const best =
      tally::top_k_oracle::ranked<std::uint32_t>(std::span(std::as_const(in)), top_k_options{});
  EXPECT_EQ(index.found()[0], best[99]);
  EXPECT_EQ(value.found()[0], in[std::size_t(best[99])]);
}

}  // namespace
