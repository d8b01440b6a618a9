// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <source_location>
#include <string>

#include "tally/error.hpp"

namespace tally {

// Throws where a call of the CUDA runtime failed, naming the place of the call.
inline void check(cudaError_t code, std::source_location at = std::source_location::current()) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report it again
  throw error(std::string(at.file_name()) + ":" + std::to_string(at.line()) + ": " +
              cudaGetErrorName(code) + ": " + cudaGetErrorString(code));
}

}  // namespace tally
