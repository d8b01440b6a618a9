// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 11: a float sum in the order in which threads happen to come.
//
// Page:   one atomicAdd(float) a thread.
// Wrong:  floating-point addition is not associative, so every order has its own rounding errors;
//         here two runs of the machine with different seeds, on a GPU any two runs.
// Right:  an order that is fixed, or a sum that is exact.
#include "simt/machine.hpp"

#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void add_floats(float const* in, float* out) {
  atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

float sum_with_seed(std::uint64_t seed, std::vector<float> const& values) {
  auto const before = simt::machine();
  simt::machine().seed = seed;
  tally::device_array<float> const in(values), out(std::vector<float>{0});
  tally::launch(add_floats, 16, 64)(in.data(), out.data());
  simt::machine() = before;
  return out.to_host()[0];
}

show const order_of_atomics({
    .page = "T0",
    .bug = "atomicAdd of floats gives another sum whenever the threads come in another order",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<float> values(1024);
          for (std::size_t i = 0; i < 1024; ++i)
            values[i] = (i % 2 ? 1e8f : -1e8f) + 8 * float(i % 100) + float(i % 7);
          float const once = sum_with_seed(1, values), again = sum_with_seed(2, values);
          that.equal("the sum of the same 1024 floats again", once, again);
        },
});

}  // namespace ladder::exhibits
