// SPDX-License-Identifier: Apache-2.0
//
// tally/warp and tally/block beside CUB (beside_cub.cuh says what the numbers are). "sum" is plus,
// "user" an operator that neither library knows. "cub" is what CUB does by default; after it, by
// their names, its other algorithms.
#include "bench/gpu/beside_cub.cuh"

namespace {

using namespace beside_cub;

template <follow Follow, call Call, class Op, class T, int Threads>
void block_row(char const* type) {
  using ours = our_block<Call, Op, Follow>;
  auto const beside = [&]<class... Cub>() {
    row<Call, Op, Threads, T, ours, Cub...>("block", type, Threads, Threads, suffix_of(Follow));
  };
  if constexpr (Call != call::reduce)
    beside.template operator()<cub_block_scan<Call, Op, cub::BLOCK_SCAN_RAKING, Follow>,
                               cub_block_scan<Call, Op, cub::BLOCK_SCAN_RAKING_MEMOIZE, Follow>,
                               cub_block_scan<Call, Op, cub::BLOCK_SCAN_WARP_SCANS, Follow>>();
  else if constexpr (std::is_same_v<Op, user>)  // which does not commute
    beside.template operator()<cub_block_reduce<Op, cub::BLOCK_REDUCE_WARP_REDUCTIONS, Follow>,
                               cub_block_reduce<Op, cub::BLOCK_REDUCE_RAKING, Follow>>();
  else
    beside.template
    operator()<cub_block_reduce<Op, cub::BLOCK_REDUCE_WARP_REDUCTIONS, Follow>,
               cub_block_reduce<Op, cub::BLOCK_REDUCE_RAKING, Follow>,
               cub_block_reduce<Op, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, Follow>>();
}
template <follow Follow, call Call, class Op, class T>
void block_rows(char const* type) {
  block_row<Follow, Call, Op, T, 128>(type);
  block_row<Follow, Call, Op, T, 256>(type);
  block_row<Follow, Call, Op, T, 512>(type);
  block_row<Follow, Call, Op, T, 1024>(type);
}

template <call Call, class Op, class T>
void rows(char const* type) {
  for (int threads : {32, 128, 1024})
    row<Call, Op, 1024, T, our_warp<Call, Op>, cub_warp<Call, Op>>("warp", type, threads, 32);
  block_rows<follow::barrier, Call, Op, T>(type);
  block_rows<follow::turns, Call, Op, T>(type);
}

template <class Op, class T>
void all_calls(char const* type) {
  rows<call::reduce, Op, T>(type);
  rows<call::inclusive_scan, Op, T>(type);
  rows<call::exclusive_scan, Op, T>(type);
}

}  // namespace

int main(int argc, char** argv) {
  ::bench::read_options(argc, argv);
  return report([] {
    all_calls<sum, int>("int32");
    all_calls<sum, float>("float32");
    all_calls<sum, long long>("int64");
    all_calls<sum, double>("float64");
    all_calls<user, float>("float32");
  });
}
