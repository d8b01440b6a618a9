// SPDX-License-Identifier: Apache-2.0
//
// What a top-k is tried on: arrays of every type and kind, with every combination of options.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cpu/top_k_oracle.hpp"
#include "tally/dtype.hpp"
#include "tally/exact/float_format.hpp"
#include "tally/top_k.hpp"

namespace tally::top_k_cases {

using source = std::mt19937_64;

template <class T>
T any_bits(source& random) {
  if constexpr (std::is_same_v<T, bool>)
    return random() & 1;
  else
    return from_bits<T>(bits_of<T>(random()));
}

template <class T>
T number(double x) {
  if constexpr (floating<T>)
    return T(x);
  else
    return T(std::int64_t(x));
}

// An array of T, bool included.
template <class T>
class array {
 public:
  array(std::size_t n, std::function<T(std::size_t)> f) : data_(new T[n + 1]), size_(n) {
    for (std::size_t i = 0; i < n; ++i) data_[i] = f(i);
  }
  std::span<T const> span() const { return {data_.get(), size_}; }
  std::span<T> span() { return {data_.get(), size_}; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_;
};

template <class T>
struct input_kind {
  char const* name;
  std::function<array<T>(std::size_t n, source&)> make;
};

template <class T>
std::vector<input_kind<T>> inputs() {
  auto const sorted = [](std::size_t n, source& random, order o) {
    array<T> a(n, [&](std::size_t) { return any_bits<T>(random); });
    std::sort(a.span().begin(), a.span().end(),
              [o](T x, T y) { return top_k_oracle::better(x, y, o); });
    return a;
  };
  std::vector<input_kind<T>> all = {
      {"random",
       [](std::size_t n, source& r) {
         return array<T>(n, [&](std::size_t) { return any_bits<T>(r); });
       }},
      {"ascending", [=](std::size_t n, source& r) { return sorted(n, r, smallest); }},
      {"descending", [=](std::size_t n, source& r) { return sorted(n, r, largest); }},
      {"all equal", [](std::size_t n,
                       source&) { return array<T>(n, [](std::size_t) { return number<T>(1); }); }},
      {"few distinct",
       [](std::size_t n, source& r) {
         return array<T>(n, [&](std::size_t) { return number<T>(double(r() % 7)); });
       }},
      {"low 12 bits",
       [](std::size_t n, source& r) {
         return array<T>(n, [&](std::size_t) {
           if constexpr (sizeof(T) == 1) return number<T>(double(r() % 2));
           return from_bits<T>(bits_of<T>(std::uint64_t(0x3f) << (8 * sizeof(T) - 8) | r() % 4096));
         });
       }},
  };
  if constexpr (floating<T>) {
    all.push_back({"NaNs of every kind", [](std::size_t n, source& r) {
                     return array<T>(n, [&](std::size_t) {
                       auto const b = any_bits<T>(r);
                       return r() % 3 ? b
                                      : from_bits<T>(bits_of<T>(to_bits(b) | format<T>::quiet_nan));
                     });
                   }});
    all.push_back({"zeros and infinities", [](std::size_t n, source& r) {
                     return array<T>(n, [&](std::size_t) {
                       std::uint64_t const c = r() % 16;
                       if (c < 2) return infinity<T>(c == 1);
                       return c == 2 ? quiet_nan<T>() : number<T>(c & 1 ? 0.0 : -0.0);
                     });
                   }});
    all.push_back({"nothing but NaN", [](std::size_t n, source&) {
                     return array<T>(n, [](std::size_t) { return quiet_nan<T>(); });
                   }});
  }
  return all;
}

// Every combination of options.
template <class T>
std::vector<top_k_options> all_options() {
  std::vector<top_k_options> all;
  for (order o : {largest, smallest})
    for (bool distinct : {false, true})
      for (nan_policy nan : {propagate, skip})
        for (bool sorted : {true, false})
          if (nan == propagate || floating<T>) all.push_back({o, sorted, distinct, nan});
  return all;
}

template <class T>
std::string describe(char const* input, std::size_t n, std::uint64_t k, top_k_options o,
                     int threads) {
  return std::string(name(dtype_of<T>)) + " " + input + " n=" + std::to_string(n) +
         " k=" + std::to_string(k) + (o.order == largest ? " largest" : " smallest") +
         (o.sorted ? " sorted" : "") + (o.distinct ? " distinct" : "") +
         (o.nan == skip ? " skip" : "") + " threads=" + std::to_string(threads);
}

template <class T>
class top_k_of : public testing::Test {};

template <class List>
struct test_types;
template <class... Ts>
struct test_types<type_list<Ts...>> {
  using type = testing::Types<Ts...>;
};

struct type_names {
  template <class T>
  static std::string GetName(int) {
    return std::string(name(dtype_of<T>));
  }
};

}  // namespace tally::top_k_cases
