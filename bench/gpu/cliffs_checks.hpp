// SPDX-License-Identifier: Apache-2.0
//
// Whether an answer is right, by loops and counts that know nothing of the library. Elements are
// compared as doubles, which hold all of theirs, and no NaN is among them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "tally/exact/float_format.hpp"

namespace bench {

// Calls f(part, first, end) of each part of [0, n), by a thread each.
template <class F>
void by_threads(std::uint64_t n, F f) {
  std::uint64_t const parts =
      std::clamp<std::uint64_t>(n >> 16, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (std::uint64_t p = 0; p < parts; ++p)
    threads.emplace_back([=] { f(p, n * p / parts, n * (p + 1) / parts); });
}

// Calls f(values, count, first) of each some thousand elements of [first, end), as doubles.
template <class T, class F>
void by_doubles(T const* x, std::uint64_t first, std::uint64_t end, F f) {
  constexpr std::uint64_t most = 4096;
  std::array<double, most> values;
  for (; first < end; first += most) {
    auto const count = std::min(most, end - first);
    for (std::uint64_t i = 0; i < count; ++i) values[i] = double(x[first + i]);
    f(values.data(), count, first);
  }
}

struct ends {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  std::uint64_t least_at = 0, greatest_at = 0;  // the first
  std::uint64_t nonzero = 0;
  double sum = 0;  // exact of short integers

  void add(double x, std::uint64_t at) {
    if (x < least) least = x, least_at = at;
    if (x > greatest) greatest = x, greatest_at = at;
    nonzero += x != 0;
    sum += x;
  }
  void append(ends const& right) {
    auto const [nonzero_of_both, sum_of_both] = std::pair(nonzero + right.nonzero, sum + right.sum);
    if (right.least < least) least = right.least, least_at = right.least_at;
    if (right.greatest > greatest) greatest = right.greatest, greatest_at = right.greatest_at;
    nonzero = nonzero_of_both, sum = sum_of_both;
  }
};

template <class T>
ends ends_of(T const* x, std::uint64_t n) {
  std::vector<ends> parts(std::max(1u, std::thread::hardware_concurrency()));
  by_threads(n, [&](std::uint64_t p, std::uint64_t first, std::uint64_t end) {
    ends all;
    by_doubles(x, first, end, [&](double const* values, std::uint64_t count, std::uint64_t at) {
      for (std::uint64_t i = 0; i < count; ++i) all.add(values[i], at + i);
    });
    parts[p] = all;
  });
  for (std::size_t p = 1; p < parts.size(); ++p) parts[0].append(parts[p]);
  return parts[0];
}

struct counts {
  std::uint64_t below = 0, equal = 0;
  std::uint64_t up_to() const { return below + equal; }
};

// How many elements are below each of the values, and how many equal it.
template <class T>
std::vector<counts> count_around(T const* x, std::uint64_t n, std::vector<double> const& values) {
  std::vector<std::vector<counts>> parts(std::max(1u, std::thread::hardware_concurrency()),
                                         std::vector<counts>(values.size()));
  by_threads(n, [&](std::uint64_t p, std::uint64_t first, std::uint64_t end) {
    auto found = parts[p];
    by_doubles(x, first, end, [&](double const* some, std::uint64_t count, std::uint64_t) {
      for (std::size_t v = 0; v < values.size(); ++v) {
        std::uint64_t below = 0, equal = 0;
        for (std::uint64_t i = 0; i < count; ++i)
          below += some[i] < values[v], equal += some[i] == values[v];
        found[v].below += below, found[v].equal += equal;
      }
    });
    parts[p] = found;
  });
  for (std::size_t p = 1; p < parts.size(); ++p)
    for (std::size_t v = 0; v < values.size(); ++v)
      parts[0][v].below += parts[p][v].below, parts[0][v].equal += parts[p][v].equal;
  return parts[0];
}

// Whether it is the k-th smallest of x, and lies at the index at which a stable sort finds it.
template <class T>
bool is_kth(T const* x, std::uint64_t n, std::uint64_t k, double value, std::int64_t index) {
  if (index < 0 || std::uint64_t(index) >= n || double(x[index]) != value) return false;
  auto const all = count_around(x, n, {value})[0];
  auto const before = count_around(x, std::uint64_t(index), {value})[0];
  return all.below < k && k <= all.up_to() && before.equal == k - all.below - 1;
}

// Whether they are the k greatest of x, the greatest first, of equal ones the first first.
template <class T>
bool are_top_k(T const* x, std::uint64_t n, std::uint64_t k, T const* values,
               std::int64_t const* indices) {
  for (std::uint64_t i = 0; i < k; ++i) {
    double const value = double(values[i]);
    if (indices[i] < 0 || std::uint64_t(indices[i]) >= n || double(x[indices[i]]) != value)
      return false;
    if (i == 0) continue;
    double const before = double(values[i - 1]);
    if (!(before > value || (before == value && indices[i - 1] < indices[i]))) return false;
  }
  double const last = double(values[k - 1]);
  auto const all = count_around(x, n, {last})[0];
  auto const first = count_around(x, std::uint64_t(indices[k - 1]) + 1, {last})[0];
  std::uint64_t const above = n - all.up_to();
  return above < k && first.equal == k - above;
}

// Whether each lies between the elements between which the sorted x has its place.
template <class T>
bool are_quantiles(T const* x, std::uint64_t n, std::vector<double> const& qs,
                   std::vector<double> const& values) {
  auto const found = count_around(x, n, values);
  for (std::size_t i = 0; i < qs.size(); ++i) {
    double const place = qs[i] * double(n - 1);
    if (!(double(found[i].up_to()) >= std::floor(place) + 1 &&
          double(found[i].below) <= std::ceil(place)))
      return false;
  }
  return true;
}

// Whether prefix sums that are rounded at every step are as near to the exact ones as fewer than
// 4096 steps in a row leave them.
template <class T>
bool are_near_sums(T const* x, T const* got, T const* exact, std::uint64_t n) {
  double const unit = std::ldexp(4096, -tally::format<T>::precision);
  double magnitude = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    magnitude += std::fabs(double(x[i]));
    if (!(std::fabs(double(got[i]) - double(exact[i])) <= unit * magnitude)) return false;
  }
  return true;
}

// The same of products, beside others in another order. What is subnormal is as good as 0.
template <class T>
bool are_near_products(T const* got, T const* others, std::uint64_t n) {
  double const unit = std::ldexp(4096, -tally::format<T>::precision);
  double const tiny = std::ldexp(1, tally::format<T>::precision) *
                      double(tally::from_bits<T>(tally::bits_of<T>(1)));
  for (std::uint64_t i = 0; i < n; ++i) {
    double const is = double(got[i]), want = double(others[i]);
    bool const same = is == want || (is != is && want != want);  // without end, or NaN
    if (!same && !(std::fabs(is - want) <= unit * std::fabs(want) + tiny)) return false;
  }
  return true;
}

}  // namespace bench
