// SPDX-License-Identifier: Apache-2.0
//
// tally/warp and tally/block beside CUB, each in a chain of calls that wait for one another.
//
// latency_cycles: SM cycles a call, one block on the GPU. ns: nanoseconds a call of one block, all
// SMs full. Both are the least of many runs. "sum" is plus, "user" an operator that neither
// library knows. Calls of tally::block may follow one another as they are; CUB's need a barrier
// between them, which is counted. cub_other: CUB's warp-scan algorithm, which is not its default.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/std/functional>
#include <vector>

#include "tally/block/reduce.cuh"
#include "tally/block/scan.cuh"
#include "tally/device_array.cuh"
#include "tally/launch.cuh"

namespace {

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
  template <int Threads, class T>
  static __device__ T on(T x) {
    typename Op::ours op;
    if constexpr (Call == call::reduce) return tally::warp::reduce(x, op);
    if constexpr (Call == call::inclusive_scan) return tally::warp::inclusive_scan(x, op);
    if constexpr (Call == call::exclusive_scan) return tally::warp::exclusive_scan(x, op, T(1));
  }
};

template <call Call, class Op>
struct our_block {
  template <int Threads, class T>
  static __device__ T on(T x) {
    typename Op::ours op;
    if constexpr (Call == call::reduce) return tally::block::reduce<Threads>(x, op);
    if constexpr (Call == call::inclusive_scan) return tally::block::inclusive_scan<Threads>(x, op);
    if constexpr (Call == call::exclusive_scan)
      return tally::block::exclusive_scan<Threads>(x, op, T(1));
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
  template <int Threads, class T>
  static __device__ T on(T x) {
    using cub = std::conditional_t<Call == call::reduce, cub::WarpReduce<T>, cub::WarpScan<T>>;
    __shared__ typename cub::TempStorage storage[32];
    return ask<Call, Op>(cub(storage[threadIdx.x / 32]), x);
  }
};

template <call Call, class Op, cub::BlockScanAlgorithm Algorithm = cub::BLOCK_SCAN_RAKING>
struct cub_block {
  template <int Threads, class T>
  static __device__ T on(T x) {
    using cub = std::conditional_t<Call == call::reduce, cub::BlockReduce<T, Threads>,
                                   cub::BlockScan<T, Threads, Algorithm>>;
    __shared__ typename cub::TempStorage storage;
    __syncthreads();
    return ask<Call, Op>(cub(storage), x);
  }
};

template <class Who, int Threads, class T>
__global__ void __launch_bounds__(Threads)
    chain(T const* in, T* out, long long* cycles, int calls) {
  T x = in[threadIdx.x];
  __syncthreads();
  long long const start = clock64();
#pragma unroll 4
  for (int i = 0; i < calls; ++i) x = Who::template on<Threads>(x);
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
    constexpr int calls = 512, rounds = 15;
    auto const kernel = chain<Who, Threads, T>;
    long long least = 1ll << 62;
    for (int i = 0; i < rounds; ++i) {
      tally::launch(kernel, 1, threads)(in.data(), out.data(), cycles.data(), calls);
      least = std::min(least, cycles.to_host()[0]);
    }
    int processors, resident;
    tally::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    tally::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
    cudaEvent_t start, stop;
    tally::check(cudaEventCreate(&start));
    tally::check(cudaEventCreate(&stop));
    float best = 1e9f;
    for (int i = 0; i < rounds; ++i) {
      float ms;
      tally::check(cudaEventRecord(start));
      tally::launch(kernel, processors * resident, threads)(in.data(), out.data(), cycles.data(),
                                                            calls);
      tally::check(cudaEventRecord(stop));
      tally::check(cudaEventSynchronize(stop));
      tally::check(cudaEventElapsedTime(&ms, start, stop));
      best = std::min(best, ms);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return {double(least) / calls, 1e6 * best / calls / (processors * resident)};
  }

  // Whether one call gives each thread what a loop does, in groups of `group` threads.
  template <class Who, int Threads, class Op>
  bool right(call what, int group) {
    out.fill_bytes(0xff);
    tally::launch(chain<Who, Threads, T>, 1, threads)(in.data(), out.data(), cycles.data(), 1);
    std::vector<T> const got = out.to_host();
    typename Op::ours op;
    for (int first = 0; first < threads; first += group) {
      T through = values[first], before = T(1);
      for (int i = first; i < first + group; before = op(before, values[i]), ++i) {
        if (i > first) through = op(through, values[i]);
        if (what == call::inclusive_scan && got[i] != through) return false;
        if (what == call::exclusive_scan && got[i] != before) return false;
      }
      if (what == call::reduce && got[first] != through) return false;
    }
    return true;
  }
};

bool all_right = true;

void print(char const* key, cost c) {
  std::printf(", \"%s\": {\"latency_cycles\": %.1f, \"ns\": %.3f}", key, c.latency_cycles, c.ns);
}

template <call Call, class Op, int Threads, class T, class Ours, class... Cubs>
void row(char const* level, char const* type, int threads, int group) {
  bench<T> b(threads);
  bool const checked = b.template right<Ours, Threads, Op>(Call, group) &&
                       (b.template right<Cubs, Threads, Op>(Call, group) && ...);
  all_right = all_right && checked;
  std::printf("{\"id\": \"%s_%s/%s/%s/%d\"", level, names[int(Call)], type, Op::name, threads);
  print("tally", b.template measure<Ours, Threads>());
  char const* keys[] = {"cub", "cub_other"};
  int k = 0;
  (print(keys[k++], b.template measure<Cubs, Threads>()), ...);
  std::printf(", \"checked\": %s}\n", checked ? "true" : "false");
}

template <call Call, class Op, class T, int... Threads>
void rows(char const* type) {
  for (int threads : {32, 128, 1024})
    row<Call, Op, 1024, T, our_warp<Call, Op>, cub_warp<Call, Op>>("warp", type, threads, 32);
  if constexpr (Call == call::reduce)
    (row<Call, Op, Threads, T, our_block<Call, Op>, cub_block<Call, Op>>("block", type, Threads,
                                                                         Threads),
     ...);
  else
    (row<Call, Op, Threads, T, our_block<Call, Op>, cub_block<Call, Op>,
         cub_block<Call, Op, cub::BLOCK_SCAN_WARP_SCANS>>("block", type, Threads, Threads),
     ...);
}

template <class Op, class T>
void all_calls(char const* type) {
  rows<call::reduce, Op, T, 128, 256, 512, 1024>(type);
  rows<call::inclusive_scan, Op, T, 128, 256, 512, 1024>(type);
  rows<call::exclusive_scan, Op, T, 128, 256, 512, 1024>(type);
}

}  // namespace

int main() {
  try {
    all_calls<sum, int>("int32");
    all_calls<sum, float>("float32");
    all_calls<sum, long long>("int64");
    all_calls<sum, double>("float64");
    all_calls<user, float>("float32");
  } catch (tally::error const& e) {
    std::fprintf(stderr, "warp_block: %s\n", e.what());
    return 1;
  }
  if (!all_right) std::fprintf(stderr, "warp_block: a wrong answer\n");
  return all_right ? 0 : 1;
}
