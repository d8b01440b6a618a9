// SPDX-License-Identifier: Apache-2.0
//
// Lists that are full to the last place, and by one too short: of a block and of a team, of what is
// above the threshold and of what is at it. In small ones, between bytes that stay as they are.
#include "tally/device/top_k/select/sampled_shape.cuh"

#include "support/device_reduce.cuh"
#include "tally/device/top_k/select/sampled.cuh"

namespace {

using namespace support;
using namespace tally::device;
using bits = std::uint32_t;
using row_type = array_row<bits>;

constexpr unsigned at_threshold = 1000, nobody = ~0u;
constexpr unsigned each = row_batch<bits>::each, batch_of_warp = 32 * row_batch<bits>::items;

struct outcome {
  unsigned found, placed, gathered, bytes_changed;
};

// Which bytes belong to a list: all others are to keep what they hold.
__host__ __device__ bool is_listed(sampled_shape const& s, unsigned i) {
  unsigned const lists[][2] = {
      {0, (s.kept + s.chosen) * 8},
      {s.keys_at, s.above * 4},
      {s.indices_at, (s.above + s.ties) * 4},
      {s.tags_at, 2 * (s.all_above ? s.all_above + s.all_ties : s.above + s.ties)},
      {s.bins_at, s.kept * 2}};
  for (auto const& [at, bytes] : lists)
    if (at <= i && i < at + bytes) return true;
  return false;
}

// Where a row of so many batches is looked at: at one element of each.
scattered places_of_sample(unsigned batches) { return {batches * batch_of_warp / each, batches}; }

// The threshold is the best of these.
__global__ void __launch_bounds__(selecting_threads)
    select_from(bits const* data, unsigned n, scattered places, tally::rank_order<bits> order,
                unsigned k, bool sorted, sampled_shape shape, workspace words, std::byte* global,
                two_counts<std::uint32_t>* totals, unsigned* indices, outcome* out) {
  __shared__ sampled_board<bits> board;
  __shared__ found_by_warps warps;
  auto* const shared = tally::dynamic_shared<unsigned char>();
  for (unsigned i = threadIdx.x; i < shape.shared_bytes; i += selecting_threads) shared[i] = 0xa5;
  if (threadIdx.x < most_groups) board.groups.runs[threadIdx.x] = 0;  // of which there are fewer
  __syncthreads();
  team all(words, 0, blockIdx.x, gridDim.x);
  sampled_memory<bits, std::uint32_t> const room{shape, global};
  row_type const row{data, n};
  sampling how(gridDim.x, n, k, each);
  how.groups = how.of_block = 16, how.elements = how.vectors = how.together = how.rank = 1;
  how.apart = 5, how.places = places;
  sampled_selection<row_type, std::uint32_t> search(all, board, room, row, order, k);
  bool const found = search.find(how);
  bool const placed =
      found && search.place(
                   warps, totals, sorted,
                   [&](unsigned place, bits, std::uint32_t index) { indices[place] = index; },
                   [&](std::uint32_t place, bits, std::uint32_t index) { indices[place] = index; });
  __syncthreads();
  for (unsigned i = threadIdx.x; i < shape.shared_bytes; i += selecting_threads)
    if (!is_listed(shape, i) && shared[i] != 0xa5) atomicAdd(&out->bytes_changed, 1u);
  if (all.thread() == 0)
    out->found = found, out->placed = placed, out->gathered = found && search.has_gathered();
  all.leave();
}

// With 16 bytes and more behind each list that nobody uses.
sampled_shape small_shape(unsigned blocks, unsigned k, bool sorted, unsigned above, unsigned ties,
                          unsigned all_above, unsigned all_ties) {
  sampled_shape s{};
  auto const behind = [](unsigned bytes) { return (bytes + 15) / 16 * 16 + 16; };
  s.above = above, s.ties = ties, s.kept = 128, s.chosen = sorted ? 0 : k;
  if (blocks > 1) s.all_above = all_above, s.all_ties = all_ties;
  s.keys_at = behind((s.kept + s.chosen) * 8);
  s.indices_at = s.keys_at + behind(above * 4);
  s.tags_at = s.indices_at + behind((above + ties) * 4);
  s.bins_at = s.tags_at + behind(2 * (blocks > 1 ? all_above + all_ties : above + ties));
  s.shared_bytes = s.bins_at + behind(2 * s.kept);
  if (blocks > 1) {
    s.all_indices_at = counts_bytes + behind((most_groups + all_above) * 4);
    s.global_bytes = s.all_indices_at + (all_above + all_ties) * 4;
  }
  return s;
}

// How many of a row are above the threshold and at it, by block; in one warp, or in all of them.
struct row_of_lists {
  std::vector<unsigned> above, ties;
  bool of_one_warp;

