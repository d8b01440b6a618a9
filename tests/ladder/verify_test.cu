// SPDX-License-Identifier: Apache-2.0
#include "ladder/verify.hpp"

#include <gtest/gtest.h>

#include "ladder/judge.hpp"
#include "ladder/reduce/reduce.cuh"

// The harness refuses rungs that are wrong as the tutorials' are.
namespace ladder {
namespace {

problem const small{.n = 1000, .grid = 2, .block = 64};

verdict verdict_on(rung const& r, problem given = small) {
  input_store inputs;
  given.type = r.elements.front();
  return verify(r, given, inputs);
}

using wide = long long;

// A rung that adds up ints with kernel(in, n, out, counter).
template <class Kernel>
rung summing(Kernel kernel) {
  return reduce::reduction({.id = "test/planted",
                            .title = "",
                            .bound = "",
                            .operations = {operation::sum},
                            .elements = {element::int32}},
                           [=](problem const& p, auto) {
                             tally::launch(kernel, p.grid, p.block, 0, p.stream)(
                                 static_cast<int const*>(p.in), p.n, static_cast<wide*>(p.out),
                                 static_cast<unsigned*>(p.scratch));
                           });
}

__device__ wide total_of(int const* in, std::size_t n) {
  wide total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  return total;
}

__global__ void all_of_it(int const* in, std::size_t n, wide* out, unsigned*) {
  if (blockIdx.x + threadIdx.x == 0) *out = total_of(in, n);
}

__global__ void without_the_tail(int const* in, std::size_t n, wide* out, unsigned*) {
  if (blockIdx.x + threadIdx.x == 0) *out = total_of(in, n / 32 * 32);
}

__global__ void added_to_what_was_there(int const* in, std::size_t n, wide* out, unsigned*) {
  if (blockIdx.x + threadIdx.x == 0) *out += total_of(in, n);
}

__global__ void with_a_counter_that_stays(int const* in, std::size_t n, wide* out,
                                          unsigned* counter) {
  if (threadIdx.x == 0 && atomicAdd(counter, 1u) == gridDim.x - 1) *out = total_of(in, n);
}

__global__ void for_one_shape(int const* in, std::size_t n, wide* out, unsigned*) {
  if (blockIdx.x + threadIdx.x == 0) *out = total_of(in, blockDim.x == 64 ? n : 0);
}

TEST(ladder_verify, accepts_a_rung_that_is_right) {
  auto const seen = verdict_on(summing(all_of_it));
  EXPECT_TRUE(seen.verified);
  EXPECT_TRUE(seen.findings.empty());
}

TEST(ladder_verify, refuses_a_lost_tail) {
  auto const seen = verdict_on(summing(without_the_tail));
  EXPECT_FALSE(seen.verified);
  ASSERT_FALSE(seen.findings.empty());
  EXPECT_NE(seen.findings[0].find("wrong: expected"), std::string::npos) << seen.findings[0];
}

TEST(ladder_verify, refuses_an_output_that_was_not_set_first) {
  EXPECT_FALSE(verdict_on(summing(added_to_what_was_there)).verified);
}

TEST(ladder_verify, refuses_a_counter_that_is_right_once) {
  EXPECT_FALSE(verdict_on(summing(with_a_counter_that_stays)).verified);
}

TEST(ladder_verify, refuses_what_is_right_for_one_block_size) {
  EXPECT_FALSE(verdict_on(summing(for_one_shape)).verified);
}

__global__ void what_was_prepared(int const*, std::size_t, wide* out, unsigned* scratch) {
  if (blockIdx.x + threadIdx.x == 0) *out = *scratch;
}

TEST(ladder_verify, has_the_scratch_prepared_once_for_all_calls) {
  rung r = summing(what_was_prepared);
  int times = 0;
  r.prepare = [&](problem const& p) {
    cudaMemset(p.scratch, 1, 1);
    ++times;
  };
  prepared const memory(r, {.type = element::int32, .n = 1}, std::vector<std::byte>(4), 0);
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(elements<wide>(memory.out_of(memory.run(r)))[0], 1) << call;
  EXPECT_EQ(times, 1);
}

TEST(ladder_verify, gives_an_input_that_is_aligned_to_its_element_only) {
  std::vector<std::byte> const in(64);
  prepared const memory(summing(all_of_it), small, in, 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.given().in) % 16, 4u);
}

}  // namespace
}  // namespace ladder
