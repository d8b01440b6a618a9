// SPDX-License-Identifier: Apache-2.0
//
// Tally's public calls, with their defaults, for bench.py. Each returns 0, or 1 and says why on
// standard error.
#include <cstdio>
#include <string>

#include "tally/devices.hpp"
#include "tally/dynamic.hpp"

namespace {

using namespace tally;

template <class F>
int reported(F&& body) {
  try {
    body();
    return 0;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "bench: %s\n", e.what());
    return 1;
  }
}

any_result reduced(bound_aggregate const& op, any_array const& x, int threads) {
  return reduce(cpu{threads}, x, op);
}

// The only scan that peers have, too.
any_aggregate const& scanned() {
  static any_aggregate const op("sum");
  return op;
}
any_aggregate const& of_pairs() {
  static any_aggregate const op("dot");
  return op;
}

}  // namespace

extern "C" {

int bench_reduce(char const* name, int type, void const* data, std::size_t n, int threads,
                 std::uint64_t* bits) {
  return reported([&] {
    auto const op = any_aggregate(name).on(dtype(type));
    *bits = reduced(op, {dtype(type), data, n}, threads).value().bits;
  });
}

int bench_dot(int type, void const* a, void const* b, std::size_t n, int threads,
              std::uint64_t* bits) {
  return reported([&] {
    any_array const x(dtype(type), a, n), y(dtype(type), b, n);
    *bits = reduce(cpu{threads}, x, y, of_pairs()).value().bits;
  });
}

int bench_scan(int type, void const* data, std::size_t n, int threads, void* out) {
  return reported([&] {
    inclusive_scan(cpu{threads}, any_array(dtype(type), data, n), any_output{dtype(type), out, n},
                   scanned());
  });
}

int bench_top_k(int type, void const* data, std::size_t n, std::uint64_t k, int threads,
                void* values, std::int64_t* indices) {
  return reported([&] {
    top_k_into(cpu{threads}, any_array(dtype(type), data, n), k, any_output{dtype(type), values, k},
               std::span(indices, k));
  });
}

int bench_threads() { return this_cpu().threads; }
std::size_t bench_l3_bytes() { return this_cpu().l3_bytes; }
char const* bench_instruction_set() {
  static std::string const name = this_cpu().instruction_set;
  return name.c_str();
}
char const* bench_model() {
  static std::string const name = this_cpu().model;
  return name.c_str();
}
}