  std::vector<bits> values() const {
    auto const blocks = unsigned(above.size()), warps = 16 * blocks;
    std::vector<bits> row(warps * batch_of_warp);
    std::mt19937 random(above[0] + ties[0]);
    for (auto& x : row) x = random() % 500;
    std::vector<bool> is_looked_at(row.size());
    for (unsigned w = 0; w < warps; ++w) {
      auto const at = places_of_sample(warps)(w) * each;
      row[at] = at_threshold, is_looked_at[at] = true;
    }
    for (unsigned b = 0; b < blocks; ++b) {
      unsigned left_above = above[b], left_ties = ties[b] - 16;
      for (unsigned i = 1; left_above + left_ties > 0; ++i) {
        unsigned const turn = of_one_warp ? 3 : i % 16, in_warp = of_one_warp ? i : 1 + i / 16 * 5;
        unsigned const at = (turn * blocks + b) * batch_of_warp + in_warp;
        if (is_looked_at[at]) continue;
        bool const is_above = left_ties == 0 || (left_above > 0 && i % 2);
        row[at] = is_above ? at_threshold + 1 + random() % 3 : at_threshold;
        --(is_above ? left_above : left_ties);
      }
    }
    return row;
  }
};

struct rooms {
  unsigned above, ties, all_above, all_ties;
};

void expect_selected(row_of_lists const& lists, std::vector<bits> const& row, rooms const& room,
                     unsigned k, bool sorted) {
  auto const blocks = unsigned(lists.above.size());
  auto const shape =
      small_shape(blocks, k, sorted, room.above, room.ties, room.all_above, room.all_ties);
  test_call call(1);
  tally::device_array<bits> const in(row);
  tally::device_array<std::byte> global(std::max(16u, shape.global_bytes));
  tally::device_array<two_counts<std::uint32_t>> totals(blocks);
  tally::device_array<unsigned> places(k);
  tally::device_array<outcome> out(1);
  global.fill_bytes(0xa5), places.fill_bytes(0xff), out.fill_bytes(0);
  ASSERT_TRUE(tally::launch_together<select_from>(blocks, selecting_threads, shape.shared_bytes)(
      static_cast<bits const*>(in.data()), unsigned(row.size()),
      places_of_sample(unsigned(row.size()) / batch_of_warp),
      tally::rank_order<bits>::of(std::type_identity<bits>{}, false, false), k, sorted, shape,
      call.workspace(1), global.data(), totals.data(), places.data(), out.data()));
  tally::check(cudaDeviceSynchronize());

  unsigned above = 0, ties = 0, held = 0;
  for (unsigned b = 0; b < blocks; ++b) {
    above += lists.above[b], ties += lists.ties[b];
    held += std::min(lists.ties[b], room.ties);
  }
  bool const found = above <= (blocks > 1 ? room.all_above : room.above) && above + ties >= k;
  bool const lacks_ties = above < k && (held < ties || (blocks > 1 && held > room.all_ties));
  bool const placed = found && (sorted || !lacks_ties);
  std::vector<unsigned> order(row.size()), expected(k, nobody);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return row[a] > row[b]; });
  if (placed) std::copy_n(order.begin(), k, expected.begin());
  if (!sorted) std::ranges::sort(expected);

  auto const name = std::to_string(blocks) + " blocks, above " + std::to_string(lists.above[0]) +
                    " of " + std::to_string(above) + ", ties " + std::to_string(lists.ties[0]) +
                    " of " + std::to_string(ties) + ", k " + std::to_string(k) +
                    (sorted ? ", sorted" : "") + (lists.of_one_warp ? ", of one warp" : "");
  auto const how = out.to_host()[0];
  EXPECT_EQ(how.found, found) << name;
  EXPECT_EQ(how.placed, placed) << name;
  EXPECT_EQ(how.gathered, found && lacks_ties) << name;
  EXPECT_EQ(how.bytes_changed, 0u) << name;
  EXPECT_EQ(places.to_host(), expected) << name;
  auto const memory = global.to_host();
  for (unsigned i = counts_bytes + (most_groups + shape.all_above) * 4; i < shape.all_indices_at;
       ++i)
    ASSERT_EQ(memory[i], std::byte(0xa5)) << name << ": the team's keys end before " << i;
}

