// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/distinct/value_sets.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;
using top_k_path = row_path;

// Selects different values, and says which rows were to be found in sets.
template <class T>
void expect_values(test_call& call, std::vector<T> const& in, test_rows const& rows,
                   std::uint64_t k, top_k_options options, std::uint64_t in_sets,
                   std::string const& what, int offset = 0) {
  paths taken;
  options.distinct = true;
  expect_top_k(call, in, rows, k, options, what, offset, false, &taken);
  EXPECT_EQ(taken[unsigned(top_k_path::value_set)], in_sets) << what << ", k = " << k;
}

// Of so many values, each again and again, in any order.
template <class T>
std::vector<T> repeated(std::size_t n, std::size_t values, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (auto& x : out)
    x = tally::from_bits<T>(tally::bits_of<T>(random() % values * 0x9e3779b97f4a7c15u >> 7));
  return out;
}

template <class T>
class value_sets : public ::testing::Test {};
using some_elements = ::testing::Types<float, std::uint64_t>;
TYPED_TEST_SUITE(value_sets, some_elements);

TYPED_TEST(value_sets, of_teams_of_every_size_have_the_values_of_all) {
  struct {
    std::size_t values;
    std::uint64_t k;
    top_k_options options;
  } const cases[] = {{1, 2, {}},
                     {3, 150, {.order = tally::smallest, .sorted = false}},
                     {200, 150, {.order = tally::smallest, .nan = tally::skip}}};
  for (auto const& team : teams)
    for (auto const& [values, k, options] : cases) {
      auto const in = repeated<TypeParam>(length_for<TypeParam>(team), values);
      test_call call(team.multiprocessors);
      expect_values(call, in, {1, in.size(), in.size()}, k, options, 1,
                    std::to_string(team.blocks) + " blocks, " + std::to_string(values));
    }
}

TYPED_TEST(value_sets, of_rows_at_any_address_have_their_ends) {
  for (std::size_t n : {1, 5, 512, 513, 2050, 9001})
    for (int offset : {0, 1, 3}) {
      auto const in = repeated<TypeParam>(n, n / 2 + 1);
      test_call call(2);
      std::uint64_t const in_sets = n > 512;  // shorter rows are sorted sooner
      expect_values(call, in, {1, n, n}, 40, {.sorted = false}, in_sets, std::to_string(n), offset);
    }
}

// More values than a set has room for, which then is cut, and cut again.
enum class order_of_values { any, rising, falling, equal_and_any };
template <class T>
std::vector<T> many_values(order_of_values order, std::size_t n) {
  std::vector<T> out(n);
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < n; ++i) out[i] = T(i / 2);
  if (order == order_of_values::falling) std::ranges::reverse(out);
  if (order == order_of_values::any) std::ranges::shuffle(out, random);
  if (order == order_of_values::equal_and_any)
    for (auto& x : out) x = random() % 2 ? T(n) : T(random() % n);
  return out;
}
TEST(value_sets_that_are_full, keep_the_best) {
  for (auto order : {order_of_values::any, order_of_values::rising, order_of_values::falling,
                     order_of_values::equal_and_any})
    for (std::uint64_t k : {1, 60, 2048}) {
      auto const what = "order " + std::to_string(int(order));
      test_call call(k == 60 ? 3 : 1);
      auto const in = many_values<float>(order, 25001);
      expect_values(call, in, {1, in.size(), in.size()}, k, {.sorted = k > 256}, 1, what);
      auto const wide = many_values<std::int64_t>(order, 12001);
      expect_values(call, wide, {1, wide.size(), wide.size()}, k, {.sorted = k > 256}, 1, what);
    }
}

// Each tile has a value of its own, and the next of a block's tiles is not the next of the row.
TEST(value_sets_of_many_tiles, have_the_values_of_each) {
  for (std::size_t tiles : {6, 7, 11, 13}) {
    std::vector<float> in(tiles * tile<float> - 5);
    for (std::size_t t = 0; t < tiles; ++t) in[t * tile<float> + 37 * t] = float(1 + t);
    test_call call(1);
    expect_values(call, in, {1, in.size(), in.size()}, tiles + 1, {.sorted = false}, 1,
                  std::to_string(tiles) + " tiles");
  }
}

