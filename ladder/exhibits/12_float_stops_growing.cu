// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 12: a float sum that stops growing.
//
// Page:   one thread adds float after float to a float, and nothing is said of the error.
// Wrong:  at 2^24 neighbouring floats are 2 apart: adding 1 changes nothing, however often.
// Right:  a wider sum, a tree, or an exact sum.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void one_thread_adds(float const* in, int n, float* out) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}

show const float_stops_growing({
    .page = "T0",
    .bug = "a float that is added to one by one stops growing at 2^24",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<float> values(1001, 1);
          values[0] = 1 << 24;
          tally::device_array<float> const in(values), out(1);
          tally::launch(one_thread_adds, 1, 1)(in.data(), 1001, out.data());
          that.equal("2^24 and 1000 ones", 16778216.0f, out.to_host()[0]);
        },
});

}  // namespace ladder::exhibits
