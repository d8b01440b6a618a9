// SPDX-License-Identifier: Apache-2.0
//
// How a test runs a reduction by kernels, and what the answer must be.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/device/reduce/launch.cuh"
#include "tally/exact/exact_state.hpp"

namespace support {

// A GPU of so many multiprocessors, which decides how the work is cut.
class test_call {
 public:
  explicit test_call(int multiprocessors, std::uint32_t epoch = 0, bool all_words = false)
      : multiprocessors_(multiprocessors),
        header_(tally::device::workspace::header_bytes / sizeof(std::uint32_t)),
        words_(room),
        all_words_(all_words) {
    header_.fill_bytes(0);
    set_epoch(epoch);
    words_.fill_bytes(0);
  }
  CUstream_st* stream() const { return nullptr; }
  int multiprocessors() const { return multiprocessors_; }
  // That a block may have.
  std::size_t shared_memory() const { return shared_memory_; }
  void limit_shared_memory(std::size_t bytes) { shared_memory_ = bytes; }
  // Whether a selection may be by blocks or lanes that hold a row each, where rows are short enough.
  bool holds_rows() const { return holds_rows_; }
  void hold_rows(bool may) { holds_rows_ = may; }
  // And one in one read where k is large.
  bool samples_many() const { return samples_many_; }
  void sample_many(bool may) { samples_many_ = may; }
  // Memory ends with what is asked for, or is the same for all calls.
  tally::device::workspace workspace(std::size_t words) {
    EXPECT_LE(words, room);
    auto const given = all_words_ ? room : words;
    return {header_.data(), words_.data() + (room - given), given};
  }
  // Scratch holds what no launch may rely on.
  tally::device::call_memory memory(std::size_t words, std::size_t scratch) {
    scratch_ = tally::device_array<tally::device::status_word>(scratch / 16 + 1);
    scratch_.fill_bytes(0xa5);
    auto* const end = reinterpret_cast<std::byte*>(scratch_.data() + scratch / 16 + 1);
    return {words ? workspace(words) : tally::device::workspace{}, end - (scratch + 15) / 16 * 16};
  }
  // As the GPU's does, on the host.
  std::size_t sort_scratch(std::uint64_t, std::size_t) { return 0; }
  template <class Key>
  int sort(tally::device::pairs_to_sort<Key> const& pairs, int bits, std::byte*, std::size_t) {
    auto const n = std::size_t(pairs.count);
    std::vector<Key> keys(n);
    std::vector<std::uint32_t> indices(n);
    auto const copy = [&](auto* to, auto const* from, cudaMemcpyKind way) {
      tally::check(cudaMemcpyAsync(to, from, n * sizeof *to, way, nullptr));
      tally::check(cudaStreamSynchronize(nullptr));
    };
    copy(keys.data(), pairs.keys[0], cudaMemcpyDeviceToHost);
    copy(indices.data(), pairs.indices[0], cudaMemcpyDeviceToHost);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    EXPECT_TRUE(std::ranges::all_of(
        keys, [&](Key k) { return bits == 8 * int(sizeof k) || k >> bits == 0; }));
    std::ranges::stable_sort(order, [&](auto a, auto b) { return keys[a] > keys[b]; });
    std::vector<Key> sorted_keys(n);
    std::vector<std::uint32_t> sorted_indices(n);
    for (std::size_t i = 0; i < n; ++i)
      sorted_keys[i] = keys[order[i]], sorted_indices[i] = indices[order[i]];
    copy(pairs.keys[1], sorted_keys.data(), cudaMemcpyHostToDevice);
    copy(pairs.indices[1], sorted_indices.data(), cudaMemcpyHostToDevice);
    return 1;
  }
  std::uint32_t epoch() const { return header_.to_host()[0]; }
  std::uint32_t drawn() const { return header_.to_host()[1]; }
  // Sums, which must be zero between launches.
  std::vector<std::uint32_t> sums() const {
    auto all = header_.to_host();
    return {all.begin() + 4, all.begin() + 4 + 2 * tally::device::workspace::max_sums};
  }
  void set_epoch(std::uint32_t epoch) {
    auto all = header_.to_host();
    all[0] = epoch, all[1] = 0;
    header_.copy_from(all);
  }
  // How often blocks of each team have arrived at meetings.
  void set_arrived(std::uint32_t times) {
    auto all = header_.to_host();
    std::fill(all.begin() + 4 + 2 * tally::device::workspace::max_sums, all.end(), times);
    header_.copy_from(all);
  }
  void set_multiprocessors(int count) { multiprocessors_ = count; }

  // Where calls write how they are carried out, as those on a tally::gpu do.
  std::string* explanation = nullptr;

