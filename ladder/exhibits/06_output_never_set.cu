// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 6: an output that nobody ever set.
//
// Page:   every thread adds to *out with atomicAdd; out comes from cudaMalloc.
// Wrong:  the first addition is to whatever the memory held.
// Right:  the call sets its output before it adds.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 2;

__global__ void add_to_output(int const* in, int* out) { atomicAdd(out, in[threadIdx.x]); }

show const output_never_set({
    .page = "T0",
    .bug = "atomicAdd to an output that nothing has set to zero",
    .expected = "uninitialised",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const in(std::vector<int>(32, 1)), out(1);
          tally::launch(add_to_output, 1, 32)(in.data(), out.data());
        },
});

}  // namespace ladder::exhibits
