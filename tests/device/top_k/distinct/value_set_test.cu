// SPDX-License-Identifier: Apache-2.0
//
// Sets that are as large as they may be when they are written, and larger by one; and which
// elements are seen to be good enough for one.
#include "tally/device/top_k/distinct/value_set.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;
using namespace tally::device;
using set_type = value_set<std::uint32_t, std::uint32_t>;

// Adds the keys `values`, 0 and all of them again, with later indices.
__global__ void __launch_bounds__(selecting_threads)
    fill(unsigned k, unsigned values, key_pairs<std::uint32_t, std::uint32_t> to, unsigned* count) {
  __shared__ value_set_board board;
  set_type set(tally::dynamic_shared<std::byte>(), board, k, 0);
  for (unsigned at : {0u, 1000u})
    for (unsigned key = threadIdx.x; key <= values; key += selecting_threads)
      set.add(key, at + key);
  __syncthreads();
  set.trim();
  unsigned const written = set.put(to);
  if (threadIdx.x == 0) *count = written;
}

// Where there are as many as it may have beside the key 0 nothing is left out, where there is one
// more all but the best.
TEST(value_sets_of_a_block, are_written_where_they_just_fit) {
  unsigned const k = 20, most = set_type::most_left(k);
  for (unsigned values : {most - 2, most - 1, most}) {
    tally::device_array<std::uint32_t> keys(most), indices(most);
    tally::device_array<unsigned> count(1);
    keys.fill_bytes(0xa5), indices.fill_bytes(0xa5);
    tally::launch(fill, 1, selecting_threads, set_type::bytes)(
        k, values, {keys.data(), indices.data()}, count.data());
    tally::check(cudaDeviceSynchronize());
    auto found = keys.to_host();
    auto const at = indices.to_host();
    unsigned const written = count.to_host()[0];
    ASSERT_LE(written, most);
    ASSERT_TRUE(values == most ? written >= k : written == values + 1) << values << ' ' << written;
    for (unsigned i = 0; i < written; ++i) EXPECT_EQ(at[i], found[i]) << values;
    std::ranges::sort(found.begin(), found.begin() + written, std::greater());
    for (unsigned i = 0; i < written; ++i) EXPECT_EQ(found[i], values - i) << values;
  }
}

// Whether each of all elements seems good enough beside worse ones, which lie on either side.
template <class Bits>
__global__ void look(tally::rank_order<Bits> order, Bits least, Bits worst,
                     unsigned char* reached) {
  constexpr int each = 8 / int(sizeof(Bits));
  narrow_reach<Bits> const reach(order, least);
  for (unsigned x = blockIdx.x * blockDim.x + threadIdx.x; x < 1u << 8 * sizeof(Bits);
       x += gridDim.x * blockDim.x) {
    Bits some[each];
    for (int i = 0; i < each; ++i) some[i] = i == int(x % each) ? Bits(x) : worst;
    reached[x] = reach.any(some);
  }
}

template <class T>
class narrow_elements : public ::testing::Test {};
using some_elements = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                       tally::float16, tally::bfloat16>;
TYPED_TEST_SUITE(narrow_elements, some_elements);

// None that is good enough is passed over. Of others only NaNs may seem to be.
TYPED_TEST(narrow_elements, are_seen_if_they_are_good_enough) {
  using bits = tally::bits_of<TypeParam>;
  constexpr unsigned all = 1u << 8 * sizeof(bits);
  for (auto const& options : all_options<TypeParam>()) {
    auto const order = tally::rank_order<bits>::of(
        std::type_identity<TypeParam>{}, options.order == tally::smallest,
        tally::floating<TypeParam> && options.nan == tally::skip);
    bits worst = 0;
    for (unsigned x = 0; x < all; ++x)
      if (order(bits(x)) < order(worst) && !order.is_of_several(order(bits(x)))) worst = bits(x);
    for (unsigned chosen = 1; chosen < all; chosen = 3 * chosen + 7) {
      bits const least = order(bits(chosen));
      if (order.is_of_several(least) || least <= order(worst)) continue;
      tally::device_array<unsigned char> reached(all);
      tally::launch(look<bits>, 2, 256, 0)(order, least, worst, reached.data());
      tally::check(cudaDeviceSynchronize());
      auto const seen = reached.to_host();
      for (unsigned x = 0; x < all; ++x) {
        bool nan = false;
        if constexpr (tally::floating<TypeParam>)
          nan = tally::is_nan(tally::from_bits<TypeParam>(bits(x)));
        bool const good = order(bits(x)) >= least;
        ASSERT_TRUE(good ? seen[x] : nan || !seen[x]) << x << ", least " << unsigned(least);
      }
    }
  }
}

// Where the least is a NaN or a zero, all seem to be.
TYPED_TEST(narrow_elements, are_all_seen_where_bits_do_not_tell) {
  using bits = tally::bits_of<TypeParam>;
  for (bool const smallest : {false, true}) {
    auto const order =
        tally::rank_order<bits>::of(std::type_identity<TypeParam>{}, smallest, false);
    tally::device_array<unsigned char> reached(1u << 8 * sizeof(bits));
    tally::launch(look<bits>, 1, 256, 0)(order, bits(0), bits(1), reached.data());
    tally::check(cudaDeviceSynchronize());
    for (auto const seen : reached.to_host()) ASSERT_TRUE(seen);
  }
}

}  // namespace