 private:
  static constexpr std::size_t room = 1 << 16;
  std::size_t shared_memory_ = tally::detail::shared_memory_of_a_block();
  bool holds_rows_ = true, samples_many_ = true;
  int multiprocessors_;
  tally::device_array<std::uint32_t> header_;  // the epoch, what is drawn
  tally::device_array<tally::device::status_word> words_;
  tally::device_array<tally::device::status_word> scratch_;
  bool all_words_;
};

template <class Result>
struct device_answer {
  Result result;
  bool found;
};

// Puts an array so many elements behind the beginning of memory: what is around it stays as it was,
// at first never written.
template <class T>
void put(std::vector<T> const& in, tally::device_array<T> const& to, int at) {
  if (in.empty()) return;
  tally::check(cudaMemcpyAsync(to.data() + at, in.data(), in.size() * sizeof(T),
                               cudaMemcpyHostToDevice, nullptr));
  tally::check(cudaStreamSynchronize(nullptr));
}

// The reduction of `in`, put `offset` elements behind a 256-byte boundary, where memory ends with
// it; or `behind` elements follow, and neither those nor the ones before must count.
template <class A>
device_answer<typename A::result> run_on_device(A const& a,
                                                std::vector<typename A::element> const& in,
                                                test_call& call,
                                                tally::nan_policy nan = tally::propagate,
                                                int offset = 0, int behind = 0) {
  using T = typename A::element;
  using R = typename A::result;
  struct holder {
    R value;
  };
  tally::device_array<T> data(in.size() + offset + behind);
  if (behind > 0) data.fill_bytes(0x2b);
  put(in, data, offset);
  tally::device_array<holder> result(3);
  tally::device_array<unsigned char> found(3);
  result.fill_bytes(0xa5);
  found.fill_bytes(0xa5);
  tally::detail::reduce_on_gpu(call, a, nan, tally::array_input<T>{data.data() + offset, in.size()},
                               &result.data()[1].value, reinterpret_cast<bool*>(&found.data()[1]));
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(call.drawn(), 0u);
  EXPECT_EQ(std::ranges::count(call.sums(), 0u), std::ptrdiff_t(call.sums().size()));
  auto const results = result.to_host();
  auto const founds = found.to_host();
  for (int i : {0, 2}) {
    holder poison;
    memset(static_cast<void*>(&poison), 0xa5, sizeof poison);
    EXPECT_EQ(memcmp(&results[i], &poison, sizeof poison), 0);
    EXPECT_EQ(founds[i], 0xa5);
  }
  return {results[1].value, founds[1] != 0};
}

// The bytes of a state, which are the same for the same values.
template <class A>
std::vector<std::byte> bytes_of(A const&, typename A::state const& s) {
  tally::byte_writer out;
  A::write(out, s);
  return out.take();
}

enum class kind {
  uniform,
  normal,
  any_bits,
  cancelling,
  wide,
  subnormal,
  zeros,
  infinities,
  any_and_infinities,
  nans,
  largest
};
inline constexpr kind kinds[] = {kind::uniform,    kind::normal,     kind::any_bits,
                                 kind::cancelling, kind::wide,       kind::subnormal,
                                 kind::zeros,      kind::infinities, kind::any_and_infinities,
                                 kind::nans,       kind::largest};

template <tally::floating T>
std::vector<T> values(kind which, std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed + 100 * unsigned(which));
  std::normal_distribution<double> normal;
  using f = tally::format<T>;
  auto const bits = [&] { return tally::from_bits<T>(tally::bits_of<T>(random())); };
  auto const finite = [&] {
    for (;;)
      if (T const x = bits(); tally::is_finite(x)) return x;
  };
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    double const unit = double(random() >> 11) * 0x1p-53;
    switch (which) {
      case kind::uniform: out[i] = tally::convert<T>(unit); break;
      case kind::normal: out[i] = tally::convert<T>(normal(random)); break;
      case kind::any_bits: out[i] = finite(); break;
      case kind::cancelling:
        out[i] = i % 2
                     ? tally::from_bits<T>(tally::bits_of<T>(tally::to_bits(out[i - 1]) ^ f::sign))
                     : finite();
        if (i % 64 == 63) out[i] = tally::convert<T>(unit);
        break;
      case kind::wide:
        out[i] = tally::convert<T>(std::ldexp(normal(random), int(random() % 40) - 20));
        break;
      case kind::subnormal:
        out[i] = tally::from_bits<T>(tally::bits_of<T>(random() & (f::fraction | f::sign)));
        break;
      case kind::zeros: out[i] = tally::from_bits<T>(i % 2 ? f::sign : tally::bits_of<T>(0)); break;
      case kind::infinities:
        out[i] = i == n / 2 ? tally::infinity<T>(true) : tally::convert<T>(unit);
        break;
      case kind::any_and_infinities:
        out[i] = i % 97 == 5 ? tally::infinity<T>(false) : finite();
        break;
      case kind::nans:
        out[i] = i % 97 == 5 ? bits() : finite();
        if (i % 97 == 7) out[i] = tally::quiet_nan<T>();
        break;
      case kind::largest:
        out[i] = tally::from_bits<T>(
            tally::bits_of<T>((f::infinity - 1) | (i % 3 == 2 ? f::sign : tally::bits_of<T>(0))));
        break;
    }
  }
  return out;
}

template <class T>
std::string bits_text(T x) {
  char text[32];
  std::snprintf(text, sizeof text, "%llx", (unsigned long long)(tally::to_bits(x)));
  return text;
}

}  // namespace support
