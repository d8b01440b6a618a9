// SPDX-License-Identifier: Apache-2.0
//
// Rows reduced by kernels: what each must give, at every layout and address.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/device_reduce.cuh"
#include "support/row_cases.hpp"
#include "tally/aggregate/results.hpp"
#include "tally/device/reduce/rows/launch.cuh"
#include "tally/row_inputs.hpp"

namespace support {

using tally::nan_policy;

template <class T>
std::vector<T> elements(std::size_t n, std::mt19937_64& random) {
  std::vector<T> x(n);
  for (auto& e : x)
    if constexpr (tally::floating<T>)
      e = random() % 60 ? tally::convert<T>(std::ldexp(double(int(random() % 2001) - 1000),
                                                       int(random() % 9) - 4))
                        : tally::quiet_nan<T>();
    else
      e = T(random());
  return x;
}

// The aggregate of a row's elements in order or, where that matters, along the aligned tree.
template <class A, class Row>
typename A::result result_of(A const& a, Row const& row, nan_policy nan) {
  std::vector<tally::maybe<typename A::state>> nodes;
  for (std::uint64_t i = 0; i < row.size(); ++i) {
    auto const x = row[i];
    bool counts = true;
    if constexpr (tally::has_nan<typename A::element>)
      counts = nan == tally::propagate || !tally::is_nan(x);
    nodes.push_back({a.lift(x, i), counts});
  }
  while (nodes.size() > 1) {
    for (std::size_t i = 0; i < nodes.size(); i += 2)
      nodes[i / 2] = i + 1 < nodes.size() ? tally::combine(a, nodes[i], nodes[i + 1]) : nodes[i];
    nodes.resize((nodes.size() + 1) / 2);
  }
  if (!nodes.empty() && nodes[0].present) return a.lower(nodes[0].value);
  if constexpr (tally::has_identity<A>)
    return a.lower(a.identity());
  else
    return {};
}

// Whether results have the same bits; of those with gaps between their numbers, each of these.
template <class R>
bool same(R const& x, R const& y);
template <class... Rs>
bool same(tally::results<Rs...> const& x, tally::results<Rs...> const& y) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (same(get<i>(x), get<i>(y)) && ...);
  }(std::index_sequence_for<Rs...>());
}
template <class R>
bool same(R const& x, R const& y) {
  if constexpr (requires { x.each([](auto, auto) {}); }) {
    std::vector<std::string> texts[2];
    x.each([&](auto, auto number) { texts[0].push_back(bits_text(number)); });
    y.each([&](auto, auto number) { texts[1].push_back(bits_text(number)); });
    return texts[0] == texts[1];
  } else {
    return memcmp(&x, &y, sizeof(R)) == 0;
  }
}

// What each row gives on a device, between canaries.
template <class A, class In>
void expect_rows(A const& a, In const& there, In const& here, test_call& call,
                 nan_policy nan = tally::propagate) {
  using R = typename A::result;
  auto const& rows = here.layout();
  auto const count = std::size_t(rows.count);
  std::vector<R> want(count);
  for (std::size_t r = 0; r < count; ++r) {
    auto const row = here.row(r);
    want[r] = result_of(a, row, nan);
    if constexpr (requires { want[r].nan_count; }) {
      want[r].nan_count = 0;  // a device has counted those that it skips, too
      for (std::uint64_t i = 0; i < row.size(); ++i) want[r].nan_count += tally::is_nan(row[i]);
    }
  }
  tally::device_array<R> const out(count + 2);
  out.fill_bytes(0xa5);
  auto const before = out.to_host();
  tally::detail::reduce_rows_on_gpu(call, a, nan, there, tally::rows<R>(out.data() + 1, count, 1));
  auto const got = out.to_host();
  for (std::size_t r = 0; r < count; ++r)
    ASSERT_TRUE(same(got[r + 1], want[r]))
        << ::testing::PrintToString(got[r + 1]) << ", not " << ::testing::PrintToString(want[r])
        << ": row " << r << " of " << rows.count << ", of " << rows.length << " elements, stride "
        << rows.stride << ", step " << rows.step;
  EXPECT_EQ(memcmp(&got.front(), &before.front(), sizeof(R)), 0);
  EXPECT_EQ(memcmp(&got.back(), &before.back(), sizeof(R)), 0);
}

inline constexpr std::pair<std::uint64_t, std::uint64_t> row_shapes[] = {
    {1, 1},  {3, 0},   {40, 1},  {33, 3},  {17, 8},  {9, 31},
    {7, 33}, {37, 64}, {5, 129}, {6, 512}, {3, 700}, {1, 3000}};

// Rows of every layout, at every address.
template <class T, class Op>
void expect_all(Op const& op, nan_policy nan = tally::propagate, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  test_call call(1);
  for (auto const& [count, length] : row_shapes)
    for (auto const& c : row_cases(count, length, random)) {
      call.set_multiprocessors(1 + int(random() % 3));
      int const offset = random() % 2 ? int(random() % 5) : 0;
      auto const x = elements<T>(std::size_t(c.size) + offset, random);
      tally::device_array<T> const data(x);
      tally::device_array<std::int64_t> const offsets(c.offsets);
      tally::rows<T const> const here(x.data() + offset + c.origin,
                                      with_offsets(c, c.offsets.data()));
      tally::rows<T const> there(data.data() + offset + c.origin, with_offsets(c, offsets.data()));
      if (random() % 2) there.array_size = std::uint64_t(c.size);  // where segments are, for these
      expect_rows(tally::detail::bind_reduce<T>(op), there, here, call, nan);
    }
}

}  // namespace support
