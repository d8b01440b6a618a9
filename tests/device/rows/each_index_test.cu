// SPDX-License-Identifier: Apache-2.0
#include "tally/device/rows/each_index.cuh"

#include <gtest/gtest.h>

#include <numeric>

#include "support/device_scan.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/element_steps.hpp"
#include "tally/missing.hpp"

namespace {

using namespace support;
using namespace tally::detail;
using tally::bits_of, tally::device_array, tally::from_bits, tally::row_layout, tally::validity;

template <class Step>
void run(std::uint64_t count, Step const& step) {
  test_call call(1);
  for_each_index_on_gpu(call, count, step);
  tally::check(cudaDeviceSynchronize());
}

// Which of n elements are there, and the same as a bitmap from bit `offset` on.
struct elements_there {
  std::vector<bool> there;
  std::vector<std::uint8_t> bits;

  elements_there(std::size_t n, std::size_t offset, unsigned of_eight)
      : there(n), bits((n + offset + 7) / 8) {
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = std::uint8_t(i * 151 + 67);
    for (std::size_t i = 0; i < n; ++i) {
      there[i] = (i * 2654435761u >> 7) % 8 < of_eight;
      std::size_t const at = i + offset;
      bits[at / 8] =
          std::uint8_t((bits[at / 8] & ~(1u << (at % 8))) | unsigned(there[i]) << (at % 8));
    }
  }
};

TEST(missing_elements, have_something_else_in_their_place) {
  std::size_t const n = 1000, offset = 13;
  elements_there const all(n, offset, 5);
  std::vector<std::uint16_t> in(n), expected(n);
  for (std::size_t i = 0; i < n; ++i)
    in[i] = std::uint16_t(i + 1), expected[i] = all.there[i] ? in[i] : 7;
  device_array<std::uint8_t> const bits(all.bits);
  device_array<std::uint16_t> const from(in), to(n);
  run(n, fill_missing<std::uint16_t>{{bits.data(), std::int64_t(offset)},
                                     from.data(),
                                     const_cast<std::uint16_t*>(to.data()),
                                     7});
  EXPECT_EQ(to.to_host(), expected);
}

TEST(missing_elements, are_gathered_as_bits_by_any_strides) {
  elements_there const all(200, 3, 4), others(200, 1, 6);
  device_array<std::uint8_t> const a(all.bits), b(others.bits), to(15);
  gather_validity step{.loops = {},
                       .a = {a.data(), 3},
                       .b = {b.data(), 1},
                       .to = const_cast<std::uint8_t*>(to.data())};
  step.loops.size = 2, step.loops.extent[0] = 10, step.loops.extent[1] = 12;
  step.loops.from_by[0] = 1, step.loops.from_by[1] = 16;
  step.loops.to_by[0] = 20, step.loops.to_by[1] = 1;
  step.loops.first = 5, step.loops.count = 113;
  run(15, step);
  auto const found = to.to_host();
  for (std::size_t k = 0; k < 120; ++k) {
    std::size_t const i = k + 5, row = i / 12, column = i % 12;
    bool const there = k < 113 && all.there[row + 16 * column] && others.there[20 * row + column];
    EXPECT_EQ(found[k / 8] >> (k % 8) & 1, int(there)) << k;
  }
}

// Rows of an array with its missing elements: what each step makes of them.
struct packed {
  std::vector<std::uint32_t> elements;
  std::vector<std::int64_t> starts, ends, missing, positions, told;
};

packed pack_on_device(elements_there const& all, std::size_t offset, row_layout const& rows) {
  std::size_t const n = all.there.size(), words = n / 64 + 1, count = std::size_t(rows.count);
  std::vector<std::uint32_t> in(n);
  std::iota(in.begin(), in.end(), 100u);
  device_array<std::uint8_t> const bits(all.bits);
  device_array<std::uint32_t> const from(in), to(std::vector<std::uint32_t>(n, 0));
  device_array<std::uint64_t> found(words);
  device_array<std::int64_t> counts(words), places(n), starts(count), ends(count), missing(count);
  run(words,
      count_present{{bits.data(), std::int64_t(offset)}, {}, n, found.data(), counts.data()});
  auto before = counts.to_host();
  std::exclusive_scan(before.begin(), before.end(), before.begin(), std::int64_t(0));
  device_array<std::int64_t> const all_before(before);
  present_elements const present{found.data(), all_before.data()};
  rows_in_line const line{rows, 0, n};
  run(n, pack_present<std::uint32_t>{present, from.data(), const_cast<std::uint32_t*>(to.data()),
                                     places.data()});
  run(count, pack_rows{present, line, starts.data(), ends.data(), missing.data()});
  // The last element of each row that is there, and the first that is missing.
  std::vector<std::int64_t> last = ends.to_host();
  auto const first = starts.to_host();
  for (std::size_t r = 0; r < count; ++r) last[r] -= first[r] + 1;
  device_array<std::int64_t> positions(last), told(std::vector<std::int64_t>(count, -7));
  row_layout const side_by_side{.count = count, .length = 1, .stride = 1};
  auto const numbers = [&](device_array<std::int64_t>& x) {
    return row_numbers{reinterpret_cast<std::byte*>(x.data()), side_by_side, 8, 1};
  };
  run(count, unpack_positions{line, starts.data(), places.data(), numbers(positions)});
  run(count, tell_missing{present, line, starts.data(), missing.data(), numbers(told),
                          missing_told::position, 8, 0});
  return {to.to_host(),        first,         ends.to_host(), missing.to_host(),
          positions.to_host(), told.to_host()};
}

void expect_packed(std::size_t n, std::size_t offset, unsigned of_eight, row_layout const& rows) {
  elements_there const all(n, offset, of_eight);
  auto const found = pack_on_device(all, offset, rows);
  for (std::size_t r = 0; r < rows.count; ++r) {
    std::int64_t const begin = rows.begin(r), size = std::int64_t(rows.size(r));
    std::int64_t packed = found.starts[r], last = -1, missing = 0, first = -7;
    for (std::int64_t i = 0; i < size; ++i) {
      if (all.there[std::size_t(begin + i)]) {
        EXPECT_EQ(found.elements[std::size_t(packed++)], std::uint32_t(100 + begin + i));
        last = i;
      } else if (missing++ == 0) {
        first = i;
      }
    }
    EXPECT_EQ(found.ends[r], packed) << r;
    EXPECT_EQ(found.missing[r], missing) << r;
    EXPECT_EQ(found.positions[r], last) << r;
    EXPECT_EQ(found.told[r], first) << r;
  }
}

TEST(missing_elements, leave_the_others_packed) {
  for (unsigned of_eight : {0, 1, 4, 7, 8}) {
    expect_packed(1000, 5, of_eight, {.count = 10, .length = 100, .stride = 100});
    expect_packed(1024, 0, of_eight, {.count = 16, .length = 64, .stride = 64});
    expect_packed(640, 7, of_eight, {.count = 1, .length = 640, .stride = 640});
    expect_packed(300, 3, of_eight, {.count = 40, .length = 9, .stride = 7});
  }
  expect_packed(1, 6, 8, {.count = 1, .length = 1, .stride = 1});
}

// A line of so many elements to another, every third of them.
template <class From, class To>
strided_copy every_third(std::size_t n, From const* from, To const* to) {
  strided_copy loops{};
  loops.bytes = sizeof(To), loops.size = 1, loops.count = n, loops.extent[0] = n;
  loops.from_by[0] = sizeof(From), loops.to_by[0] = 3 * sizeof(To);
  loops.from = reinterpret_cast<std::byte const*>(from);
  loops.to = reinterpret_cast<std::byte*>(const_cast<To*>(to));
  return loops;
}

template <class From, class To>
void expect_converted() {
  std::size_t const n = 500;
  std::vector<From> in(n);
  for (std::size_t i = 0; i < n; ++i)
    in[i] = from_bits<From>(bits_of<From>(i * 0x9e3779b97f4a7c15u >> 3));
  device_array<From> const from(in);
  device_array<To> const to(std::vector<To>(3 * n, To(5)));
  run(n, convert_elements{every_third(n, from.data(), to.data()), tally::dtype_of<From>,
                          tally::dtype_of<To>});
  auto const found = to.to_host();
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(tally::to_bits(found[3 * i]), tally::to_bits(converted<To>(in[i])));
    EXPECT_EQ(tally::to_bits(found[3 * i + 1]), tally::to_bits(To(5)));
  }
}

