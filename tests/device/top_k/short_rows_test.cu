// SPDX-License-Identifier: Apache-2.0
//
// Short rows, of which lanes of a warp have one each: rows that fill them or not, more at a
// threshold than there is room for, ties, and rows that begin and end anywhere.
#include "tally/device/top_k/short_rows.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;

// Enough for a multiprocessor's warps; and fewer.
constexpr std::uint64_t many = 13, few = 3;

template <class T>
void expect_short(std::vector<T> const& in, test_rows const& rows, std::uint64_t k,
                  top_k_options const& options, std::string const& what, int offset = 0,
                  bool short_indices = false) {
  test_call call(1);
  paths taken;
  expect_top_k(call, in, rows, k, options, what, offset, short_indices, &taken);
  EXPECT_EQ(taken, path(row_path::short_rows, rows.count)) << what;
}
// Rows made by row(r), one behind another.
template <class F>
void expect_short_rows(std::uint64_t count, F row, std::uint64_t k, top_k_options const& options,
                       std::string const& what, int offset = 0) {
  auto all = row(0u);
  std::uint64_t const length = all.size();
  for (unsigned r = 1; r < count; ++r) {
    auto const next = row(r);
    all.insert(all.end(), next.begin(), next.end());
  }
  expect_short(all, test_rows{count, length, length}, k, options,
               what + " of " + std::to_string(length), offset, k % 2 == 0);
}

// What is for a k, and for elements of 64 bits.
template <class T>
std::vector<unsigned> ks() {
  return sizeof(T) == 8 ? std::vector{1u, 8u, 9u, 16u} : std::vector{1u, 7u, 8u, 9u, 16u, 17u, 32u};
}
template <class T>
std::vector<unsigned> lengths() {
  std::vector<unsigned> all{1, 7, 31, 64, 128, 129, 250, 256, 257, 384, 512};
  if (sizeof(T) < 8) all.insert(all.end(), {513, 1000, 1024});
  return all;
}

template <class T>
class top_k_of_short_rows : public ::testing::Test {};
using every_element = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                       std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                       tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(top_k_of_short_rows, every_element);

TYPED_TEST(top_k_of_short_rows, are_what_a_stable_sort_puts_first) {
  auto const all = all_options<TypeParam>();
  auto const every_k = ks<TypeParam>();
  unsigned turn = 0;
  for (unsigned length : lengths<TypeParam>())
    for (auto which : shapes) {
      auto const row = [&](unsigned r) { return values_of<TypeParam>(which, length, r + length); };
      for (std::uint64_t count : {many, few}) {
        expect_short_rows(count, row, every_k[turn % every_k.size()], all[turn * 3 % all.size()],
                          "shape " + std::to_string(int(which)), int(turn % 3 == 0));
        ++turn;
      }
    }
}

TYPED_TEST(top_k_of_short_rows, take_all_options) {
  auto const row = [](unsigned r) {
    return values_of<TypeParam>(shapes[r % std::size(shapes)], 200, r);
  };
  for (auto const& options : all_options<TypeParam>())
    for (unsigned k : ks<TypeParam>()) expect_short_rows(many, row, k, options, "options");
}

TYPED_TEST(top_k_of_short_rows, have_rows_of_any_length_and_address) {
  for (std::uint64_t length : {100u, 250u, 500u})
    for (int offset : {0, 1, 2}) {
      test_rows rows{20, length, length + 1 + unsigned(offset)};
      auto const in = values_of<TypeParam>(shape::any_bits, rows.count * rows.stride + 40);
      expect_short(in, rows, 8, {}, "rows", offset);
      for (int r = 0; r < 20; ++r) {
        rows.starts.push_back(r * 5 % 18);
        rows.lengths.push_back(r * r * 13 % std::int64_t(length + 1));
      }
      rows.lengths[19] = std::int64_t(length);
      expect_short(in, rows, 16, {.sorted = offset < 2}, "rows of their own", offset);
      for (int r = 0; r < 20; ++r) rows.ks.push_back(r * 11 % 17);
      expect_short(in, rows, 16, {.sorted = offset < 2}, "k of their own", offset, true);
    }
}

