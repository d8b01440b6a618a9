// SPDX-License-Identifier: Apache-2.0
//
// What goes through GPUs in chunks, whatever these are.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/failure_of.hpp"
#include "support/state_cases.hpp"
#include "tally/gpu/pipeline.hpp"
#include "tally/tally.hpp"

namespace support {

// Pieces of x, of many sizes, in order or from the last on.
template <class T, class F>
void for_pieces(std::vector<T> const& x, bool reverse, F const& f) {
  std::size_t const n = x.size();
  for (std::size_t done = 0, step = 1; done < n; step = step * 5 + 3) {
    auto const size = std::min(step, n - done);
    f(std::as_bytes(std::span(x).subspan(reverse ? n - done - size : done, size)));
    done += size;
  }
}

template <class Op>
void expect_the_state_of_one_call(tally::gpu_pipeline_options options, std::vector<float> const& x,
                                  Op const& op) {
  tally::state<Op, float> total(op);
  options.elements = {sizeof(float)};
  tally::gpu_pipeline through(options, [&](tally::gpu_chunk& chunk) {
    auto const known =
        reduce(chunk.there(), chunk.elements<float>(), tally::as_state{op, chunk.first()});
    chunk.in_turn([&] { total.append(known); });
  });
  for_pieces(x, false, [&](auto piece) { through.add(piece); });
  through.finish();
  EXPECT_EQ(total.serialise(), reduce(tally::cpu{}, x, tally::as_state{op}).serialise());
  EXPECT_LE(through.spent().lanes, options.lanes * int(options.devices.size()));
}

inline void expect_the_scan_of_one_call(tally::gpu_pipeline_options options,
                                        std::vector<float> const& x, bool reverse) {
  std::vector<float> want(x.size()), got(x.size());
  exclusive_scan(tally::cpu{}, x, want, tally::sum{}, {.init = 0.25f, .reverse = reverse});
  tally::scanner<float, float, tally::sum> running(tally::sum{},
                                                   {.init = 0.25f, .reverse = reverse});
  options.elements = {sizeof(float)}, options.result = sizeof(float);
  options.reverse = reverse, options.first = reverse ? x.size() : 0;
  tally::gpu_pipeline through(options, [&](tally::gpu_chunk& chunk) {
    chunk.in_turn(
        [&] { running.exclusive(chunk.there(), chunk.elements<float>(), chunk.results<float>()); });
    auto const results = chunk.read_results();
    std::memcpy(got.data() + chunk.first(), results.data(), results.size());
  });
  for_pieces(x, reverse, [&](auto piece) { through.add(piece); });
  through.finish();
  EXPECT_EQ(got, want) << reverse;
}

// Two arrays at once.
inline void expect_the_dot_of_one_call(tally::gpu_pipeline_options options,
                                       std::vector<float> const& x) {
  auto const y = std::vector(x.rbegin(), x.rend());
  tally::state<tally::dot, tally::zipped<float, float>> total;
  options.elements = {sizeof(float), sizeof(float)};
  tally::gpu_pipeline through(options, [&](tally::gpu_chunk& chunk) {
    auto const pairs = tally::zip(chunk.elements<float>(0), chunk.elements<float>(1));
    auto const known = reduce(chunk.there(), pairs, tally::as_state{tally::dot{}, chunk.first()});
    chunk.in_turn([&] { total.append(known); });
  });
  through.add({std::as_bytes(std::span(x)), std::as_bytes(std::span(y))});
  through.finish();
  EXPECT_EQ(total.result(), reduce(tally::cpu{}, tally::zip(x, y), tally::dot{}));
}

inline void expect_the_bits_of_one_call(std::vector<int> const& devices, std::size_t n,
                                        std::size_t chunk_bytes) {
  auto const x = state_values<float>(n, false, 1);
  for (int lanes : {1, 3}) {
    tally::gpu_pipeline_options const options{
        .devices = devices, .elements = {}, .chunk_bytes = chunk_bytes, .lanes = lanes};
    expect_the_state_of_one_call(options, x, tally::sum{});
    expect_the_state_of_one_call(options, x, tally::fast_sum{});
    expect_the_state_of_one_call(options, x, tally::arg_maximum{});
    expect_the_state_of_one_call(options, x, tally::describe{});
    for (bool reverse : {false, true}) expect_the_scan_of_one_call(options, x, reverse);
    expect_the_dot_of_one_call(options, x);
  }
}

// Two for each chunk, of which every other one is late for the first.
inline void expect_turns_in_order(std::vector<int> const& devices, std::uint64_t chunks) {
  std::vector<std::uint64_t> first, second;
  tally::gpu_pipeline through({.devices = devices, .elements = {1}, .chunk_bytes = 256, .lanes = 5},
                              [&](tally::gpu_chunk& chunk) {
                                EXPECT_EQ(chunk.count(), 256u);
                                if (chunk.number() % 2 == 0)
                                  std::this_thread::sleep_for(std::chrono::microseconds(300));
                                chunk.in_turn([&] { first.push_back(chunk.number()); });
                                chunk.in_turn([&] { second.push_back(chunk.first() / 256); });
                              });
  EXPECT_EQ(through.chunk_elements(), 256u);
  std::vector<std::byte> const x(256 * chunks);
  through.add(x);
  through.finish();
  std::vector<std::uint64_t> want(chunks);
  for (std::uint64_t i = 0; i < chunks; ++i) want[i] = i;
  EXPECT_EQ(first, want);
  EXPECT_EQ(second, want);
  EXPECT_EQ(through.spent().chunks, chunks);
}

// Those that wait for the chunk's turn end with it, and nothing more is taken.
inline void expect_the_first_error(std::vector<int> const& devices) {
  std::atomic<int> after = 0;
  tally::gpu_pipeline through({.devices = devices, .elements = {1}, .chunk_bytes = 256},
                              [&](tally::gpu_chunk& chunk) {
                                if (chunk.number() == 7) throw tally::error("the seventh");
                                chunk.in_turn([&] { after += chunk.number() > 7; });
                              });
  std::vector<std::byte> const x(256 * 100);
  // Its chunks may all have been read before.
  auto const told = failure_of([&] { through.add(x), through.finish(); });
  EXPECT_EQ(told, "the seventh");
  EXPECT_EQ(failure_of([&] { through.add(x); }), "the seventh");
  EXPECT_EQ(failure_of([&] { through.finish(); }), "the seventh");
  EXPECT_EQ(after, 0);
}

}  // namespace support