void expect_selected(row_of_lists const& lists, rooms const& room, unsigned k, bool sorted) {
  expect_selected(lists, lists.values(), room, k, sorted);
}

constexpr rooms small{20, 24, 30, 42};

TEST(lists_of_a_block, are_filled_to_the_last_place) {
  bool sorted = false;
  for (bool of_one_warp : {false, true})
    for (int more : {-1, 0, 1}) {
      unsigned const above = small.above + unsigned(more), ties = small.ties + unsigned(more);
      expect_selected({{above}, {20}, of_one_warp}, small, 30, true);
      expect_selected({{7}, {ties}, of_one_warp}, small, 30, sorted = !sorted);
      expect_selected({{above}, {ties}, of_one_warp}, small, above, !sorted);
    }
  expect_selected({{0}, {small.ties + 1}, false}, small, 25, true);
  expect_selected({{0}, {16}, false}, small, 17, true);
}

// Both blocks have as many, or one has more than it has room for, or than the team has.
TEST(lists_of_a_team, are_filled_to_the_last_place) {
  bool sorted = false;
  for (unsigned more : {0u, 1u, 2u}) {
    expect_selected({{14 + more, 15}, {18, 18}, more == 1}, small, 40, true);
    expect_selected({{19 + more, 10 - more / 2}, {18, 18}, false}, small, 29, sorted);
    expect_selected({{5, 6}, {20 + more, 21}, more == 1}, small, 40, sorted = !sorted);
    expect_selected({{5, 6}, {23 + more, 16}, more != 1}, small, 45, !sorted);
  }
  expect_selected({{29, 2}, {16, 18}, true}, small, 31, true);
  expect_selected({{28, 2}, {16, 18}, true}, small, 30, true);
  expect_selected({{small.above + small.all_above + 2, 0}, {16, 16}, false}, small, 30, true);
}

// None of those at the threshold has room, or all but the first.
TEST(lists_of_a_block_or_a_team, tell_of_the_first_tie_without_room) {
  rooms const none{20, 0, 30, 0};
  for (bool of_one_warp : {false, true}) {
    expect_selected({{3}, {40}, of_one_warp}, none, 25, true);
    expect_selected({{3, 4}, {16, 30}, of_one_warp}, none, 25, true);
  }
  // A warp's lanes put both of their vectors aside, one lane after the other.
  std::vector<bits> row(16 * batch_of_warp, 7);
  auto const of_lane = [&](unsigned lane, unsigned vector) -> bits& {
    return row[vector * 32 * each + lane * each];
  };
  for (unsigned lane = 0; lane < small.ties; ++lane) of_lane(lane, 1) = at_threshold;
  of_lane(31, 0) = at_threshold, row[1] = at_threshold + 1;
  row[places_of_sample(16)(15) * each] = at_threshold;  // what the last warp looks at
  expect_selected({{1}, {small.ties + 2}, true}, row, small, 20, true);
}

}  // namespace
