// SPDX-License-Identifier: Apache-2.0
//
// docs/gpu.md shows this program. It needs the CUDA runtime, but not nvcc.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include <tally/cuda/cuda_error.cuh>
#include <tally/tally.hpp>

using tally::check;  // throws where a call of the CUDA runtime failed

int main() {
  std::size_t const n = 1'000'000;
  cudaStream_t stream;
  float *x, *found;  // in the GPU's memory
  check(cudaStreamCreate(&stream));
  check(cudaMalloc(&x, n * sizeof(float)));
  check(cudaMalloc(&found, 2 * sizeof(float)));
  {
    tally::gpu there{.stream = stream};
    std::span<float const> const in(x, n);

    // On the stream: the host waits for nothing, so the calls can be captured.
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    tally::reduce_into(there, in, found, tally::sum{});
    tally::reduce_into(there, in, found + 1, tally::maximum{});
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&replay, graph, 0));

    for (float const value : {0.5f, 0.1f}) {  // each replay reads what is there by then
      std::vector<float> const data(n, value);
      float answers[2];
      check(cudaMemcpyAsync(x, data.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
      check(cudaGraphLaunch(replay, stream));
      check(cudaMemcpyAsync(answers, found, sizeof(answers), cudaMemcpyDeviceToHost, stream));
      there.synchronise();
      std::printf("%.9g %.9g\n", answers[0], answers[1]);  // 500000 0.5, 100000 0.100000001
    }
    check(cudaGraphExecDestroy(replay));
    check(cudaGraphDestroy(graph));
  }  // the gpu ends before its stream
  check(cudaFree(found));
  check(cudaFree(x));
  check(cudaStreamDestroy(stream));
}
