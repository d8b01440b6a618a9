// SPDX-License-Identifier: Apache-2.0
#include "tally/device/rows/strided_copy.cuh"

#include <gtest/gtest.h>

#include <cstring>

#include "support/device_scan.cuh"
#include "tally/cuda/device_array.cuh"

namespace {

using namespace support;
using tally::detail::strided_copy;

// Copies places [first, first + count) of loops over elements of type T, from and to anywhere in so
// many of them, and compares all with what loops on the host make of it.
template <class T>
void expect_copy(std::vector<std::uint64_t> const& extents,
                 std::vector<std::int64_t> const& from_by, std::vector<std::int64_t> const& to_by,
                 std::size_t elements, std::size_t from, std::size_t to, std::uint64_t first,
                 std::uint64_t count) {
  std::vector<T> in(elements), expected(elements, T(7));
  for (std::size_t i = 0; i < elements; ++i) in[i] = T(i * 2654435761u + 1);
  tally::device_array<T> const source(in);
  tally::device_array<T> const results(expected);
  constexpr auto size = std::int64_t(sizeof(T));
  strided_copy copy{.bytes = sizeof(T),
                    .size = unsigned(extents.size()),
                    .extent = {},
                    .from_by = {},
                    .to_by = {},
                    .first = first,
                    .count = count,
                    .from = reinterpret_cast<std::byte const*>(source.data() + from),
                    .to = reinterpret_cast<std::byte*>(const_cast<T*>(results.data()) + to)};
  for (std::size_t d = 0; d < extents.size(); ++d)
    copy.extent[d] = extents[d], copy.from_by[d] = from_by[d] * size,
    copy.to_by[d] = to_by[d] * size;
  test_call call(1);
  tally::detail::copy_strided_on_gpu<T>(call, copy);
  tally::check(cudaDeviceSynchronize());
  for (std::uint64_t i = first; i < first + count; ++i) {
    auto source_at = std::int64_t(from), result_at = std::int64_t(to);
    auto index = i;
    for (std::size_t d = extents.size(); d-- > 0; index /= extents[d]) {
      source_at += std::int64_t(index % extents[d]) * from_by[d];
      result_at += std::int64_t(index % extents[d]) * to_by[d];
    }
    expected[std::size_t(result_at)] = in[std::size_t(source_at)];
  }
  EXPECT_EQ(results.to_host(), expected) << extents.size() << " dimensions, from " << first;
}

TEST(strided_copy, copies_elements_of_every_size_between_any_strides) {
  expect_copy<std::uint8_t>({5, 7, 3}, {21, 3, 1}, {1, 15, 5}, 105, 0, 0, 0, 105);
  expect_copy<std::uint16_t>({4, 6}, {1, 4}, {6, 1}, 24, 0, 0, 0, 24);
  expect_copy<std::uint32_t>({3, 4, 5, 2}, {-40, 10, -2, 1}, {40, 10, 2, 1}, 120, 88, 0, 0, 120);
  expect_copy<std::uint64_t>({300}, {0}, {-1}, 400, 3, 399, 0, 300);
}

TEST(strided_copy, copies_a_part_of_the_places) {
  expect_copy<std::uint32_t>({10, 100}, {100, 1}, {100, 1}, 1000, 0, 0, 333, 5);
  expect_copy<std::uint32_t>({40, 25}, {1, 40}, {25, 1}, 1000, 0, 0, 1, 998);
  expect_copy<std::uint32_t>({40, 25}, {1, 40}, {25, 1}, 1000, 0, 0, 7, 0);
  expect_copy<std::uint32_t>({}, {}, {}, 3, 1, 2, 0, 1);
}

// Loops beyond 2^32 places, of which only those at the ends are copied: what is between has no
// memory.
TEST(strided_copy, counts_beyond_32_bits) {
  constexpr std::uint64_t far = std::uint64_t(1) << 33;
  expect_copy<std::uint32_t>({far}, {1}, {1}, 100, 0, 0, 0, 50);
  expect_copy<std::uint32_t>({2, far}, {50, 0}, {60, 0}, 200, 0, 3, far - 1, 2);
  for (int bits : {31, 32}) {
    std::uint64_t const some = std::uint64_t(1) << bits;
    expect_copy<std::uint32_t>({3, some}, {50, 0}, {60, 0}, 200, 0, 3, some - 1, 2);
  }
}

}  // namespace
