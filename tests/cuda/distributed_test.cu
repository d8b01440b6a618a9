// SPDX-License-Identifier: Apache-2.0
#include "tally/distributed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/devices.hpp"
#include "tally/nccl.hpp"
#include "tally/run_ranks.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> out(n);
  std::uint64_t seed = 7;
  for (T& x : out) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    auto const z = std::int32_t(seed >> 32);
    if constexpr (floating<T>)
      x = T(std::ldexp(float(z), int(seed >> 20 & 63) - 62));
    else
      x = T(z % 1000);
  }
  return out;
}

// Where the slices of so many ranks begin: uneven ones, of which the second is empty.
std::vector<std::size_t> cuts(std::size_t n, int ranks) {
  std::vector<std::size_t> at{0};
  for (int r = 1; r < ranks; ++r) at.push_back(r == 2 ? at.back() : n * r / ranks + (n > 9));
  at.push_back(n);
  return at;
}

template <class T>
std::span<T const> slice_of(std::vector<T> const& x, communicator const& ranks) {
  auto const at = cuts(x.size(), ranks.size());
  auto const r = std::size_t(ranks.rank());
  return std::span(x).subspan(at[r], at[r + 1] - at[r]);
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Calls f(communicator, gpu) for several ranks that take turns on the GPUs there are, which tell
// each other through host memory, and for as many as there are GPUs through NCCL.
template <class F>
void for_ranks(F const& f) {
  int const devices = int(gpus().size());
  for (int const size : {1, 2, 3, 5})
    run_ranks(size, [&](communicator& ranks) {
      gpu there{.device = ranks.rank() % devices};
      f(ranks, there);
    });
  run_ranks(devices, [&](communicator& threads) {
    nccl_communicator ranks(threads, threads.rank());
    gpu there{.device = threads.rank()};
    f(ranks, there);
  });
}

// A slice in the memory of the rank's GPU.
template <class T>
struct on_gpu {
  std::unique_ptr<device_array<T>> memory;
  on_gpu(gpu& there, std::span<T const> x) {
    check(cudaSetDevice(there.index()));
    memory = std::make_unique<device_array<T>>(x);
  }
  std::span<T> elements() const { return {memory->data(), memory->size()}; }
};

constexpr std::size_t sizes[] = {1, 9, 1000, 300'001};

template <class T>
class distributed_on_gpus : public testing::Test {};
using types = testing::Types<float, double, bfloat16, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(distributed_on_gpus, types, );

TYPED_TEST(distributed_on_gpus, reductions_have_the_bits_of_one_core) {
  using T = TypeParam;
  for (auto const n : sizes) {
    auto const x = numbers<T>(n);
    for_ranks([&](communicator& ranks, gpu& there) {
      on_gpu<T> const mine(there, slice_of(x, ranks));
      auto const same = [&](auto const& op) {
        auto const found = reduce(distributed{ranks, there}, mine.elements(), op);
        auto const wanted = reduce(cpu{1}, x, op);
        EXPECT_EQ(std::memcmp(&found, &wanted, sizeof found), 0) << n;
      };
      same(sum{}), same(mean{}), same(variance{}), same(minimum{}), same(maximum{});
      auto const at = reduce(distributed{ranks, there}, mine.elements(), arg_maximum{});
      EXPECT_EQ(at, reduce(cpu{1}, x, arg_maximum{})) << n;
      if constexpr (floating<T>) same(fast_sum{});
    });
  }
}

TYPED_TEST(distributed_on_gpus, scans_have_the_bits_of_one_core) {
  using T = TypeParam;
  for (auto const n : sizes) {
    auto const x = numbers<T>(n);
    for (bool const reverse : {false, true}) {
      std::vector<T> wanted(n);
      inclusive_scan(cpu{1}, x, wanted, sum{}, {.reverse = reverse});
      for_ranks([&](communicator& ranks, gpu& there) {
        auto const slice = slice_of(x, ranks);
        on_gpu<T> const mine(there, slice);
        inclusive_scan(distributed{ranks, there}, mine.elements(), mine.elements(), sum{},
                       {.reverse = reverse});
        there.synchronise();
        auto const begin = cuts(n, ranks.size())[std::size_t(ranks.rank())];
        std::vector<T> const part(wanted.begin() + std::ptrdiff_t(begin),
                                  wanted.begin() + std::ptrdiff_t(begin + slice.size()));
        EXPECT_TRUE(same_bits(mine.memory->to_host(), part)) << n << " " << reverse;
      });
    }
  }
}

TYPED_TEST(distributed_on_gpus, selections_have_the_bits_of_one_core) {
  using T = TypeParam;
  for (auto const n : sizes) {
    auto const x = numbers<T>(n);
    for_ranks([&](communicator& ranks, gpu& there) {
      on_gpu<T> const mine(there, slice_of(x, ranks));
      for (std::size_t const k : {std::size_t(0), std::size_t(1), n / 3, n}) {
        auto const found = top_k(distributed{ranks, there}, mine.elements(), k);
        auto const wanted = top_k(cpu{1}, x, k);
        EXPECT_EQ(found.indices, wanted.indices) << n << " " << k;
        EXPECT_TRUE(same_bits(found.values, wanted.values)) << n << " " << k;
      }
      auto const middle = median(distributed{ranks, there}, mine.elements());
      auto const wanted = median(cpu{1}, x);
      EXPECT_EQ(std::memcmp(&middle, &wanted, sizeof middle), 0) << n;
    });
  }
}

TEST(distributed_on_gpus, rows_have_the_bits_of_one_core) {
  std::uint64_t const count = 37, length = 1000;
  auto const x = numbers<float>(count * length);
  auto const wanted = reduce(cpu{1}, rows<float const>{x.data(), count, length}, sum{});
  for_ranks([&](communicator& ranks, gpu& there) {
    auto const at = cuts(length, ranks.size());
    auto const r = std::size_t(ranks.rank());
    on_gpu<float> const all(there, x);
    rows<float const> const mine{all.memory->data() + at[r], count, at[r + 1] - at[r],
                                 std::int64_t(length)};
    EXPECT_TRUE(same_bits(reduce(distributed{ranks, there}, mine, sum{}), wanted));
  });
}

TEST(distributed_on_gpus, an_error_of_one_is_one_of_all) {
  for_ranks([&](communicator& ranks, gpu& there) {
    on_gpu<float> const none(there, std::span<float const>());
    EXPECT_NE(failure_of([&] { reduce(distributed{ranks, there}, none.elements(), minimum{}); }),
              "nothing was thrown");
  });
}

}  // namespace
