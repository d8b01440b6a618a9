// SPDX-License-Identifier: Apache-2.0
//
// Values and operators that show mistakes of a warp's or block's fold, and how a test runs one.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/operators.hpp"

namespace support {

// An operator over values of one type, and values for it: value(i, bits) for the thread i.
template <class T, class Op>
struct numbers {
  using type = T;
  using op = Op;
  static T value(int, std::uint64_t bits) {
    // Small enough that sums of floats are exact in any order.
    return std::is_integral_v<T> ? T(bits) : T(std::int64_t(bits % 2001) - 1000);
  }
};

// Associative, and it does not commute.
struct left {
  template <class T>
  TALLY_FN T operator()(T const& a, T const&) const {
    return a;
  }
};

// Three bytes: where a run of threads begins and ends, modulo 256, and how its values add up.
struct small_run {
  std::uint8_t first, last, sum;
  bool operator==(small_run const&) const = default;

  using type = small_run;
  static type value(int i, std::uint64_t bits) {
    return {std::uint8_t(i), std::uint8_t(i), std::uint8_t(bits)};
  }
  struct op {
    TALLY_FN type operator()(type const& a, type const& b) const {
      return {a.first, b.last, std::uint8_t(a.sum + b.sum)};
    }
  };
};

// Twelve bytes, three of them padding: threads [begin, end), spoilt where two were not neighbours.
struct range {
  int begin, end;
  bool spoilt;
  bool operator==(range const&) const = default;

  using type = range;
  static type value(int i, std::uint64_t) { return {i, i + 1, false}; }
  struct op {
    TALLY_FN type operator()(type const& a, type const& b) const {
      return {a.begin, b.end, a.spoilt || b.spoilt || a.end != b.begin};
    }
  };
};

// The map x -> scale * x + offset, of integers modulo 2^32; first a, then b.
struct affine_map {
  std::uint32_t scale, offset;
  bool operator==(affine_map const&) const = default;

  using type = affine_map;
  static type value(int, std::uint64_t bits) {
    return {std::uint32_t(bits), std::uint32_t(bits >> 32)};
  }
  struct op {
    TALLY_FN type operator()(type const& a, type const& b) const {
      return {a.scale * b.scale, a.offset * b.scale + b.offset};
    }
  };
};

// The same of integers modulo 61, as a float: a float's operator that does not commute.
struct affine_float {
  using type = float;
  static type value(int, std::uint64_t bits) { return float(bits % 3721); }
  struct op {
    TALLY_FN type operator()(type a, type b) const {
      int const x = int(a), y = int(b);
      return float(x / 61 * (y / 61) % 61 * 61 + (x % 61 * (y / 61) + y % 61) % 61);
    }
  };
};

// Forty bytes: a string of decimal digits as a number modulo 2^64, written one after another.
struct digits {
  std::uint64_t value_, power, first, last, length;
  bool operator==(digits const&) const = default;

  using type = digits;
  static type value(int, std::uint64_t bits) { return {bits % 10, 10, bits % 10, bits % 10, 1}; }
  struct op {
    TALLY_FN type operator()(type const& a, type const& b) const {
      return {a.value_ * b.power + b.value_, a.power * b.power, a.first, b.last,
              a.length + b.length};
    }
  };
};

using all_cases =
    ::testing::Types<numbers<std::int8_t, tally::plus>, numbers<std::int16_t, tally::larger>,
                     numbers<std::int32_t, tally::plus>, numbers<std::uint32_t, tally::smaller>,
                     numbers<std::int64_t, tally::plus>, numbers<std::int64_t, tally::smaller>,
                     numbers<float, tally::plus>, numbers<double, tally::plus>,
                     numbers<double, tally::larger>, numbers<int, left>, small_run, range,
                     affine_map, affine_float, digits>;

// Values for threads 0 to n - 1.
template <class Case>
std::vector<typename Case::type> values(int n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<typename Case::type> x;
  for (int i = 0; i < n; ++i) x.push_back(Case::value(i, random()));
  return x;
}

// The left fold of x[begin, end).
template <class T, class Op>
T fold(std::vector<T> const& x, int begin, int end, Op op) {
  T all = x[begin];
  for (int i = begin + 1; i < end; ++i) all = op(all, x[i]);
  return all;
}

// The fold of neighbours, then of pairs, and so on.
template <class T, class Op>
T fold_tree(std::vector<T> x, Op op) {
  for (std::size_t run = 1; run < x.size(); run *= 2)
    for (std::size_t i = 0; i + run < x.size(); i += 2 * run) x[i] = op(x[i], x[i + run]);
  return x[0];
}

inline int size_of(dim3 block) { return int(block.x * block.y * block.z); }

// Runs kernel(in, out, arguments...) in one block: what its threads left in `out`.
template <class T, class... Arguments>
std::vector<T> run(void (*kernel)(T const*, T*, Arguments...), dim3 block, std::vector<T> const& in,
                   Arguments... arguments) {
  tally::device_array<T> const input(std::span<T const>{in}), output(in.size());
  output.fill_bytes(0xa5);
  tally::launch(kernel, 1, block)(input.data(), output.data(), arguments...);
  return output.to_host();
}

// The bits of a float or double; other values as they are.
inline auto bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline auto bits(double x) { return std::bit_cast<std::uint64_t>(x); }
template <class T>
T bits(T const& x) {
  return x;
}

// Calls with(width) for each width of a group.
template <class F>
void for_each_width(F&& with) {
  [&]<int... Log>(std::integer_sequence<int, Log...>) {
    (with(std::integral_constant<int, 1 << Log>{}), ...);
  }(std::make_integer_sequence<int, 6>{});
}

// Sizes around warps' boundaries, and blocks of two and three dimensions.
inline std::vector<dim3> const block_shapes = {1,    2,    31,        32,         33,        64,
                                               96,   100,  128,       255,        256,       512,
                                               1000, 1024, {4, 3, 5}, {33, 3, 1}, {8, 8, 16}};

}  // namespace support