// Starts, lengths or ks alone make rows unlike.
TYPED_TEST(top_k_of_short_rows, may_be_unlike_in_one_thing) {
  auto const in = values_of<TypeParam>(shape::any_bits, many * 100 + 20);
  for (int which = 0; which < 3; ++which) {
    test_rows rows{many, 90, 100};
    auto& of_each = which == 0 ? rows.starts : which == 1 ? rows.lengths : rows.ks;
    for (unsigned r = 0; r < many; ++r) of_each.push_back(r * 5 % 9);
    expect_short(in, rows, 8, {}, "unlike in " + std::to_string(which));
  }
}

// Some numbers often: fewer places than there are of the k-th.
TYPED_TEST(top_k_of_short_rows, may_have_any_number_of_ties) {
  for (unsigned length : {128u, 256u, 511u})
    for (unsigned ties : {1u, 6u, 17u, 40u, 100u, 511u})
      for (unsigned k : ks<TypeParam>()) {
        auto const row = [&](unsigned r) {
          std::mt19937_64 random(r + ties);
          std::vector<TypeParam> x(length);
          for (auto& one : x) one = number<TypeParam>(double(random() % 50));
          for (unsigned i = 0; i < ties && i < length; ++i)
            x[r % 3 == 0   ? i
              : r % 3 == 1 ? length - 1 - i
                           : random() % length] = number<TypeParam>(60);
          for (unsigned i = 0; i < r; ++i) x[random() % length] = number<TypeParam>(61);
          return x;
        };
        expect_short_rows(many, row, k, {.sorted = k % 2 == 0}, "ties");
      }
}

// The best are where few of the groups are whose largest make the threshold.
TYPED_TEST(top_k_of_short_rows, may_have_all_of_the_best_in_few_groups) {
  for (unsigned every : {8u, 32u, 64u, 128u})
    for (unsigned length : {128u, 256u, 512u})
      for (unsigned k : ks<TypeParam>()) {
        auto const row = [&](unsigned r) {
          std::mt19937_64 random(r);
          std::vector<TypeParam> x(length);
          for (unsigned i = 0; i < length; ++i) {
            bool const better = (i + r) % every < 1 + r % 5;
            x[i] = number<TypeParam>(better ? 60 + double(random() % 60) : double(random() % 60));
          }
          return x;
        };
        for (std::uint64_t count : {many, few})
          expect_short_rows(count, row, k, {.sorted = k % 2 == 0}, "few groups");
      }
}

TEST(short_rows, skip_nans_even_if_few_are_left) {
  for (unsigned numbers : {0u, 1u, 5u, 40u}) {
    auto const row = [&](unsigned r) {
      std::mt19937_64 random(r);
      std::vector<float> x(250, tally::from_bits<float>(r % 2 ? 0x7fc00001u : 0xffc00000u));
      for (unsigned i = 0; i < numbers; ++i)
        x[random() % x.size()] = float(int(random() % 9) - 4) * (i % 3 ? 1 : -0.f);
      return x;
    };
    for (auto const& options : all_options())
      for (unsigned k : {3u, 16u, 30u}) expect_short_rows(many, row, k, options, "NaNs");
  }
}

TEST(short_rows, are_the_same_in_any_order_of_blocks) {
  for (int order = 0; order < schedule::orders; ++order) {
    schedule const how(unsigned(order), 1, order);
    expect_short_rows(
        many, [](unsigned r) { return shuffled<std::int32_t>(200, r); }, 10, {}, "scheduled");
  }
}

TEST(short_rows, may_be_more_than_blocks_are_started) {
  test_call call(1);
  std::uint64_t const rows = 4096 * 16 + 7, length = 3;
  auto const in = values_of<std::uint8_t>(shape::any_bits, rows * length);
  expect_top_k(call, in, test_rows{rows, length, length}, 2, {}, "more rows");
}

