// SPDX-License-Identifier: Apache-2.0
//
// tally/warp and tally/block beside CUB (beside_cub.cuh says what the numbers are). "sum" is plus,
// "user" an operator that neither library knows. "cub" is what CUB does by default; after it, by
// their names, its other algorithms.
#include "bench/gpu/beside_cub.cuh"

namespace {

using namespace beside_cub;

template <call Call, class Op, class T, int Threads>
void block_row(char const* type) {
  if constexpr (Call != call::reduce)
    row<Call, Op, Threads, T, our_block<Call, Op>, cub_block_scan<Call, Op, cub::BLOCK_SCAN_RAKING>,
        cub_block_scan<Call, Op, cub::BLOCK_SCAN_RAKING_MEMOIZE>,
        cub_block_scan<Call, Op, cub::BLOCK_SCAN_WARP_SCANS>>("block", type, Threads, Threads);
  else if constexpr (std::is_same_v<Op, user>)  // which does not commute
    row<Call, Op, Threads, T, our_block<Call, Op>,
        cub_block_reduce<Op, cub::BLOCK_REDUCE_WARP_REDUCTIONS>,
        cub_block_reduce<Op, cub::BLOCK_REDUCE_RAKING>>("block", type, Threads, Threads);
  else
    row<Call, Op, Threads, T, our_block<Call, Op>,
        cub_block_reduce<Op, cub::BLOCK_REDUCE_WARP_REDUCTIONS>,
        cub_block_reduce<Op, cub::BLOCK_REDUCE_RAKING>,
        cub_block_reduce<Op, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>>("block", type, Threads,
                                                                         Threads);
}

template <call Call, class Op, class T>
void rows(char const* type) {
  for (int threads : {32, 128, 1024})
    row<Call, Op, 1024, T, our_warp<Call, Op>, cub_warp<Call, Op>>("warp", type, threads, 32);
  block_row<Call, Op, T, 128>(type);
  block_row<Call, Op, T, 256>(type);
  block_row<Call, Op, T, 512>(type);
  block_row<Call, Op, T, 1024>(type);
}

template <class Op, class T>
void all_calls(char const* type) {
  rows<call::reduce, Op, T>(type);
  rows<call::inclusive_scan, Op, T>(type);
  rows<call::exclusive_scan, Op, T>(type);
}

}  // namespace

int main() {
  return report([] {
    all_calls<sum, int>("int32");
    all_calls<sum, float>("float32");
    all_calls<sum, long long>("int64");
    all_calls<sum, double>("float64");
    all_calls<user, float>("float32");
  });
}
