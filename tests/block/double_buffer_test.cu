// SPDX-License-Identifier: Apache-2.0
#include "tally/block/double_buffer.cuh"

#include <algorithm>
#include <numeric>

#include "support/device_cases.cuh"
#include "tally/block/reduce.cuh"
#include "tally/block/scan.cuh"
#include "tally/block/shift.cuh"

namespace {

using namespace support;
namespace block = tally::block;
using tally::thread_index;
using number = std::uint32_t;

// What a thread makes of its x in a call.
enum call {
  reduce,
  reduce_by_unknown,  // through a memory of its own
  all_reduce,
  all_reduce_of_others,  // of a type that the first warp folds for all
  inclusive,
  exclusive,
  up,
  down,
  same,
  without_buffer,
  with_own_buffer,  // of another owner
  with_new_buffer,  // of the same
  calls
};

struct unknown {
  TALLY_FN number operator()(number a, number b) const { return a + b; }
};

struct helper;
template <int Threads, class Owner>
__device__ number sum_in_helper(number x) {
  block::double_buffer<Owner> buffer;
  x = block::all_reduce<Threads>(x, tally::plus{}, buffer);
  return block::all_reduce<Threads>(x, tally::plus{}, buffer);
}

template <int Threads>
__device__ number made_of(number x, call what, block::double_buffer<>& buffer) {
  tally::plus const plus;
  switch (what) {
    case reduce: {
      number const all = block::reduce<Threads>(x, plus, buffer);
      return thread_index() == 0 ? all : x;
    }
    case reduce_by_unknown: {
      number const all = block::reduce<Threads>(x, unknown{}, buffer);
      return thread_index() == 0 ? all + 3 : x;
    }
    case all_reduce:
      return number(block::all_reduce<Threads>(double(x % 1000), tally::larger{}, buffer)) + x;
    case all_reduce_of_others: {
      auto const at = std::uint8_t(thread_index());
      small_run const mine{at, at, std::uint8_t(x)};
      return block::all_reduce<Threads>(mine, small_run::op{}, buffer).sum + x;
    }
    case inclusive: return block::inclusive_scan<Threads>(x, plus, buffer);
    case exclusive: {
      std::uint64_t total;
      auto const before = block::exclusive_scan<Threads>(std::uint64_t(x), plus, 7, total, buffer);
      return number(before ^ total);
    }
    case up: return block::shift_up(x, buffer) + 1;
    case down: return block::shift_down(x, buffer) + 2;
    case same: return block::broadcast(x, tally::thread_count() / 2, buffer) ^ x;
    case without_buffer: return block::all_reduce<Threads>(x, plus) - x;
    case with_own_buffer: return sum_in_helper<Threads, helper>(x) + x;
    default: {
      x += sum_in_helper<Threads, void>(x);
      __syncthreads();  // back to the older buffer
      return x;
    }
  }
}

template <int Threads>
__global__ void make(number const* in, number* out, call const* what, int count) {
  block::double_buffer<> buffer;
  number x = in[thread_index()];
  for (int i = 0; i < count; ++i) x = made_of<Threads>(x, what[i], buffer);
  out[thread_index()] = x;
}

void make(std::vector<number>& x, call what) {
  std::size_t const n = x.size();
  auto const old = x;
  number const sum = std::accumulate(x.begin(), x.end(), number(0));
  number most = 0;
  std::uint64_t through = 0, total = 0;
  for (number e : x) most = std::max(most, e % 1000), total += e;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const before = through + 7;
    through += old[i];
    switch (what) {
      case reduce: x[i] = i == 0 ? sum : old[i]; break;
      case reduce_by_unknown: x[i] = i == 0 ? sum + 3 : old[i]; break;
      case all_reduce: x[i] += most; break;
      case all_reduce_of_others: x[i] += std::uint8_t(sum); break;
      case inclusive: x[i] = number(through); break;
      case exclusive: x[i] = number(before ^ total); break;
      case up: x[i] = old[i ? i - 1 : 0] + 1; break;
      case down: x[i] = old[i + 1 < n ? i + 1 : i] + 2; break;
      case same: x[i] ^= old[n / 2]; break;
      case without_buffer: x[i] = sum - old[i]; break;
      default: x[i] += number(n) * sum;
    }
  }
}

template <int Threads>
void expect_calls(int size, int seed) {
  std::mt19937 random(seed);
  std::vector<call> program;
  for (int i = 0; i < 40; ++i) program.push_back(call(random() % calls));
  tally::device_array<call> const copy(std::span<call const>{program});
  call const* const what = copy.data();
  auto const in = values<numbers<number, tally::plus>>(size);
  auto expected = in;
  for (call c : program) make(expected, c);
  EXPECT_EQ(run(make<Threads>, size, in, what, int(program.size())), expected) << size;
}

TEST(block_double_buffer, keeps_calls_of_all_kinds_apart_in_any_order) {
  for (int seed = 0; seed < 4; ++seed) {
    expect_calls<0>(77, seed);
    expect_calls<0>(256, seed);
    expect_calls<20>(20, seed);
    expect_calls<100>(100, seed);
    expect_calls<128>(128, seed);
    expect_calls<256>(256, seed);
    expect_calls<640>(640, seed);
  }
  expect_calls<1024>(1024, 4);
}

// Warp 0 alone reads what a reduction leaves: nothing but the double buffer keeps the others from
// writing it.
template <int Threads>
__global__ void reduce_again(number const* in, number* out) {
  block::double_buffer<> buffer;
  number const x = in[thread_index()];
  number all = 0;
  for (number i = 0; i < 7; ++i) {
    all = 3 * all + block::reduce<Threads>(x + i, tally::plus{}, buffer);
    if (i % 2) all ^= block::reduce<Threads>(x * i, tally::bit_xor{}, buffer);
    if (i % 3) all += block::reduce<Threads>(x + i * i, unknown{}, buffer);
  }
  out[thread_index()] = all;
}

template <int Threads>
void expect_reductions(int size) {
  auto const in = values<numbers<number, tally::plus>>(size);
  number all = 0;
  for (number i = 0; i < 7; ++i) {
    number sum = 0, odd = 0, squares = 0;
    for (number x : in) sum += x + i, odd ^= x * i, squares += x + i * i;
    all = 3 * all + sum;
    if (i % 2) all ^= odd;
    if (i % 3) all += squares;
  }
  EXPECT_EQ(run(reduce_again<Threads>, size, in)[0], all) << size;
}

TEST(block_double_buffer, keeps_reductions_of_a_loop_apart) {
  expect_reductions<0>(1000);
  expect_reductions<128>(128);
  expect_reductions<256>(256);
  expect_reductions<1024>(1024);
}

}  // namespace
