// SPDX-License-Identifier: Apache-2.0
#include "tally/device/grid/tile_states.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

using namespace tally;

// The tiles [begin, end), told in each of some words, so that a mixture of two shows.
template <int Words>
struct range {
  std::uint32_t begin[Words], end[Words];
};
template <int Words>
__host__ __device__ range<Words> range_of(std::uint32_t begin, std::uint32_t end) {
  range<Words> r;
  for (int i = 0; i < Words; ++i) r.begin[i] = begin + unsigned(i), r.end[i] = end + unsigned(i);
  return r;
}
template <int Words>
__host__ __device__ bool is_range(range<Words> const& r, std::uint32_t begin, std::uint32_t end) {
  bool is = true;
  for (int i = 0; i < Words; ++i)
    is = is && r.begin[i] == begin + unsigned(i) && r.end[i] == end + unsigned(i);
  return is;
}

constexpr std::uint32_t nowhere = ~0u;

// Every block tells block 0, which says in what order it finds that all have told the truth.
template <int Words>
__global__ void tell_the_first(device::status_word* words, std::uint32_t epoch,
                               std::uint32_t* told) {
  device::tile_states<range<Words>> const states(words, epoch);
  if (blockIdx.x > 0) {
    if (threadIdx.x == 0)
      states.publish(blockIdx.x - 1, range_of<Words>(blockIdx.x, blockIdx.x + epoch));
    return;
  }
  for (unsigned b = threadIdx.x; b + 1 < gridDim.x; b += blockDim.x)
    told[b] = is_range(states.await(b), b + 1, b + 1 + epoch) ? epoch : nowhere;
}

// A scan's decoupled look-back: a block draws a tile, publishes it, goes back until it finds one
// that knows all before it, too, and then publishes all up to its own. `begins` has the drawn
// number last.
constexpr std::uint32_t own = 1, all_before_too = 2;

template <int Words>
__global__ void look_back(device::status_word* words, std::uint32_t epoch, std::uint32_t* begins) {
  if (threadIdx.x != 0) return;
  device::tile_states<range<Words>> const states(words, epoch);
  std::uint32_t const tile = atomicAdd(begins + gridDim.x, 1u) + 1;  // it was -1
  std::uint32_t begin = tile;
  if (tile > 0) states.publish(tile, range_of<Words>(tile, tile + 1), own);
  for (std::uint32_t at = tile, note = own; at > 0 && note == own; --at) {
    range<Words> found;
    while (!states.look(at - 1, found, note)) {
    }
    bool const right = is_range(found, found.begin[0], begin);
    begin = right ? found.begin[0] : nowhere;
    if (!right) break;
  }
  states.publish(tile, range_of<Words>(begin, tile + 1), all_before_too);
  begins[tile] = begin;
}

template <int Words, class Kernel, class Want>
void expect_everywhere(Kernel kernel, unsigned blocks, Want want) {
  device_array<device::status_word> words(std::size_t(blocks) * device::words_of<range<Words>>);
  words.fill_bytes(0);
  for (std::uint32_t epoch = 1; epoch <= 3; ++epoch) {
    device_array<std::uint32_t> out(blocks + 1);
    out.fill_bytes(0xff);
    launch(kernel, blocks, 32)(words.data(), epoch, out.data());
    EXPECT_EQ(out.to_host(), want(blocks, epoch)) << Words << " words, launch " << epoch;
  }
}

template <int Words>
void expect_told(unsigned blocks) {
  expect_everywhere<Words>(tell_the_first<Words>, blocks, [](unsigned n, unsigned epoch) {
    std::vector<std::uint32_t> all(n + 1, epoch);
    all[n - 1] = all[n] = nowhere;  // the first block tells nobody
    return all;
  });
}
template <int Words>
void expect_prefixes(unsigned blocks) {
  expect_everywhere<Words>(look_back<Words>, blocks, [](unsigned n, unsigned) {
    std::vector<std::uint32_t> all(n + 1, 0);
    all[n] = n - 1;
    return all;
  });
}

TEST(tile_states, are_told_to_the_first_block) {
  expect_told<1>(2);
  expect_told<3>(40);
  expect_told<9>(33);
}

TEST(tile_states, are_looked_back_at_by_later_tiles) {
  expect_prefixes<1>(1);
  expect_prefixes<1>(40);
  expect_prefixes<3>(33);
  expect_prefixes<9>(20);
}

__global__ void look_once(device::status_word* words, std::uint32_t epoch, bool* found) {
  range<3> r;
  std::uint32_t note = 0;
  device::tile_states<range<3>> const states(words, epoch);
  found[0] = states.look(1, r, note);
  states.publish(1, range_of<3>(4, 5), 7);
  found[1] = states.look(1, r, note) && note == 7 && is_range(r, 4, 5);
  device::publish(words + 5, 1, device::tag_of(epoch, 8));  // one word of another publication
  found[2] = states.look(1, r, note);
}

TEST(tile_states, are_not_seen_before_all_words_of_a_publication_are_there) {
  device_array<device::status_word> words(6);
  words.fill_bytes(0);
  device_array<unsigned char> found(3);
  for (std::uint32_t epoch : {1u, 2u}) {
    launch(look_once, 1, 1)(words.data(), epoch, reinterpret_cast<bool*>(found.data()));
    EXPECT_EQ(found.to_host(), (std::vector<unsigned char>{0, 1, 0})) << "launch " << epoch;
  }
}

}  // namespace
