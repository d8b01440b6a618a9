// SPDX-License-Identifier: Apache-2.0
#include "tally/scan_carry.hpp"

#include <cstring>

#include "support/failure_of.hpp"
#include "support/state_cases.hpp"

namespace {

using namespace tally;
using support::failure_of;

// A scan in random chunks, each by a scanner of its own, which is told what comes before as bytes.
template <class In, class Out, class Op>
void expect_chunks(Op const& op, bool any, bool reverse, nan_policy nan) {
  std::size_t const n = 5000;
  auto const x = support::state_values<In>(n, any, 5);
  std::vector<Out> want(n), got(n);
  scan_options<Out> const options{.init = Out(1), .reverse = reverse, .nan = nan};
  inclusive_scan(cpu{}, x, want, op, options);
  scanner<In, Out, Op> whole(op, options, reverse ? n : 0), parts(op, options, reverse ? n : 0);
  std::vector<Out> again(n);
  whole.inclusive(cpu{}, x, again);
  std::mt19937_64 random(n);
  for (std::size_t done = 0; done < n;) {
    auto const carry = scan_carry<In, Out, Op>::deserialise(parts.carry().serialise());
    EXPECT_EQ(carry, parts.carry());
    EXPECT_EQ(carry.next(), reverse ? n - done : done);
    parts = scanner<In, Out, Op>(carry, op, nan);
    std::size_t const size = std::min<std::size_t>(n - done, random() % 1500);
    std::size_t const at = reverse ? n - done - size : done;
    parts.inclusive(cpu{2}, std::span<In const>(x).subspan(at, size),
                    std::span<Out>(got).subspan(at, size));
    done += size;
  }
  EXPECT_EQ(std::memcmp(got.data(), want.data(), n * sizeof(Out)), 0);
  EXPECT_EQ(parts.carry(), whole.carry());
}

template <class In, class Out = In, class Op>
void expect_all_chunks(Op const& op) {
  for (bool any : {false, true})
    for (bool reverse : {false, true})
      for (auto const nan : {propagate, skip}) expect_chunks<In, Out>(op, any, reverse, nan);
}

TEST(carries, go_on_with_the_bits_of_a_single_call) {
  expect_all_chunks<float>(sum{});
  expect_all_chunks<float, double>(sum{});
  expect_all_chunks<double>(sum{});
  expect_all_chunks<std::int8_t>(sum{});
  expect_all_chunks<std::int8_t, std::int64_t>(sum{});
  expect_all_chunks<std::int8_t, std::int16_t>(sum{});  // converted from wider ones
  expect_all_chunks<std::int32_t>(maximum{});
  expect_all_chunks<std::int32_t>([](std::int32_t a, std::int32_t b) { return a > b ? a : b; });
}

// After 1e30 and 1, rounded, -1e30 would leave nothing.
TEST(carries, are_not_rounded) {
  std::vector<float> const x = {1e30f, 1};
  std::vector<float> out(2);
  scanner<float, float, sum> first;
  first.inclusive(cpu{}, x, out);
  scanner<float, float, sum> second(first.carry());
  second.inclusive(cpu{}, std::vector{-1e30f}, std::span(out).first(1));
  EXPECT_EQ(out[0], 1);
}

// Some chunks are scanned, some skipped, and some only told of by others.
template <class In, class Out = In, class Op>
void expect_skips(Op const& op) {
  std::size_t const n = 3000;
  auto const x = support::state_values<In>(n, true, 6);
  for (bool const reverse : {false, true})
    for (auto const nan : {propagate, skip}) {
      std::vector<Out> want(n), got(n);
      scan_options<Out> const options{.init = Out(1), .reverse = reverse, .nan = nan};
      scanner<In, Out, Op> whole(op, options), parts(op, options);
      whole.inclusive(cpu{}, x, want);
      for (std::size_t i = 0; i < 10; ++i) {
        auto const at = (reverse ? 9 - i : i) * 300;
        auto const chunk = std::span<In const>(x).subspan(at, 300);
        if (i % 3 == 0) {
          parts.inclusive(cpu{2}, chunk, std::span<Out>(got).subspan(at, 300));
          continue;
        }
        std::fill_n(want.begin() + std::ptrdiff_t(at), 300, Out{});
        if (i % 3 == 1) {
          parts.skip(cpu{2}, chunk);
        } else {
          scanner<In, Out, Op> other(op, {.reverse = reverse, .nan = nan});
          other.skip(cpu{}, chunk.subspan(reverse ? 100 : 0, 200));
          other.skip(cpu{}, chunk.subspan(reverse ? 0 : 200, 100));
          parts.append(other.carry());
        }
      }
      EXPECT_EQ(std::memcmp(got.data(), want.data(), n * sizeof(Out)), 0);
      EXPECT_EQ(parts.carry(), whole.carry());
    }
}

TEST(scanners, go_on_behind_what_was_skipped_or_told) {
  expect_skips<float>(sum{});
  expect_skips<bfloat16, double>(sum{});
  expect_skips<std::int8_t, std::int16_t>(sum{});
  expect_skips<std::int32_t>(sum{});
  expect_skips<float>(maximum{});
  expect_skips<std::int64_t>(product{});
  expect_skips<std::int32_t>([](std::int32_t a, std::int32_t b) { return a > b ? a : b; });
}

TEST(scanners, of_other_directions_are_not_appended) {
  scanner<float, float, sum> forward, backward({}, {.reverse = true});
  EXPECT_EQ(failure_of([&] { forward.append(backward.carry()); }),
            "append: a scan in reverse to one forward");
  EXPECT_EQ(failure_of([&] { backward.append(forward.carry()); }),
            "append: a scan forward to one in reverse");
}

TEST(carries, of_other_scans_are_refused) {
  scanner<float, float, sum> const scan;
  auto bytes = scan.carry().serialise();
  EXPECT_EQ(failure_of([&] { scan_carry<float, double, sum>::deserialise(bytes); }),
            "state: of element type number 11, not 12");
  bytes.push_back({});
  EXPECT_EQ(failure_of([&] {
              scanner<float, float, sum>(scan_carry<float, float, sum>::deserialise(bytes));
            }),
            "state: more bytes than it has");
}

}  // namespace
