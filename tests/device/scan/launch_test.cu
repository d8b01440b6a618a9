// SPDX-License-Identifier: Apache-2.0
#include "tally/device/scan/launch.cuh"

#include "support/affine_of_places.hpp"
#include "support/device_scan_rows.cuh"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/product.hpp"

namespace {

using namespace support;

using sums = tally::integer_running_sum<std::int32_t, std::int32_t>;
constexpr std::size_t part = 640;                      // of a warp in a wave
constexpr std::size_t tile = 12 * part_of_warp<sums>;  // of a block that has several
constexpr std::size_t alone = 8 * part;                // of a row's only block in a wave

TEST(scans_of_rows, are_those_of_each_row) {
  auto const in = any_integers<std::int32_t>(40000);
  for (std::size_t count : {0, 1, 2, 3, 7, 33})
    for (std::size_t length : {0, 1, 639, 640, 641})
      for (int multiprocessors : {2, 40}) {  // by tiles, and in a wave
        test_call call(multiprocessors);
        std::size_t const gap = length % 3;
        scan_rows const rows{count, length, length + gap, length + 2 * gap + 1};
        if (count < 33)
          expect_rows_of_every_kind(sums{}, in, rows, 7, call);
        else
          expect_rows(sums{}, in, rows, call, {.exclusive = length % 2 == 0, .init = 7});
      }
}

// Floating ones are powers of two, of which no product is rounded.
TEST(scans_of_rows, may_be_of_products) {
  auto const whole = tally::product{}.scanning<std::int64_t, std::int64_t>();
  auto const real = tally::product{}.scanning<double, double>();
  auto const in = any_integers<std::int64_t>(7 * 700);
  std::vector<double> powers(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    powers[i] = in[i] % 3 == 0 ? -2 : in[i] % 3 > 0 ? 0.5 : 1;
  for (std::size_t length : {1, 33, 640, 700})
    for (int multiprocessors : {2, 40}) {
      test_call call(multiprocessors);
      scan_rows const rows{7, length, length, length};
      expect_rows_of_every_kind(whole, in, rows, std::int64_t(3), call);
      expect_rows_of_every_kind(real, powers, rows, -4.0, call);
    }
}

template <class A>
std::string how_rows_are_scanned(A const& a, std::size_t count, std::size_t length) {
  test_call call(2);
  std::string text;
  call.explanation = &text;
  expect_rows(a, any_integers<typename A::element>(count * length), {count, length, length, length},
              call, {});
  return text;
}

TEST(scans_of_rows, tell_how_they_have_been_started) {
  auto const how = [](std::size_t count, std::size_t length) {
    return how_rows_are_scanned(sums{}, count, length);
  };
  EXPECT_EQ(how(7, 128), "lanes of a warp a row, by 1 block of 256 threads");
  EXPECT_EQ(how(9, 640), "a warp a row, by 2 blocks of 256 threads");
  EXPECT_EQ(how(64, 4097), "a warp a row, by 8 blocks of 256 threads");
  EXPECT_EQ(how(7, 5000),
            "tiles in their order, drawn, by 2 blocks of 448 threads, 16 bytes of scratch");
}

// Else a row's bits would depend on how many others there are.
TEST(scans_of_rows, in_an_order_are_started_by_their_length_alone) {
  auto const begins_with = [](std::string const& text, std::size_t count, std::size_t length) {
    auto const how = how_rows_are_scanned(affine_of_places{}, count, length);
    EXPECT_EQ(how.substr(0, text.size()), text) << count << " rows of " << length;
  };
  for (std::size_t count : {1, 7, 70}) {
    begins_with("lanes of a warp a row, ", count, 256);
    begins_with("a warp a row, ", count, 257);
    begins_with("a warp a row, ", count, 4096);
    begins_with("tiles in their order, drawn, ", count, 4097);
  }
}

// They are copied side by side first, and results back.
TEST(scans_of_rows, in_an_order_may_be_of_columns) {
  for (std::size_t length : {1, 40, 300, 4097}) {
    std::size_t const count = 5;
    auto const in = any_integers<std::uint32_t>(count * length);
    tally::device_array<std::uint32_t> const data(in), out(in);
    tally::row_layout const columns{
        .count = count, .length = length, .stride = 1, .step = std::int64_t(count)};
    test_call call(2);
    scan_kind<std::uint32_t> const how{.exclusive = length == 40, .reverse = length == 300};
    tally::detail::scan_rows_on_gpu(call, affine_of_places{}, how.nan,
                                    tally::array_input<std::uint32_t>{data.data(), in.size()},
                                    columns, const_cast<std::uint32_t*>(out.data()), columns,
                                    how.with_total(nullptr));
    tally::check(cudaDeviceSynchronize());
    auto const found = out.to_host();
    for (std::size_t c = 0; c < count; ++c) {
      std::vector<std::uint32_t> column, got;
      for (std::size_t i = c; i < in.size(); i += count)
        column.push_back(in[i]), got.push_back(found[i]);
      EXPECT_EQ(got, scan_on_host(affine_of_places{}, column, how).out) << "column " << c;
    }
  }
}

TEST(scans_of_rows, may_have_several_tiles_a_row) {
  auto const in = any_integers<std::int32_t>(7 * (tile + 9));
  test_call by_tiles(2), in_a_wave(15);
  for (std::size_t length : {tile - 1, tile, tile + 1})
    expect_rows_of_every_kind(sums{}, in, {7, length, length + 5, length + 3}, 7, by_tiles);
  for (std::size_t length : {alone, alone + 1, 2 * alone, 2 * alone + 1})
    for (std::size_t count : {2, 3, 7})
      expect_rows_of_every_kind(sums{}, in, {count, length, length, length + 3}, 7, in_a_wave);
}

// Each launch ends its epoch when all of its blocks know it.
TEST(scans_of_rows, leave_the_workspace_for_the_next_launch) {
  auto const in = any_integers<std::int32_t>(9 * 3 * alone);
  constexpr std::uint32_t highest = ~std::uint32_t(0);
  for (unsigned seed = 1; seed <= 6; ++seed) {
    schedule const now(seed, 9, int(seed) % schedule::orders);
    test_call call(9, highest - 2, true);
    expect_rows(sums{}, in, {3, 2 * alone, 2 * alone, 2 * alone}, call, {});
    EXPECT_EQ(call.epoch(), highest - 1);
    expect_rows(sums{}, in, {4, alone + 1, alone + 1, alone + 1}, call, {.reverse = true});
    EXPECT_EQ(call.epoch(), 0u);
    expect_rows(sums{}, in, {5, alone, alone, alone}, call, {});
    EXPECT_EQ(call.epoch(), 1u);
    expect_rows(sums{}, in, {19, 4097, 4097, 4097}, call, {.exclusive = true});
    EXPECT_EQ(call.epoch(), 2u);
    expect_rows(sums{}, in, {2, 3 * alone, 3 * alone, 3 * alone}, call, {});
    EXPECT_EQ(call.epoch(), 3u);
  }
}

// The words of the last epoch are cleared when nobody reads them any more.
TEST(scans_of_rows, clear_words_that_nobody_reads) {
  using exact = tally::exact_running_sum<double, double>;
  constexpr std::size_t n = 5 * part_of_warp<exact>;
  auto const in = values<double>(kind::any_bits, 3 * n);
  for (unsigned seed = 1; seed <= 12; ++seed) {
    schedule const now(seed, 6, int(seed) % schedule::orders);
    test_call call(1, ~std::uint32_t(0) - 1);
    expect_rows(exact{}, in, {3, n, n, n}, call, {.warps = 1, .blocks = seed % 2 ? 3u : 5u});
    EXPECT_EQ(call.epoch(), 0u);
  }
}

TEST(scans_of_rows, may_take_the_place_of_what_they_read) {
  auto const in = any_integers<std::int32_t>(40000);
  for (int multiprocessors : {1, 8})
    for (bool reverse : {false, true})
      for (std::size_t length : {5, 641, 5200}) {
        test_call call(multiprocessors);
        expect_rows(sums{}, in, {7, length, length + 3, length + 3}, call, {.reverse = reverse},
                    true);
      }
}

TEST(scans_of_rows, may_begin_at_any_address) {
  using bytes = tally::integer_running_sum<std::uint8_t, std::uint8_t>;
  auto const in = any_integers<std::uint8_t>(30000);
  for (int multiprocessors : {1, 3})
    for (std::size_t length : {0, 15, 16, 2561, 2560}) {
      test_call call(multiprocessors);
      expect_rows_of_every_kind(bytes{}, in, {3, length, length + 5, length + 9}, std::uint8_t(7),
                                call);
    }
}

// Few blocks at a time, in any order. A block has tiles of several rows, or of one, some of which
// are more than a group of 32.
template <class A>
void expect_any_schedule(A const& a, std::vector<typename A::element> const& in,
                         std::optional<typename A::result> const& init) {
  constexpr std::size_t part = part_of_warp<A>;
  for (unsigned resident : {1, 2, 3, 5}) {
    schedule const now(resident, resident, int(resident) % schedule::orders);
    test_call call(1, resident);
    auto const with = [&](std::size_t count, std::size_t length, unsigned warps) {
      scan_kind<typename A::result> how{.warps = warps, .blocks = 5};
      how.exclusive = resident == 2, how.reverse = resident > 2;
      if (resident < 5) how.init = init;
      expect_rows(a, in, {count, length, length + 1, length + 2}, call, how);
    };
    with(2, 37 * part - 1, 1);
    with(7, 6 * part + 1, 2);
    with(33, part + 1, 1);
    with(33, part, 1);
    with(33, 3, 1);
    EXPECT_EQ(call.epoch(), resident + 5);
  }
}

TEST(scans_of_rows_in_tiles, are_right_under_any_schedule) {
  using wide = tally::integer_running_sum<std::int64_t, std::int64_t>;
  expect_any_schedule(wide{}, any_integers<std::int64_t>(75 * part_of_warp<wide>), 7);
}

template <class T>
struct exact_scans_of_rows : ::testing::Test {};
using floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(exact_scans_of_rows, floats);

TYPED_TEST(exact_scans_of_rows, are_right_under_any_schedule) {
  using exact = tally::exact_running_sum<TypeParam, TypeParam>;
  constexpr std::size_t n = 75 * part_of_warp<exact>;
  auto const which = sizeof(TypeParam) == 4 ? kind::any_bits : kind::wide;
  expect_any_schedule(exact{}, values<TypeParam>(which, n), TypeParam(0x1p-60));
}

TYPED_TEST(exact_scans_of_rows, forget_what_other_rows_had_that_was_not_finite) {
  using exact = tally::exact_running_sum<TypeParam, TypeParam>;
  constexpr std::size_t n = 3 * part_of_warp<exact> - 1;
  auto in = values<TypeParam>(kind::any_bits, 7 * n);
  in[n / 2] = tally::infinity<TypeParam>(true);
  in[2 * n + 1] = tally::quiet_nan<TypeParam>();
  in[2 * n + 2] = tally::infinity<TypeParam>(false);
  for (auto nan : {tally::propagate, tally::skip})
    for (unsigned blocks : {1, 2, 5}) {
      schedule const now(blocks, 2, int(blocks) % schedule::orders);
      test_call call(1);
      scan_kind<TypeParam> const how{
          .init = TypeParam(0.5), .nan = nan, .warps = 1, .blocks = blocks};
      expect_rows(exact{}, in, {7, n, n, n}, call, how);
    }
}

TYPED_TEST(exact_scans_of_rows, are_of_every_kind) {
  using exact = tally::exact_running_sum<TypeParam, TypeParam>;
  auto const in = values<TypeParam>(kind::wide, 24000);
  for (int multiprocessors : {2, 7})
    for (std::size_t length : {std::size_t(0), std::size_t(1), 9 * part_of_warp<exact> + 1}) {
      test_call call(multiprocessors);
      expect_rows_of_every_kind(exact{}, in, {3, length, length + 2, length + 1}, TypeParam(0.5),
                                call);
    }
}

TEST(scans_of_rows_in_tiles, have_operands_in_order_and_places_in_the_row) {
  expect_any_schedule(affine_of_places{},
                      any_integers<std::uint32_t>(75 * part_of_warp<affine_of_places>), 9);
}

// A sum that rounds is grouped as if its row were alone.
TEST(scans_of_rows_in_tiles, have_the_bits_of_a_row_alone) {
  using rounding = tally::tree_sum<float>;
  constexpr std::size_t n = 34 * part_of_warp<rounding> + 1;
  scan_rows const rows{3, n, n, n};
  auto const in = values<float>(kind::wide, 3 * n);
  test_call first(1);
  std::vector<scanned<float>> want;
  for (std::size_t r = 0; r < 3; ++r)
    want.push_back(
        scan_on_device(rounding{}, row_in(in, r, rows), first, {.warps = 1, .blocks = 1}));
  for (unsigned resident : {1, 2, 3, 9}) {
    schedule const now(resident, resident, int(resident) % schedule::orders);
    test_call call(1);
    auto const got = scan_rows_on_device(rounding{}, in, rows, call, {.warps = 1, .blocks = 9});
    for (std::size_t r = 0; r < 3; ++r) expect_same(got[r], want[r], std::to_string(r));
  }
}

// A source of elements that are computed, of an array that no memory holds.
struct far_elements {
  using element = std::int32_t;
  __host__ __device__ std::int32_t operator[](std::uint64_t i) const {
    return std::int32_t(i % 1009) + 7 * std::int32_t(i >> 31);
  }
};

TEST(scans_of_rows, may_begin_beyond_32_bits) {
  using prefix = decltype(tally::device::prefix_for<sums>::make(sums{}, false, false, {}));
  scan_rows const rows{3, 700, (std::uint64_t(1) << 31) + 5, 700};
  test_call call(1);
  tally::device_array<std::int32_t> out(3 * rows.length);
  tally::device::scan_call<prefix, far_elements, tally::row_layout> scan{
      {}, rows.in(), rows.out(), 0, false, false, out.data(), nullptr, {}, {}};
  auto const grid = tally::detail::grid_of(call, scan);
  scan.tiles = grid.tiles, scan.w = call.workspace(grid.words);
  tally::detail::scan_by_tiles(call, grid, scan);
  tally::check(cudaDeviceSynchronize());
  auto const got = out.to_host();
  for (std::uint64_t r = 0; r < 3; ++r) {
    std::int32_t sum = 0;
    for (std::uint64_t i = 0; i < rows.length; ++i) {
      sum += far_elements{}[r * rows.stride + i];
      ASSERT_EQ(got[r * rows.length + i], sum) << "row " << r;
    }
  }
}

// What there is no room for is said before anything is launched.
TEST(scans_of_rows, that_have_too_many_tiles_are_refused) {
  test_call call(2);
  std::int32_t* const nowhere = nullptr;
  auto const scan = [&](scan_rows const& rows) {
    tally::detail::scan_rows_on_gpu(call, sums{}, tally::propagate,
                                    tally::array_input<std::int32_t>{nowhere, 0}, rows.in(),
                                    nowhere, rows.out(), tally::detail::gpu_scan<std::int32_t>{});
  };
  EXPECT_THROW(scan({std::size_t(1) << 32, 1, 1, 1}), tally::error);
  EXPECT_THROW(scan({std::size_t(1) << 31, 2 * tile, 2 * tile, 2 * tile}), tally::error);
  EXPECT_THROW(scan({1, tile << 32, 1, 1}), tally::error);
}

}  // namespace
