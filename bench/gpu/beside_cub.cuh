// SPDX-License-Identifier: Apache-2.0
//
// How long a call of tally/warp, tally/block or CUB takes, in a chain of calls that wait for one
// another, and whether what it gives is right.
//
// latency_cycles: SM cycles a call, one block on the GPU. ns: nanoseconds a call of one block, all
// SMs full. Both are the difference of a long chain and a short one, each the least of many runs,
// over the difference of their lengths: without launches, first loads and last stores.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/version.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/std/functional>
#include <string>
#include <vector>

#include "bench/gpu/options.hpp"
#include "tally/block/reduce.cuh"
#include "tally/block/scan.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace beside_cub {

// The one of larger magnitude, the left one of equals.
struct farther {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    T const x = a < 0 ? -a : a, y = b < 0 ? -b : b;
    return x < y ? b : a;
  }
};

// An operator by its name in each library.
struct sum {
  static constexpr char const* name = "sum";
  using ours = tally::plus;
  using cubs = cuda::std::plus<>;
};
struct user {
  static constexpr char const* name = "user";
  using ours = farther;
  using cubs = farther;
};

enum class call { reduce, inclusive_scan, exclusive_scan };
constexpr char const* names[] = {"reduce", "inclusive_scan", "exclusive_scan"};

template <call Call, class Op>
struct our_warp {
  static constexpr char const* name = "tally";
  template <int Threads, class T>
  __device__ T on(T x, int) {
    typename Op::ours op;
    if constexpr (Call == call::reduce) return tally::warp::reduce(x, op);
    if constexpr (Call == call::inclusive_scan) return tally::warp::inclusive_scan(x, op);
    if constexpr (Call == call::exclusive_scan) return tally::warp::exclusive_scan(x, op, T(1));
  }
};

// A block's fold, which only the first thread is promised; the others keep theirs. Else the
// compiler, where it sees that a warp's lanes are all given the same, leaves out the next call's
// shuffles.
template <class T>
__device__ T in_first(T fold, T own) {
  return threadIdx.x == 0 ? fold : own;
}

// Block calls follow one another in one of two ways, which have to be compared each with itself.
// By a barrier between them: ours has it, CUB leaves it to its caller. Or with two memories in
// turn, and none: past the barrier within the next call, every thread has left the call before,
// whose memory comes after.
enum class follow { barrier, turns };
constexpr char const* suffix_of(follow f) { return f == follow::turns ? "/turns" : "/barrier"; }

template <call Call, class Op, follow Follow>
struct our_block {
  static constexpr char const* name = "tally";
  using none = tally::block::detail::single_buffer;  // what is there where nothing is passed
  std::conditional_t<Follow == follow::turns, tally::block::double_buffer<>, none> buffer;

  template <int Threads, class T>
  __device__ T on(T x, int) {
    namespace block = tally::block;
    typename Op::ours op;
    if constexpr (Call == call::reduce) return in_first(block::reduce<Threads>(x, op, buffer), x);
    if constexpr (Call == call::inclusive_scan)
      return block::inclusive_scan<Threads>(x, op, buffer);
    if constexpr (Call == call::exclusive_scan)
      return block::exclusive_scan<Threads>(x, op, T(1), buffer);
  }
};

template <call Call, class Op, class T, class Cub>
__device__ T ask(Cub cub, T x) {
  typename Op::cubs op;
  T y;
  if constexpr (Call == call::reduce) y = cub.Reduce(x, op);
  if constexpr (Call == call::inclusive_scan) cub.InclusiveScan(x, y, op);
  if constexpr (Call == call::exclusive_scan) cub.ExclusiveScan(x, y, T(1), op);
  return y;
}

template <call Call, class Op>
struct cub_warp {
  static constexpr char const* name = "cub";
  template <int Threads, class T>
  __device__ T on(T x, int) {
    using cub = std::conditional_t<Call == call::reduce, cub::WarpReduce<T>, cub::WarpScan<T>>;
    __shared__ typename cub::TempStorage storage[32];
    return ask<Call, Op>(cub(storage[threadIdx.x / 32]), x);
  }
};

template <call Call, class Op, follow Follow, class Cub, class T>
__device__ T ask_block(T x, int turn) {
  __shared__ typename Cub::TempStorage storage[Follow == follow::turns ? 2 : 1];
  if constexpr (Follow == follow::barrier) __syncthreads();
  return ask<Call, Op>(Cub(storage[Follow == follow::turns ? turn : 0]), x);
}

template <class Op, cub::BlockReduceAlgorithm Algorithm, follow Follow>
struct cub_block_reduce {
  static constexpr char const* name = Algorithm == cub::BLOCK_REDUCE_WARP_REDUCTIONS ? "cub"
                                      : Algorithm == cub::BLOCK_REDUCE_RAKING
                                          ? "cub_raking"
                                          : "cub_raking_commutative_only";
  template <int Threads, class T>
  __device__ T on(T x, int turn) {
    using cub = cub::BlockReduce<T, Threads, Algorithm>;
    return in_first(ask_block<call::reduce, Op, Follow, cub>(x, turn), x);
  }
};
template <call Call, class Op, cub::BlockScanAlgorithm Algorithm, follow Follow>
struct cub_block_scan {
  static constexpr char const* name = Algorithm == cub::BLOCK_SCAN_RAKING ? "cub"
                                      : Algorithm == cub::BLOCK_SCAN_RAKING_MEMOIZE
                                          ? "cub_raking_memoize"
                                          : "cub_warp_scans";
  template <int Threads, class T>
  __device__ T on(T x, int turn) {
    return ask_block<Call, Op, Follow, cub::BlockScan<T, Threads, Algorithm>>(x, turn);
  }
};

