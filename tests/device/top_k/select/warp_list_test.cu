// SPDX-License-Identifier: Apache-2.0
//
// A warp's list, cut and sorted around what its lanes hold, with indices up to the last there is.
#include "tally/device/top_k/select/warp_list.cuh"

#include "support/device_reduce.cuh"

namespace {

using namespace support;
using tally::device::warp_list;

constexpr int sorted_each = 4;  // that a lane sorts

template <class Bits>
__global__ void cut_and_sort(Bits const* in, std::uint16_t const* at, unsigned n,
                             tally::rank_order<Bits> order, unsigned k, bool by_rank, Bits* keys,
                             std::uint16_t* indices, unsigned* count) {
  warp_list<Bits> list(keys, indices);
  list.clear();
  for (unsigned begin = 0; begin < n; begin += 32) {
    unsigned const i = begin + threadIdx.x;
    list.add(i < n ? in[i] : Bits(0), i < n ? at[i] : 0, i < n);
  }
  list.make_keys(order);
  list.cut(k);
  if (list.count() <= 32 * sorted_each) list.template sort<sorted_each>(by_rank);
  if (threadIdx.x == 0) *count = list.count();
}

// Memory ends with the list.
template <class Bits>
void expect_best(std::vector<Bits> const& in, std::vector<std::uint16_t> const& at, unsigned k,
                 unsigned turn) {
  auto const n = unsigned(in.size());
  bool const by_rank = turn % 2;
  tally::device_array<Bits> const from(in);
  tally::device_array<std::uint16_t> const places(at);
  tally::device_array<Bits> keys(n);
  tally::device_array<std::uint16_t> indices(n);
  tally::device_array<unsigned> count(1);
  tally::launch(cut_and_sort<Bits>, 1, 32)(
      from.data(), places.data(), n,
      tally::rank_order<Bits>::of(std::type_identity<Bits>{}, false, false), k, by_rank,
      keys.data(), indices.data(), count.data());
  tally::check(cudaDeviceSynchronize());
  std::vector<std::pair<Bits, unsigned>> want, got;
  for (unsigned i = 0; i < n; ++i) want.push_back({in[i], at[i]});
  std::ranges::stable_sort(want, [](auto const& a, auto const& b) { return a.first > b.first; });
  want.resize(std::min(n, k));
  auto const by_index = [](auto const& a, auto const& b) { return a.second < b.second; };
  bool const is_sorted = want.size() <= 32 * sorted_each;
  if (!is_sorted || !by_rank) std::ranges::sort(want, by_index);
  auto const name =
      std::to_string(n) + " entries, k " + std::to_string(k) + ", turn " + std::to_string(turn);
  ASSERT_EQ(count.to_host()[0], want.size()) << name;
  auto const found = keys.to_host();
  auto const where = indices.to_host();
  for (std::size_t i = 0; i < want.size(); ++i) got.push_back({found[i], where[i]});
  EXPECT_EQ(got, want) << name;
}

// Of a few values, the worst there is among them, most are alike, or all, or few; and the last may
// be the best.
template <class Bits>
void expect_list(unsigned n, unsigned k, unsigned turn) {
  std::mt19937_64 random(n + k);
  std::vector<Bits> in(n);
  std::vector<std::uint16_t> at(n);
  for (unsigned i = 0; i < n; ++i) {
    in[i] = Bits(random() % 3 ? 7 : random() % 3 * 0x1234'5678);
    at[i] = std::uint16_t(0xffff - (n - 1 - i) * (turn % 3 == 2 ? 1 : 0xffff / n));
  }
  if (turn % 4 == 1) std::ranges::fill(in, Bits(0));
  if (turn % 4 == 3) std::ranges::generate(in, [&] { return Bits(random()); });
  if (turn % 4 > 1) in[n - 1] = Bits(~Bits(0));
  expect_best(in, at, k, turn);
}

template <class Bits>
class lists_of_a_warp : public ::testing::Test {};
using widths = ::testing::Types<std::uint8_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(lists_of_a_warp, widths);

TYPED_TEST(lists_of_a_warp, have_the_best_around_what_lanes_hold) {
  unsigned const held = 32 * (sizeof(TypeParam) == 8 ? 6 : 12);
  unsigned turn = 0;
  for (unsigned n : {1u, 33u, held, held + 1})
    for (unsigned k : {1u, 32u, 127u, 128u, n - 1, n})
      if (0 < k && k <= n) expect_list<TypeParam>(n, k, turn++);
}

// The first element, whose index is 0, is the best of those that are left out.
TYPED_TEST(lists_of_a_warp, leave_out_the_next_best) {
  for (unsigned k : {1u, 10u, 31u}) {
    std::vector<TypeParam> in(100);
    std::vector<std::uint16_t> at(in.size());
    for (unsigned i = 0; i < in.size(); ++i) {
      in[i] = TypeParam(i == 0 ? 110 : i <= k ? 200 + i : 100 - i);
      at[i] = std::uint16_t(i);
    }
    for (unsigned turn = 0; turn < 4; ++turn) expect_best(in, at, k, turn);
  }
}

}  // namespace
