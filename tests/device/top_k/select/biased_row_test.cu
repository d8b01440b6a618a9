// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/select/biased_row.cuh"

#include "support/top_k_rows.cuh"
#include "tally/device/top_k/launch.cuh"

namespace {

using namespace support;

template <class T>
tally::rank_order<tally::bits_of<T>> order_of(top_k_options const& options) {
  return tally::rank_order<tally::bits_of<T>>::of(
      std::type_identity<T>{}, options.order == tally::smallest, options.nan == tally::skip);
}

// Sums choose, and elements come back: with a bias for each row, or one for all.
template <class T>
void expect_biased(std::uint64_t count, std::uint64_t length, std::uint64_t gap, std::uint64_t k,
                   shape which, bool of_each_row, top_k_options const& options, int offset = 0) {
  using bits = tally::bits_of<T>;
  std::uint64_t const stride = length + gap;
  auto const in = values_of<T>(which, count * stride, unsigned(length));
  auto const bias = values_of<T>(which, of_each_row ? in.size() : length, unsigned(k + 7));
  tally::device_array<T> data(in.size() + std::size_t(offset)),
      more(bias.size() + std::size_t(offset));
  put(in, data, offset), put(bias, more, offset);
  tally::device_array<bits> values(count * k);
  tally::device_array<std::int64_t> indices(count * k);
  tally::device_array<std::uint64_t> counts(count);
  test_call call(1);
  bool const started = tally::detail::biased_top_k_on_gpu(
      call, tally::device::biased_request<bits>{
                {reinterpret_cast<bits const*>(data.data()) + offset,
                 reinterpret_cast<bits const*>(more.data()) + offset, of_each_row,
                 std::is_same_v<T, tally::float16>},
                {.count = count, .length = length, .stride = std::int64_t(stride)},
                order_of<T>(options),
                {k, nullptr, options.sorted, 0x55, values.data(), indices.data(), nullptr,
                 counts.data()}});
  ASSERT_TRUE(started);
  tally::check(cudaDeviceSynchronize());
  auto const found = values.to_host();
  auto const at = indices.to_host();
  auto const counted = counts.to_host();
  for (std::uint64_t r = 0; r < count; ++r) {
    std::vector<T> sums;
    for (std::uint64_t i = 0; i < length; ++i)
      sums.push_back(
          T(double(in[r * stride + i]) + double(bias[(of_each_row ? r * stride : 0) + i])));
    auto best = tally::top_k_oracle::ranked<T>(sums, options);
    best.resize(std::min<std::uint64_t>(best.size(), k));
    if (!options.sorted) std::ranges::sort(best);
    ASSERT_EQ(counted[r], best.size());
    for (std::uint64_t i = 0; i < k; ++i) {
      bool const there = i < best.size();
      ASSERT_EQ(at[r * k + i], there ? best[i] : -1) << "row " << r << ", place " << i;
      ASSERT_EQ(found[r * k + i],
                there ? tally::to_bits(in[r * stride + std::uint64_t(best[i])]) : bits(0x55));
    }
  }
}

template <class T>
class a_biased_row : public ::testing::Test {};
using biased_elements = ::testing::Types<tally::float16, tally::bfloat16, float>;
TYPED_TEST_SUITE(a_biased_row, biased_elements);

TYPED_TEST(a_biased_row, is_chosen_by_sums) {
  unsigned turn = 0;
  for (auto which : shapes)
    for (std::uint64_t length : {7u, 250u, 256u, 384u, 1024u})
      for (bool of_each_row : {true, false}) {
        std::uint64_t const k = std::min<std::uint64_t>(length, turn % 2 ? 8 : 32);
        expect_biased<TypeParam>(turn % 3 ? 13 : 2, length, turn % 5 ? 0 : 3, k, which, of_each_row,
                                 all_options()[turn % 8], int(turn % 7 == 0));
        ++turn;
      }
}

TEST(biased_rows, have_limits) {
  test_call call(1);
  tally::device::biased_request<std::uint32_t> request{
      {nullptr, nullptr, true, false},
      {.count = 1, .length = 1025, .stride = 1025},
      order_of<float>({}),
      {8, nullptr, true, 0, nullptr, nullptr, nullptr, nullptr}};
  EXPECT_FALSE(tally::detail::biased_top_k_on_gpu(call, request));
  request.rows.length = 1024, request.how.most = 33;
  EXPECT_FALSE(tally::detail::biased_top_k_on_gpu(call, request));
  request.how.most = 8, request.rows.step = 2;
  EXPECT_FALSE(tally::detail::biased_top_k_on_gpu(call, request));
  request.rows.step = 1, request.how.distinct = true;
  EXPECT_FALSE(tally::detail::biased_top_k_on_gpu(call, request));
  request.how.distinct = false, request.rows.count = 0;
  EXPECT_TRUE(tally::detail::biased_top_k_on_gpu(call, request));
}

}  // namespace
