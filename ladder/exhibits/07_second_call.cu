// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 7: a second call that adds to the first one's answer.
//
// Page:   every thread adds to *out with atomicAdd, which is never set to zero again.
// Wrong:  the caller set it once; from the second call on the answer is the sum of all calls.
// Right:  the call sets its output before it adds.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void add_to_answer(int const* in, int* out) { atomicAdd(out, in[threadIdx.x]); }

show const second_call({
    .page = "T0",
    .bug = "a second call adds to the first one's answer, because the output is not set again",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const in(std::vector<int>(32, 1)), out(std::vector<int>{0});
          for (auto const call : {"first call", "second call"}) {
            tally::launch(add_to_answer, 1, 32)(in.data(), out.data());
            that.equal(std::string(call) + ", 32 ones", 32, out.to_host()[0]);
          }
        },
});

}  // namespace ladder::exhibits