// The worst of all have the key 0, which is no key of the table.
TEST(value_sets_of_the_worst, have_the_key_0) {
  std::vector<std::uint32_t> in(20000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::uint32_t(i % 7 == 3 ? 0 : 1 + i % 90);
  for (std::uint64_t k : {90, 91}) {
    test_call call(1);
    expect_values(call, in, {1, in.size(), in.size()}, k, {.sorted = false}, 1, "with 0");
  }
  std::vector<std::uint32_t> const zeros(9000);
  test_call call(1);
  expect_values(call, zeros, {1, zeros.size(), zeros.size()}, 3, {.sorted = false}, 1, "zeros");
}

// 4181 comes to slot 0, and many look for the key 0, which an empty slot has: none of them may take
// it as known, whatever it sees of that slot before and after.
__global__ void look_for_0(unsigned* known) {
  __shared__ tally::device::value_set_board board;
  tally::device::value_set<std::uint32_t, std::uint32_t> set(tally::dynamic_shared<std::byte>(),
                                                             board, 10, 0);
  if (threadIdx.x == 0)
    set.add(4181, 0);
  else if (threadIdx.x >= 32 && !set.lacks(0, 1000 + threadIdx.x))
    atomicAdd(known, 1u);
  __syncthreads();
}
TEST(value_sets_of_the_worst, do_not_know_0_by_an_empty_slot) {
  tally::device_array<unsigned> known(1);
  known.fill_bytes(0);
  constexpr auto bytes = tally::device::value_set<std::uint32_t, std::uint32_t>::bytes;
  tally::launch(look_for_0, 100, tally::device::selecting_threads, bytes)(known.data());
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(known.to_host()[0], 0u);
  std::vector<std::uint32_t> in(600, 7);
  in[0] = 4181, in[300] = 0;
  test_call call(1);
  expect_values(call, in, {1, in.size(), in.size()}, 10, {.sorted = false}, 1, "slot 0");
}

TEST(value_sets_of_floats, know_nans_and_zeros_by_their_keys) {
  std::vector<float> in(17000);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = i % 50 == 7    ? tally::from_bits<float>(0x7fc00000u + std::uint32_t(i))
            : i % 50 == 11 ? (i % 100 == 11 ? -0.0f : 0.0f)
                           : -float(i % 30);
  for (auto const& options : all_options())
    for (std::uint64_t k : {2, 100}) {
      test_call call(1);
      auto all = options;
      all.distinct = true;
      expect_top_k(call, in, test_rows{1, in.size(), in.size()}, k, all, "NaNs and zeros");
    }
}

// Values whose places in the table are the same, or follow one another past its end.
TEST(value_sets_of_values_with_one_place, have_them_all) {
  std::vector<std::uint32_t> in;
  auto const place = [](std::uint32_t key) { return key * 0x9e3779b9u >> 19; };
  for (std::uint32_t key = 1; in.size() < 600; ++key)
    if (place(key) >= 8190) in.push_back(key);
  for (std::size_t i = 0; i < 600; ++i) in.push_back(in[i * 7 % 600]);
  for (std::uint64_t k : {5, 599, 600, 700}) {
    test_call call(1);
    expect_values(call, in, {1, in.size(), in.size()}, k, {.sorted = k > 5}, 1, "one place");
  }
}

// Four rows have too few different values among their best.
TEST(value_sets_of_rows, are_made_of_those_that_are_left_too) {
  for (int multiprocessors : {1, 40}) {
    test_rows rows{9, 3000, 3010, {}, {}, {}};
    std::vector<float> in(rows.count * rows.stride);
    for (std::uint64_t r = 0; r < rows.count; ++r) {
      auto const row = repeated<float>(rows.length, r % 3 == 0 ? 1 << 20 : r % 3 == 1 ? 70 : 1);
      std::ranges::copy(row, in.begin() + std::ptrdiff_t(rows.begin(r)));
      rows.lengths.push_back(r == 4 ? 0 : std::int64_t(rows.length - 9 * r));
      rows.ks.push_back(std::int64_t(r == 7 ? 0 : 100 + r));
    }
    for (bool sorted : {true, false}) {
      test_call call(multiprocessors);
      expect_values(call, in, rows, 120, {.sorted = sorted}, sorted ? 4 : 9, "rows");
    }
  }
}

TEST(value_sets_of_computed_elements, are_read_one_by_one) {
  expect_top_k_of_computed(3, 4001, 2000, top_k_path::value_set, {.distinct = true});
}

// Narrow elements of a row, of which each block's first tiles tell what a set needs, and of bytes
// when it has seen enough.
template <class T>
class value_sets_of_narrow : public ::testing::Test {};
using narrow_elements = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                         tally::float16, tally::bfloat16>;
TYPED_TEST_SUITE(value_sets_of_narrow, narrow_elements);
// Fewer of 16 bits are looked for among the best first.
template <class T>
constexpr std::uint64_t few = sizeof(T) == 1 ? 1 : 17;

TYPED_TEST(value_sets_of_narrow, have_the_first_of_each_value) {
  int cases = 0;
  for (shape const which : {shape::any_bits, shape::rising, shape::few, shape::best_at_end})
    for (auto const& options : all_options<TypeParam>()) {
      std::uint64_t const k = ++cases % 3 == 0 ? few<TypeParam> : cases % 3 == 1 ? 60 : 200;
      std::size_t const n = which == shape::any_bits ? 3 * tile<TypeParam> + 5 : 20000;
      auto const in = values_of<TypeParam>(which, n, unsigned(cases));
      test_call call(cases % 2 + 1);
      expect_values(call, in, {1, n, n}, k, options, 1, "shape " + std::to_string(int(which)),
                    cases % 4);
    }
}

TYPED_TEST(value_sets_of_narrow, are_of_rows_of_their_own) {
  test_rows rows{5, 9000, 9001, {}, {}, {}};
  auto const in = values_of<TypeParam>(shape::any_bits, rows.count * rows.stride);
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    rows.lengths.push_back(r == 2 ? 0 : std::int64_t(rows.length - 1000 * r));
    rows.ks.push_back(std::int64_t(r == 3 ? 0 : 20 * r + 1));
  }
  for (bool sorted : {true, false}) {
    test_call call(2);
    expect_values(call, in, rows, 90, {.sorted = sorted}, 5, "rows");
  }
}