template <class Who, int Threads, class T>
__global__ void __launch_bounds__(Threads)
    chain(T const* in, T* out, long long* cycles, int calls) {
  Who who;
  T x = in[threadIdx.x];
  __syncthreads();
  long long const start = clock64();
#pragma unroll 4
  for (int i = 0; i < calls; ++i) x = who.template on<Threads>(x, i % 2);
  long long const stop = clock64();
  out[threadIdx.x] = x;  // the same in each block
  if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = stop - start;
}

struct cost {
  double latency_cycles, ns;
};

template <class T>
struct bench {
  int threads;
  std::vector<T> values;
  tally::device_array<T> in, out;
  tally::device_array<long long> cycles{1};

  explicit bench(int threads) : threads(threads), values(threads), out(threads) {
    for (int i = 0; i < threads; ++i) values[i] = T(i * 37 % 101 - 50);
    in = tally::device_array<T>(std::span<T const>{values});
  }

  template <class Who, int Threads>
  cost measure() {
    constexpr int few = 512, many = 3 * few;
    int processors, resident;
    tally::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    tally::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, chain<Who, Threads, T>,
                                                               threads, 0));
    int const blocks = processors * resident;
    cost const one = least<Who, Threads>(1, few), more = least<Who, Threads>(1, many);
    cost const full = least<Who, Threads>(blocks, few), fuller = least<Who, Threads>(blocks, many);
    return {(more.latency_cycles - one.latency_cycles) / (many - few),
            (fuller.ns - full.ns) / (many - few) / blocks};
  }

  // Of a whole launch.
  template <class Who, int Threads>
  cost least(int blocks, int calls) {
    constexpr int rounds = 15;
    cudaEvent_t start, stop;
    tally::check(cudaEventCreate(&start));
    tally::check(cudaEventCreate(&stop));
    cost best{1e18, 1e18};
    for (int i = 0; i < rounds; ++i) {
      float ms;
      tally::check(cudaEventRecord(start));
      tally::launch(chain<Who, Threads, T>, blocks, threads)(in.data(), out.data(), cycles.data(),
                                                             calls);
      tally::check(cudaEventRecord(stop));
      tally::check(cudaEventSynchronize(stop));
      tally::check(cudaEventElapsedTime(&ms, start, stop));
      best.ns = std::min(best.ns, 1e6 * ms);
      best.latency_cycles = std::min(best.latency_cycles, double(cycles.to_host()[0]));
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return best;
  }

  // Whether calls give each thread what a loop does, in groups of `group` threads: one call, and
  // six in a row where that is exact and every thread's answer is specified.
  template <class Who, int Threads, class Op>
  bool right(call what, int group) {
    constexpr bool exact = !std::is_floating_point_v<T> || std::is_same_v<Op, user>;
    return right<Who, Threads, Op>(what, group, 1) &&
           (what == call::reduce || !exact || right<Who, Threads, Op>(what, group, 6));
  }
  template <class Who, int Threads, class Op>
  bool right(call what, int group, int calls) {
    out.fill_bytes(0xff);
    tally::launch(chain<Who, Threads, T>, 1, threads)(in.data(), out.data(), cycles.data(), calls);
    std::vector<T> const got = out.to_host();
    std::vector<T> expected = values;
    for (int i = 0; i < calls; ++i)
      for (int first = 0; first < threads; first += group)
        fold<Op>(what, expected.data() + first, group);
    for (int i = 0; i < threads; i += what == call::reduce ? group : 1)
      if (got[i] != expected[i]) return false;
    return true;
  }

  template <class Op>
  static void fold(call what, T* x, int count) {
    typename Op::ours op;
    T through = x[0], before = T(1);
    for (int i = 0; i < count; ++i) {
      T const own = x[i];
      if (i > 0) through = op(through, own);
      x[i] = what == call::exclusive_scan ? before : through;
      before = op(before, own);
    }
    if (what == call::reduce) x[0] = through;
  }
};

inline bool all_right = true;

inline void print(char const* key, cost c) {
  std::printf(", \"%s\": {\"latency_cycles\": %.1f, \"ns\": %.3f}", key, c.latency_cycles, c.ns);
}

// One row: `Who` on blocks of `threads` threads.
template <call Call, class Op, int Threads, class T, class... Who>
void row(char const* level, char const* type, int threads, int group, char const* suffix = "") {
  std::string const id = std::string(level) + "_" + names[int(Call)] + "/" + type + "/" + Op::name +
                         "/" + std::to_string(threads) + suffix;
  if (!::bench::asked.wants(id)) return;
  bench<T> b(threads);
  std::printf("{\"id\": \"%s\"", id.c_str());
  (print(Who::name, b.template measure<Who, Threads>()), ...);
  bool checked = true;
  auto const check = [&](char const* name, bool right) {
    if (!right) std::fprintf(stderr, "%s of %d threads: wrong\n", name, threads);
    checked = checked && right;
  };
  (check(Who::name, b.template right<Who, Threads, Op>(Call, group)), ...);
  std::printf(", \"checked\": %s}\n", checked ? "true" : "false");
  all_right = all_right && checked;
}

// Every row of a program, and what its exit status is.
template <class Rows>
int report(Rows rows) {
  try {
    std::printf("{\"libraries\": {\"cub\": \"%d.%d.%d\"}}\n", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
                CUB_SUBMINOR_VERSION);
    rows();
  } catch (tally::error const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  if (!all_right) std::fprintf(stderr, "a wrong answer\n");
  return all_right ? 0 : 1;
}

}  // namespace beside_cub
