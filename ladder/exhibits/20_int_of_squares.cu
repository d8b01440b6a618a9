// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 20: squares that outgrow an int.
//
// Page:   int sum += x * x; the data are digits, so it goes well.
// Wrong:  50,000 squared is already more than 2^31.
// Right:  an accumulator wider than the input, and the product taken in it.
//
// It adds in unsigned arithmetic, so that what happens in practice is what is defined.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void squares_in_an_int(unsigned const* in, int n, int* out) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i] * in[i];
  *out = int(sum);
}

show const int_of_squares({
    .page = "T2",
    .bug = "int products and sums overflow as soon as the values grow",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<unsigned> const in(std::vector<unsigned>(100, 50'000));
          tally::device_array<int> const out(1);
          tally::launch(squares_in_an_int, 1, 1)(in.data(), 100, out.data());
          that.equal<long long>("100 squares of 50000", 250'000'000'000, out.to_host()[0]);
        },
});

}  // namespace ladder::exhibits
