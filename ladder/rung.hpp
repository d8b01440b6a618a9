// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder {

enum class element { float32, int32 };
enum class operation { sum, minimum, maximum, mean, recurrence, sum_of_squares, none };

// What a rung is run on. The pointers are device memory, and null where only sizes are asked for;
// `in` is aligned to its element, no better. `scratch` is all zero before the first call, but for
// what the rung prepares, and then as the last call on it left it.
struct problem {
  operation op = operation::sum;
  element type = element::float32;
  std::size_t n = 0;
  std::size_t k = 0;      // of a selection: how many
  bool distinct = false;  // of a selection: equal elements count once
  unsigned grid = 1, block = 1;
  void const* in = nullptr;
  void* out = nullptr;
  void* scratch = nullptr;
  cudaStream_t stream = nullptr;
};

// What the inputs are made to find out.
enum class data {
  plain,  // small whole numbers, none 0: every sum of them is exact, a lost one shows in the bits
  hard,   // float32: cancels, over a wide range; int32: any bits, so that sums need 64
  nan,    // plain, but for one NaN (float32 only)
  // For selections, int32 only:
  page,        // 31 random bits, those at even places negated: as T4 has them
  ascending,   // each greater than those before it
  descending,  // each less
  equal,       // all the same
  negative,    // all below 0
  least,       // few different ones, of which most are the least and the greatest there are
};

// One run, on the host: what went in and what came out.
struct outcome {
  problem const& given;
  data kind;
  std::span<std::byte const> in, out;
};

struct judgement {
  bool right = false;
  double error = 0;                  // of a float sum: |found - exact| / sum |x|
  std::uint64_t host_additions = 0;  // that were left to the host
  std::string why = {};              // if not right: what was expected, what was found
};

// That in a step of an algorithm the place `to` combined what `from` held with its own, or only
// copied it: since then it holds what the places from `first` to `last` held in the beginning, the
// identity if `last` is less.
struct combined {
  int from, to, first, last;
  int copied;
};
using algorithm_steps = std::vector<std::vector<combined>>;

// What the lanes of one launch did, as they noted. Of each step: the lane of its own block that
// each thread has a value from, -1 if it did not call; the value; and what the thread holds then.
// The first step is before any value went.
struct lane_step {
  std::string name;
  std::vector<int> from, got, holds;
};
struct lane_scene {
  std::string what;
  unsigned lanes;  // a block
  std::vector<lane_step> steps;
};

// One rung. A function that takes a problem must not keep it.
struct rung {
  // "reduce/03_interleaved": ladder/reduce/03_interleaved.cu, unless `file` says; top-k: top_k/.
  std::string id;
  std::string file = {};  // relative to the project
  std::string title;      // what changed, in a line
  std::string bound;      // what limits it, in words
  std::string page = {};  // what the tutorial calls it, and
  double page_us = 0;     // the time it gives: 0 if none
  unsigned grid = 1, block = 1;
  bool fixed_shape = false;        // grid and block are part of the rung
  unsigned elements_a_thread = 0;  // of one block's that n elements take; 0: all of `block`
  bool thread_an_element = false;  // the grid is as large as that takes
  bool peer = false;               // others' code, for comparison
  bool counts_operator = true;
  std::size_t usual_n = 0;  // where the user does not say; 0: as its ladder
  std::size_t timed_up_to = ~std::size_t{0};
  std::size_t limit = ~std::size_t{0};           // the largest n that it can do
  std::vector<std::size_t> verified_sizes = {};  // around its own borders, beside the usual ones

  std::vector<operation> operations = {};
  std::vector<element> elements = {};
  std::vector<data> inputs = {data::plain};  // the first is what is measured

  std::function<std::size_t(problem const&)> out_bytes = {};
  std::function<std::size_t(problem const&)> out_alignment = {};  // of one result; empty: 8
  std::function<std::size_t(problem const&)> scratch_bytes = {};  // empty: none
  std::function<void(problem const&)> prepare = {};               // scratch, once; empty: nothing
  std::function<std::uint64_t(problem const&)> must_move = {};    // bytes read and written at least
  std::function<void(problem const&)> enqueue = {};  // allocates nothing: it is captured in graphs
  std::function<judgement(outcome const&)> judge = {};

  // For a selection: the largest k that the rung can do in that shape, and whether it can take equal
  // elements once; and what is verified of a size and shape: problems that differ in k.
  std::function<std::size_t(problem const&)> most_k = {};
  bool takes_distinct = false;
  std::function<std::vector<problem>(problem const&, bool usual_shape)> variants = {};

  // Lines of text that show what the kernel did, from what it did; may run it on the problem again.
  std::function<std::vector<std::string>(problem const&)> draw = {};
  bool draws_times = false;  // those lines are of times, to be recorded as the rung's own are

  // What the kernel combined with what, step by step, as it noted; runs it on a small problem.
  std::function<algorithm_steps(problem const&)> steps = {};
  // What lanes had from lanes, likewise.
  std::function<std::vector<lane_scene>(problem const&)> scenes = {};

  // How many blocks take n elements, where the user does not say: at most as many as a grid has.
  unsigned grid_for(std::size_t n, unsigned threads) const {
    if (!thread_an_element) return grid;
    return unsigned(std::clamp<std::size_t>((n + threads - 1) / threads, 1, 0x7fffffff));
  }
  // How many threads a block has for n elements: whole warps, at least one.
  unsigned block_for(std::size_t n) const {
    if (!elements_a_thread) return block;
    std::size_t const warps = (n + 32 * elements_a_thread - 1) / (32 * elements_a_thread);
    return unsigned(std::clamp<std::size_t>(32 * warps, 32, block));
  }
  std::string ladder() const { return id.substr(0, id.find('/')); }
  std::size_t largest_n() const { return timed_up_to < limit ? timed_up_to : limit; }
};

// Every rung of the program, by id.
std::vector<rung> const& rungs();

// "ladder/top_k/16_cub.cu" is that of "top-k/16_cub", and of others whose ids begin so.
std::string id_of_file(std::string_view file);

// `registered const here{rung{...}}` at namespace scope puts a rung into the program, or several.
struct registered {
  explicit registered(rung made);
  explicit registered(std::vector<rung> made);
};

}  // namespace ladder