TEST(element_steps, convert_any_type) {
  expect_converted<double, tally::float16>();
  expect_converted<tally::bfloat16, double>();
  expect_converted<float, std::int8_t>();
  expect_converted<double, std::uint64_t>();
  expect_converted<std::int64_t, float>();
  expect_converted<std::uint32_t, std::int16_t>();
}

TEST(element_steps, fill_add_and_take) {
  std::size_t const n = 300;
  std::vector<float> in(n);
  std::iota(in.begin(), in.end(), 1.0f);
  device_array<float> const from(in), to(std::vector<float>(3 * n, 5.0f));
  auto const loops = every_third(n, from.data(), to.data());
  run(n, fill_elements{loops, tally::to_bits(0.5f)});
  run(n, add_elements{loops, tally::dtype::float32});
  auto const sums = to.to_host();
  for (std::size_t i = 0; i < 3 * n; ++i) EXPECT_EQ(sums[i], i % 3 ? 5.0f : 1.5f + float(i / 3));

  std::vector<std::int64_t> at(n);
  for (std::size_t i = 0; i < n; ++i) at[i] = i % 7 == 0 ? -1 : std::int64_t(n - 1 - i);
  device_array<std::int64_t> const indices(at);
  auto along = loops;
  along.from_by[0] = 0;
  run(n, take_elements{along, indices.data(), sizeof(float)});
  auto const taken = to.to_host();
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(taken[3 * i], i % 7 == 0 ? sums[3 * i] : float(n - i));
}

TEST(element_steps, pack_a_mask) {
  std::size_t const n = 203;
  std::vector<std::uint8_t> mask(n), expected(26);
  for (std::size_t i = 0; i < n; ++i)
    mask[i] = (i * 2654435761u >> 9) % 2, expected[i / 8] |= std::uint8_t(mask[i] << i % 8);
  device_array<std::uint8_t> const from(mask), to(26);
  run(26, pack_mask{reinterpret_cast<bool const*>(from.data()), n,
                    const_cast<std::uint8_t*>(to.data())});
  EXPECT_EQ(to.to_host(), expected);
}

}  // namespace
