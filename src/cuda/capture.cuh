// SPDX-License-Identifier: Apache-2.0
//
// What a stream's capture in a graph forbids, and how to go on beside it.
#pragma once

#include "tally/cuda/cuda_error.cuh"

namespace tally {

// The number of the capture that the stream is in, no other's in this process; 0: of none.
inline unsigned long long capture_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  check(cudaStreamGetCaptureInfo(stream, &status, &id));
  return status == cudaStreamCaptureStatusNone ? 0 : id;
}

// While it lives, this thread may allocate although one of its streams is being captured.
class beside_captures {
 public:
  beside_captures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  beside_captures(beside_captures const&) = delete;
  ~beside_captures() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// A stream of its own, that no capture takes in.
class own_stream {
 public:
  own_stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  own_stream(own_stream const&) = delete;
  ~own_stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_;
};

}  // namespace tally
