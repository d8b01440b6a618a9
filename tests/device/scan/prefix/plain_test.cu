// SPDX-License-Identifier: Apache-2.0
#include "tally/device/scan/prefix/plain.cuh"

#include "support/device_scan.cuh"

namespace {

using namespace support;

// A warp that carries over these tiles, one after the other, where each has a single element; what
// it knows before each of them.
template <class Prefix>
__global__ void carry_over(Prefix const prefix, tally::device::status_word* words,
                           std::uint32_t epoch, typename Prefix::element const* in,
                           std::uint32_t const* tiles, int steps, typename Prefix::result* out) {
  __shared__ typename Prefix::start start;
  using state = typename Prefix::state;
  tally::device::tile_states<state> const totals(words, epoch);
  for (std::uint32_t t = threadIdx.x; t < tiles[steps - 1]; t += tally::warp_size)
    totals.publish(t, prefix.a.lift(in[t], t));
  __syncwarp();
  auto carried = prefix.begin();
  tally::device::mailbox const at{words, nullptr, epoch};
  std::uint32_t from = 0;
  for (int i = 0; i < steps; ++i) {
    prefix.carry(carried, at, from, tiles[i], start);
    if (threadIdx.x == 0) out[i] = lower_or_none(prefix.a, state(start));
    __syncwarp();
    from = tiles[i];
  }
}

template <class A>
void expect_carried(A const& a, std::vector<typename A::element> const& in, bool reverse,
                    std::optional<typename A::result> const& init,
                    std::vector<std::uint32_t> const& tiles) {
  auto const prefix = tally::device::make_plain_prefix(
      a, false, reverse,
      tally::detail::start_of_scan(
          a, tally::detail::gpu_scan<typename A::result>{false, reverse, init, nullptr}));
  using prefix_type = std::remove_const_t<decltype(prefix)>;
  using result = typename A::result;
  tally::device_array<tally::device::status_word> words(std::size_t(tiles.back() + 1) *
                                                        prefix_type::words);
  words.fill_bytes(0);
  tally::device_array<typename A::element> const elements(in);
  tally::device_array<std::uint32_t> const numbers(tiles);
  tally::device_array<result> out(tiles.size());
  tally::launch(carry_over<prefix_type>, 1, 32)(prefix, words.data(), 3u, elements.data(),
                                                numbers.data(), int(tiles.size()), out.data());
  auto const got = out.to_host();
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    std::vector<typename A::element> before(in.begin(), in.begin() + tiles[i]);
    if (reverse) std::reverse(before.begin(), before.end());
    result const want =
        scan_on_host(a, before, {.exclusive = false, .reverse = reverse, .init = init}).total;
    EXPECT_EQ(memcmp(&got[i], &want, sizeof want), 0)
        << "before the tile " << tiles[i] << (reverse ? ", reverse" : "");
  }
}

// Distances around groups of 32 tiles, and around six of them, which are asked for at once.
std::vector<std::uint32_t> const many_tiles[] = {{0, 1, 2, 34, 66, 97, 129, 320, 512, 705, 1105},
                                                 {500},
                                                 {31, 32, 33, 63, 96, 287, 480},
                                                 {5, 6, 200}};

struct affine {  // modulo 2^32; no two commute
  std::uint32_t scale, offset;
};
struct after {
  TALLY_FN affine operator()(affine const& a, affine const& b) const {
    return {a.scale * b.scale, a.offset * b.scale + b.offset};
  }
};
struct wide_affine {  // in several status words
  std::uint64_t scale, offset, third;
};
struct wide_after {
  TALLY_FN wide_affine operator()(wide_affine const& a, wide_affine const& b) const {
    return {a.scale * b.scale, a.offset * b.scale + b.offset, a.third + b.third};
  }
};

TEST(plain_prefixes, carry_over_any_number_of_tiles_in_order) {
  std::mt19937_64 random(1);
  std::vector<affine> in(1106);
  std::vector<wide_affine> wide(1106);
  for (auto& x : in) x = {unsigned(random()) | 1, unsigned(random())};
  for (auto& x : wide) x = {random() | 1, random(), random()};
  for (auto const& tiles : many_tiles)
    for (bool reverse : {false, true}) {
      expect_carried(tally::operation<affine, after>{}, in, reverse, in[1105], tiles);
      expect_carried(tally::operation<wide_affine, wide_after>{}, wide, reverse, wide[1105], tiles);
    }
}

}  // namespace
