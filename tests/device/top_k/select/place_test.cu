// SPDX-License-Identifier: Apache-2.0
//
// Places of entries in lists of any length and order, found by one block or several.
#include "tally/device/top_k/select/place.cuh"

#include "support/device_reduce.cuh"

namespace {

using namespace support;
using tally::device::selecting_threads;

constexpr unsigned most = 1600, nobody = ~0u;

template <class Entry>
struct alignas(16) list_room {
  Entry entries[most + 8];
};

template <class Rank>
__global__ void __launch_bounds__(selecting_threads)
    place(typename Rank::type const* list, unsigned count, unsigned limit, unsigned room,
          unsigned* places, unsigned* emitted) {
  using entry = typename Rank::type;
  __shared__ tally::device::place_board<entry> board;
  __shared__ list_room<entry> kept;
  __shared__ std::uint16_t bins[most + 8], tags[most];
  auto const emit = [&](unsigned at, entry const& x) {
    places[at] = Rank::index(x);
    atomicAdd(emitted, 1u);
  };
  unsigned const spare = (most + 8 - room) & ~3u;  // so that lists end where the memory does
  bool const placed = tally::device::place_entries<Rank>(
      blockIdx.x, gridDim.x, board, {kept.entries + spare, bins + spare, room},
      tags + (most - count), count, limit, [&](unsigned i) { return list[i]; }, emit);
  if (!placed && threadIdx.x == 0) atomicAdd(emitted + 1, 1u);
}

template <class Bits>
struct pair {
  Bits key;
  std::uint32_t index;
};

// The best of a list are where a sort puts them; or no block emits any, if they have no room.
template <class Bits, class Rank = tally::device::ranked<Bits>>
void expect_places(std::vector<pair<Bits>> const& list, unsigned limit, unsigned blocks,
                   std::string const& what, unsigned room = most + 8, bool fits = true) {
  using entry = typename Rank::type;
  auto const name = what + ", " + std::to_string(list.size()) + " entries, " +
                    std::to_string(blocks) + " blocks, limit " + std::to_string(limit);
  tally::device_array<entry> in(list.size());
  tally::device_array<unsigned> places(limit), emitted(2);
  std::vector<entry> made;
  for (auto const& [key, index] : list) {
    if constexpr (sizeof(entry) == 8)
      made.push_back(std::uint64_t(key) << 32 | std::uint32_t(~index));
    else
      made.push_back({key, index});
  }
  put(made, in, 0);
  places.fill_bytes(0xff), emitted.fill_bytes(0);
  tally::launch(place<Rank>, blocks, selecting_threads)(in.data(), unsigned(list.size()), limit,
                                                        room, places.data(), emitted.data());
  tally::check(cudaDeviceSynchronize());

  auto order = list;
  bool const by_index = std::is_same_v<Rank, tally::device::ranked_by_index<Bits>>;
  std::ranges::sort(order, [=](auto const& a, auto const& b) {
    return by_index || a.key == b.key ? a.index < b.index : a.key > b.key;
  });
  std::vector<unsigned> expected(limit, nobody);
  for (std::size_t i = 0; fits && i < limit && i < order.size(); ++i) expected[i] = order[i].index;
  EXPECT_EQ(places.to_host(), expected) << name;
  unsigned const some = fits ? unsigned(std::min<std::size_t>(limit, list.size())) : 0;
  EXPECT_EQ(emitted.to_host(), (std::vector<unsigned>{some, fits ? 0 : blocks})) << name;
}

template <class Bits>
std::vector<pair<Bits>> entries(unsigned count, unsigned kinds, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<pair<Bits>> list(count);
  for (unsigned i = 0; i < count; ++i)
    list[i] = {Bits(kinds ? random() % kinds * 0x10001 : random()), i * 3 + 1};
  std::ranges::shuffle(list, random);
  return list;
}

template <class Bits>
class places : public ::testing::Test {};
using widths = ::testing::Types<std::uint8_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(places, widths);

TYPED_TEST(places, are_those_of_a_sort) {
  for (unsigned count : {1u, 2u, 255u, 256u, 257u, 300u, 999u, most})
    for (unsigned kinds : {0u, 1u, 40u})
      for (unsigned blocks : {1u, 3u}) {
        auto const list = entries<TypeParam>(count, kinds, count + kinds);
        std::string const what = std::to_string(kinds) + " kinds";
        for (unsigned limit : {1u, count / 2 + 1, count}) expect_places(list, limit, blocks, what);
        expect_places<TypeParam, tally::device::ranked_by_index<TypeParam>>(list, count, blocks,
                                                                            what);
      }
}

// Each block has a few of the entries: as many as there are edges, one more, and fewer than that.
TYPED_TEST(places, are_found_by_many_blocks) {
  constexpr unsigned blocks = 23, most_own = blocks * tally::device::edges;
  for (unsigned count : {257u, most_own, most_own + 1})
    for (unsigned kinds : {0u, 1u, 40u}) {
      auto const list = entries<TypeParam>(count, kinds, count + kinds);
      std::string const what = std::to_string(kinds) + " kinds";
      expect_places(list, count / 3, blocks, what);
      expect_places<TypeParam, tally::device::ranked_by_index<TypeParam>>(list, count, blocks,
                                                                          what);
    }
}

TEST(places_of_a_list, may_be_asked_for_beyond_its_end) {
  for (unsigned count : {0u, 100u, 400u})
    for (unsigned blocks : {1u, 2u})
      expect_places(entries<std::uint32_t>(count, 0, 1), count + 70, blocks, "too few");
  expect_places(entries<std::uint32_t>(300, 0, 1), 5, 40, "more blocks than places");
}

TEST(places_of_a_list, are_found_however_entries_are_distributed) {
  std::vector<pair<std::uint32_t>> rising(most), outliers(most), powers(most);
  for (unsigned i = 0; i < most; ++i) {
    rising[i] = {i, i};
    outliers[i] = {i < 3 ? ~i : i * 7919 % most, i};
    powers[i] = {1u << i % 32, i};
  }
  for (unsigned blocks : {1u, 4u})
    for (unsigned limit : {100u, most}) {
      expect_places(rising, limit, blocks, "rising");
      expect_places(outliers, limit, blocks, "outliers");
      expect_places(powers, limit, blocks, "powers of two");
    }
}

// The edges are all from the worst, so that the others are in the first bins; in one of them.
std::vector<pair<std::uint32_t>> entries_of_one_bin(unsigned count) {
  std::vector<pair<std::uint32_t>> list(count);
  for (unsigned i = 0; i < count; ++i) list[i] = {0x8000'0000u + i % 5, i};
  for (unsigned e = 0; e < tally::device::edges; ++e)
    list[tally::device::place_of_edge(e, count)].key = e;
  return list;
}

TEST(places_of_a_list, are_not_emitted_where_a_bin_has_no_room) {
  auto const list = entries_of_one_bin(most);
  for (unsigned blocks : {1u, 3u}) {
    expect_places(list, 500, blocks, "in one bin", 1200, false);
    expect_places(list, 500, blocks, "in one bin with room");
  }
}

// Beside a part's share room for the bin and seven more, or for all and three more.
TEST(places_of_a_list, fill_their_room_to_the_last) {
  unsigned const count = 260, in_bin = count - tally::device::edges;
  auto const list = entries_of_one_bin(count);
  for (unsigned blocks : {1u, 3u})
    for (bool fits : {false, true}) {
      unsigned const share = (20 + blocks - 1) / blocks;
      expect_places(list, 20, blocks, "the bin", share + in_bin + 6 + fits, fits);
      expect_places(list, 200, blocks, "all", count + 2 + fits, fits);
    }
}

}  // namespace