// Blocks of a row that is long enough tell one another what they have seen.
TYPED_TEST(value_sets_of_narrow, need_no_more_than_all_blocks_have_seen) {
  for (shape const which : {shape::any_bits, shape::outliers}) {
    auto const in = values_of<TypeParam>(which, 150001);
    for (std::uint64_t k : {few<TypeParam>, std::uint64_t(90)}) {
      test_call call(1);
      expect_values(call, in, {1, in.size(), in.size()}, k, {}, 1,
                    "told, shape " + std::to_string(int(which)), 1);
    }
  }
}

// The first tile has one value, and each of the others all: a block that came to one of these
// before it came to those in front would have seen enough too soon.
TEST(value_sets_of_bytes, are_not_complete_before_the_first_indices) {
  for (std::size_t const tiles : {5, 7, 9}) {
    std::vector<std::uint8_t> in(tiles * tile<std::uint8_t>);
    for (std::size_t i = tile<std::uint8_t>; i < in.size(); ++i) in[i] = std::uint8_t(i * 37 >> 3);
    test_call call(1);
    for (std::uint64_t k : {3, 256, 300})
      expect_values(call, in, {1, in.size(), in.size()}, k, {}, 1, std::to_string(tiles));
  }
}

// Without them the whole row is sorted.
TEST(value_sets_without_room, are_not_made) {
  auto const in = repeated<float>(9000, 300);
  for (auto const& options : all_options())
    for (std::uint64_t k : {290, 400}) {
      test_call call(2);
      call.limit_shared_memory(60000);
      expect_values(call, in, {1, in.size(), in.size()}, k, options, 0, "no room");
    }
  test_call call(2);
  auto const many = many_values<float>(order_of_values::any, 20000);
  test_rows const row{1, many.size(), many.size()};
  expect_values(call, many, row, 2049, {}, 0, "more than a set keeps");
  expect_values(call, many, row, 257, {.sorted = false}, 0, "many by index of a short row");
}

}  // namespace
