// SPDX-License-Identifier: Apache-2.0
//
// Every allocation of this program is counted, so that top_k's promise can be measured. Not under a
// sanitizer, whose own operator new must stay in place.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#include "tally/dtype.hpp"
#include "tally/quantile.hpp"
#include "tally/top_k.hpp"

namespace {
std::atomic<std::size_t> live = 0, peak = 0;
constexpr std::size_t header = 64;  // keeps the alignment of what follows

void* allocate(std::size_t size) {
  auto* const block = static_cast<std::size_t*>(std::malloc(size + header));
  if (!block) throw std::bad_alloc();
  *block = size;
  std::size_t const now = live += size;
  for (std::size_t old = peak; old < now && !peak.compare_exchange_weak(old, now);) {
  }
  return reinterpret_cast<char*>(block) + header;
}

void release(void* p) {
  if (!p) return;
  auto* const block = reinterpret_cast<std::size_t*>(static_cast<char*>(p) - header);
  live -= *block;
  std::free(block);
}
}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }

namespace tally {
namespace {

template <class T>
void expect_little_memory(char const* kind, std::vector<T> const& in, std::uint64_t k,
                          top_k_options options, int threads) {
  std::size_t const before = live;
  peak = before;
  auto const result = top_k(cpu{threads}, in, k, options);
  std::size_t const output = k * (sizeof(T) + sizeof(std::int64_t));
  std::size_t const allowed = in.size() * sizeof(T) * 15 / 100 + (std::size_t(threads) << 20);
  EXPECT_LE(peak - before, output + allowed)
      << name(dtype_of<T>) << " " << kind << " n = " << in.size() << " k = " << k
      << " threads = " << threads << (options.distinct ? " distinct" : "");
  EXPECT_LE(result.indices.size(), k);
}

// Of the k-th value and of a quantile, which have no output to speak of.
template <class T>
void expect_little_memory_at_a_rank(char const* kind, std::vector<T> const& in, int threads) {
  std::size_t const before = live;
  peak = before;
  kth_value(cpu{threads}, in, in.size() / 2);
  quantile(cpu{threads}, in, 0.01);
  std::size_t const allowed = in.size() * sizeof(T) * 15 / 100 + (std::size_t(threads) << 20);
  EXPECT_LE(peak - before, allowed)
      << name(dtype_of<T>) << " " << kind << " n = " << in.size() << " threads = " << threads;
}

template <class T>
void check(std::size_t n) {
  std::mt19937_64 random(1);
  std::vector<T> any(n), few(n), ascending(n), equal(n, T(1));
  for (std::size_t i = 0; i < n; ++i) {
    any[i] = T(double(random() >> 20));
    few[i] = T(random() % 1000);
    ascending[i] = T(i);
  }
  for (int threads : {1, 3}) {
    expect_little_memory_at_a_rank("random", any, threads);
    expect_little_memory_at_a_rank("few", few, threads);
    expect_little_memory_at_a_rank("ascending", ascending, threads);
    expect_little_memory_at_a_rank("equal", equal, threads);
    for (bool distinct : {false, true})
      for (std::uint64_t k : {std::size_t(1000), n / 100, n / 2, n}) {
        top_k_options const options = {.sorted = k < n / 2, .distinct = distinct};
        expect_little_memory("random", any, k, options, threads);
        expect_little_memory("few", few, k, options, threads);
        expect_little_memory("ascending", ascending, k, options, threads);
        expect_little_memory("equal", equal, k, options, threads);
      }
  }
}

TEST(top_k_memory, is_a_fraction_of_the_input_for_int16) { check<std::int16_t>(1 << 22); }
TEST(top_k_memory, is_a_fraction_of_the_input_for_float) { check<float>(1 << 20); }
TEST(top_k_memory, is_a_fraction_of_the_input_for_double) { check<double>(1 << 20); }

TEST(top_k_memory, is_a_fraction_of_a_large_input) {
  std::mt19937_64 random(2);
  std::vector<float> v(std::size_t(4) << 20);
  for (float& x : v) x = float(random());
  for (bool distinct : {false, true})
    expect_little_memory("random", v, v.size() / 2, {.distinct = distinct}, 1);
}

}  // namespace
}  // namespace tally
#endif
