// SPDX-License-Identifier: Apache-2.0
//
// Calls as they stand in a user's source for nvcc, which must not warn of what is ours. Never runs.
#include "tally/gpu_aggregates.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;

struct larger {
  TALLY_HD int operator()(int a, int b) const { return a < b ? b : a; }
};
struct modulo_97 {
  TALLY_HD unsigned operator()(unsigned a, unsigned b) const { return (a + b) % 97; }
  TALLY_HD unsigned identity() const { return 0; }
};
struct twice {
  TALLY_HD float operator()(float x) const { return 2 * x; }
};

template <class Where>
[[maybe_unused]] void operators(Where& where, std::span<int const> i, std::span<unsigned const> u) {
  reduce(where, i, larger{});
  reduce(where, u, modulo_97{}, {.nan = skip});
}

[[maybe_unused]] void on_a_gpu(gpu& where, std::span<float const> x, int* larger_of,
                               std::span<int const> i) {
  reduce(where, x, sum{}, {.nan = skip});
  reduce_into(where, i, larger_of, larger{}, {.nan = skip});
}

[[maybe_unused]] void scans(std::span<int const> in, std::span<int> out) {
  inclusive_scan(cpu{}, in, out, larger{});
  exclusive_scan(cpu{}, in, out, sum{});
}

// Combinations that the library does not hold, whose vectors are compiled here.
template <class T>
[[maybe_unused]] void aggregates(std::span<T const> x) {
  reduce(cpu{}, x,
         all_together(sum{}, fast_sum{}, min_max{}, arg_maximum{}, product{}, count_nonzero{},
                      sum_of_squares{}, variance{}),
         {.nan = skip});
}
template void aggregates(std::span<bool const>);
template void aggregates(std::span<std::uint8_t const>);
template void aggregates(std::span<std::int64_t const>);
template void aggregates(std::span<float16 const>);
template void aggregates(std::span<float const>);
template void aggregates(std::span<double const>);

[[maybe_unused]] void inputs(std::span<float const> x, cpu here, gpu& there, automatic where) {
  reduce(here, transform(x, twice{}), sum{});
  reduce(here, zip(x, transform(x, twice{})), dot{});
  reduce(there, transform(x, twice{}), sum{});
  reduce(where, zip(x, transform(x, twice{})), dot{});
  auto const [total, ends] = reduce(there, x, all_together(sum{}, min_max{}));
  operators(here, {}, {});
  operators(there, {}, {});
  operators(where, {}, {});
}

}  // namespace