TEST(short_rows, may_be_of_an_input_of_ones_own) {
  std::uint64_t const far = std::uint64_t(1) << 31;  // so that rows begin beyond 32 bits
  for (std::uint64_t length : {100u, 201u, 1000u}) {
    expect_top_k_of_computed(many, length, 7, row_path::short_rows, {}, 1, far);
    expect_top_k_of_computed(few, length, 30, row_path::short_rows);
  }
}

template <class T>
class values_of_short_rows : public ::testing::Test {};
using some_elements = ::testing::Types<std::int8_t, std::uint16_t, tally::bfloat16, float,
                                       std::uint32_t, double, std::int64_t>;
TYPED_TEST_SUITE(values_of_short_rows, some_elements);

TYPED_TEST(values_of_short_rows, are_found_whatever_they_are) {
  for (auto options : all_options<TypeParam>()) {
    options.distinct = true;
    for (std::uint64_t length : {1, 3, 8, 31, 32, 100, 255, 256, 300, 512, 1024})
      for (shape const which : {shape::any_bits, shape::few, shape::falling, shape::extremes}) {
        std::uint64_t const k = length % 7 == 3 ? 32 : length <= 256 ? 16 : 8;
        test_call call(1);
        test_rows const rows{5, length, length + length % 5};
        auto const in = values_of<TypeParam>(which, 5 * rows.stride, unsigned(length));
        auto const what =
            "shape " + std::to_string(int(which)) + ", length " + std::to_string(length);
        expect_top_k(call, in, rows, k, options, what, int(length % 3));
      }
  }
}

// Rows of a warp that end after different numbers of values, and rows without any.
TYPED_TEST(values_of_short_rows, are_as_many_as_each_row_has) {
  test_rows rows{23, 200, 203, {}, {}, {}};
  auto in = values_of<TypeParam>(shape::any_bits, rows.count * rows.stride);
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    std::uint64_t const values = 1 + r % 6;
    for (std::uint64_t i = 0; r % 4 && i < rows.length; ++i)
      in[rows.begin(r) + i] = number<TypeParam>(double(i * 7 % values));
    rows.lengths.push_back(r % 5 == 4 ? 0 : std::int64_t(rows.length - r));
    rows.ks.push_back(std::int64_t(r % 7 == 6 ? 0 : 1 + r % 9));
  }
  for (auto options : all_options<TypeParam>()) {
    options.distinct = true;
    test_call call(1);
    expect_top_k(call, in, rows, 9, options, "rows");
  }
}

// NaNs of any payload are one value, and so are zeros of both signs; a row may have nothing else.
TEST(values_of_short_rows_of_floats, are_known_by_their_keys) {
  for (std::uint64_t kinds : {1, 2, 3}) {
    std::vector<float> in(250);
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = i % kinds == 0   ? tally::from_bits<float>((i % 2 ? 0x7fc00000u : 0xffc00000u) + i)
              : i % kinds == 1 ? (i % 4 == 1 ? -0.0f : 0.0f)
                               : -float(i / 20);
    for (auto options : all_options()) {
      options.distinct = true;
      for (std::uint64_t k : {1, 2, 3, 20}) {
        test_call call(1);
        expect_top_k(call, in, test_rows{1, in.size(), in.size()}, k, options, "NaNs and zeros");
      }
    }
  }
}

// Of equal elements the first, in whatever lane it is.
TYPED_TEST(values_of_short_rows, are_at_their_first_index) {
  for (std::uint64_t length : {256, 1000}) {
    std::vector<TypeParam> in(length * 40);
    std::mt19937_64 random(3);
    for (std::size_t r = 0; r < 40; ++r)
      for (auto const times : {1, 2, 9})
        for (int i = 0; i < times; ++i)
          in[r * length + random() % length] = number<TypeParam>(double(100 - times));
    test_call call(1);
    expect_top_k(call, in, test_rows{40, length, length}, 4,
                 {.sorted = length < 1000, .distinct = true}, "first");
  }
}

}  // namespace
