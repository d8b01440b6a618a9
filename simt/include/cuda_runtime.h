// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands in for the CUDA toolkit's header of this name, so that CUDA sources compile with g++ and
// run on the SIMT machine: see simt/README.md. A `kernel<<<...>>>` launch is the one thing that
// g++ cannot parse; cudaLaunchKernelEx serves both worlds.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>  // before __noinline__ is a macro

#include "simt/arithmetic.hpp"
#include "simt/atomics.hpp"
#include "simt/cached.hpp"
#include "simt/device.hpp"
#include "simt/machine.hpp"
#include "simt/runtime.hpp"
#include "simt/vector_types.hpp"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
// Each block has its own. The alignment leaves gaps behind arrays that are not multiples of it.
#define __shared__ __attribute__((aligned(64))) thread_local
