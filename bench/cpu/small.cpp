// SPDX-License-Identifier: Apache-2.0
//
// Calls on few elements, as they stand in a user's source that is compiled for this machine, beside
// the standard library's: there a call's own cost shows.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>

#include "tally/tally.hpp"

namespace {

using namespace tally;

// The compiler knows neither what p points to, nor that nobody reads a result.
template <class T>
T const* hidden(T const* p) {
  asm volatile("" : "+r"(p));
  return p;
}
template <class R>
void used(R const& result) {
  asm volatile("" : : "m"(result) : "memory");
}

template <class F>
double seconds_a_call(int calls, F&& call) {
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) used(call());
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  return took.count() / calls;
}

constexpr auto least = [](auto a, auto b) { return b < a ? b : a; };

// Seconds of a call, or -1 if there is none; the bits of its result.
template <class T>
struct small {
  T const* data;
  std::size_t n;
  int calls;
  std::uint64_t* bits;

  double run(std::string_view op, bool by_std) const {
    if (op == "sum") return by_std ? std_reduce(T(), std::plus<>()) : tally_reduce(sum{});
    if (op == "fast_sum") return by_std ? std_reduce(T(), std::plus<>()) : tally_reduce(fast_sum{});
    if (op == "minimum") return by_std ? std_reduce(data[0], least) : tally_reduce(minimum{});
    return -1;
  }

 private:
  template <class Op>
  double std_reduce(T start, Op op) const {
    return seconds_a_call(calls, [&] {
      auto const* const p = hidden(data);
      return std::reduce(p, p + n, start, op);
    });
  }
  template <class Op>
  double tally_reduce(Op op) const {
    cpu const here{1};
    auto const found = reduce(here, std::span(data, n), op);
    std::memcpy(bits, &found, sizeof found);
    return seconds_a_call(calls, [&] { return reduce(here, std::span(hidden(data), n), op); });
  }
};

}  // namespace

extern "C" double bench_small(char const* op, char const* who, char const* type, void const* data,
                              std::size_t n, int calls, std::uint64_t* bits) {
  bool const by_std = who == std::string_view("std");
  auto const with = [&]<class T>(T) {
    return small<T>{static_cast<T const*>(data), n, calls, bits}.run(op, by_std);
  };
  std::string_view const t = type;
  return t == "float32"   ? with(float())
         : t == "float64" ? with(double())
         : t == "int32"   ? with(std::int32_t())
         : t == "int64"   ? with(std::int64_t())
                          : -1;
}
