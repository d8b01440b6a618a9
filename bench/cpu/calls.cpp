// SPDX-License-Identifier: Apache-2.0
//
// Tally's public calls, with their defaults, for bench.py. Each returns 0, or 1 and says why on
// standard error.
#include <chrono>
#include <cstdio>
#include <string_view>

#include "tally/devices.hpp"
#include "tally/tally.hpp"
#include "tally/zip.hpp"

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

template <class T>
std::span<T const> elements(void const* data, std::size_t n) {
  return {static_cast<T const*>(data), n};
}

// Calls f with the aggregate of that name.
template <element T, class F>
void with_aggregate(std::string_view name, F&& f) {
  if (name == "sum") return f(sum{});
  if (name == "fast_sum") return f(fast_sum{});
  if (name == "mean") return f(mean{});
  if (name == "variance") return f(variance{});
  if (name == "minimum") return f(minimum{});
  if (name == "maximum") return f(maximum{});
  if (name == "arg_minimum") return f(arg_minimum{});
  throw error("no aggregate " + std::string(name));
}

template <element T>
void reduce_to_bits(std::string_view name, cpu where, std::span<T const> x, std::uint64_t* bits) {
  with_aggregate<T>(name, [&](auto op) { *bits = to_bits(reduce(where, x, op)); });
}

}  // namespace

extern "C" {

int bench_reduce(char const* name, int type, void const* data, std::size_t n, int threads,
                 std::uint64_t* bits) {
  return reported([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      reduce_to_bits<T>(name, cpu{threads}, elements<T>(data, n), bits);
    });
  });
}

// Seconds a call, of many.
int bench_reduce_often(char const* name, int type, void const* data, std::size_t n, int threads,
                       int calls, double* seconds) {
  return reported([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      std::uint64_t bits = 0;
      auto const begin = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i)
        reduce_to_bits<T>(name, cpu{threads}, elements<T>(data, n), &bits);
      std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
      *seconds = took.count() / calls;
    });
  });
}

int bench_dot(int type, void const* a, void const* b, std::size_t n, int threads,
              std::uint64_t* bits) {
  return reported([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      auto const x = elements<T>(a, n), y = elements<T>(b, n);
      *bits = to_bits(reduce(cpu{threads}, zip(x, y), dot{}));
    });
  });
}

int bench_scan(int type, void const* data, std::size_t n, int threads, void* out) {
  return reported([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      if constexpr (!std::is_same_v<T, bool>)
        inclusive_scan(cpu{threads}, elements<T>(data, n), std::span(static_cast<T*>(out), n),
                       sum{});
    });
  });
}

int bench_top_k(int type, void const* data, std::size_t n, std::uint64_t k, int threads,
                void* values, std::int64_t* indices) {
  return reported([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      top_k_into(cpu{threads}, elements<T>(data, n), k, std::span(static_cast<T*>(values), k),
                 std::span(indices, k));
    });
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
