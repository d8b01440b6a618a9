// SPDX-License-Identifier: Apache-2.0
//
// Scans of whole arrays, beside CUB's and beside copies of the same arrays: cold, every answer
// compared with the CPU's, those that round with the exact ones. Rows are named
// scan/WHAT/TYPE/2^k/VALUES/cold|behind/WHO: calls one after the other, or each behind another
// kernel.
#include <cmath>
#include <cstring>
#include <cub/device/device_scan.cuh>
#include <string>

#include "bench/gpu/options.hpp"
#include "bench/gpu/values.cuh"
#include "tally/gpu_aggregates.cuh"
#include "tally/tally.hpp"

namespace {

using namespace bench;

constexpr int copied_threads = 256, copied_vectors = 4;

// The best copy that a kernel makes: 16 KB a block.
__global__ void copy(uint4 const* in, uint4* out, std::uint64_t n) {
  auto const first = blockIdx.x * std::uint64_t(copied_threads * copied_vectors) + threadIdx.x;
  uint4 x[copied_vectors];
#pragma unroll
  for (int k = 0; k < copied_vectors; ++k)
    if (auto const i = first + k * copied_threads; i < n) x[k] = __ldcs(in + i);
#pragma unroll
  for (int k = 0; k < copied_vectors; ++k)
    if (auto const i = first + k * copied_threads; i < n) __stcs(out + i, x[k]);
}

// Whether prefix sums that were rounded at every step are as near to the exact ones as fewer than
// 4096 steps in a row leave them.
template <class T>
bool near(std::vector<T> const& in, std::vector<T> const& got, std::vector<T> const& exact) {
  double const unit = std::ldexp(4096, -tally::format<T>::precision);
  double magnitude = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    magnitude += std::fabs(double(in[i]));
    if (!(std::fabs(double(got[i]) - double(exact[i])) <= unit * magnitude)) return false;
  }
  return true;
}

// scan(temporary, bytes, in, out, n, stream) is CUB's.
template <class T, class Op, class Peer>
void compare(std::string const& name, Op op, int log, values which, Peer scan) {
  std::string const id =
      "scan/" + name + "/2^" + std::to_string(log) + "/" + names[int(which)] + "/";
  if (!asked.wants(id)) return;
  static kept workspace;
  cudaStream_t const on = timing::own_stream();
  std::uint64_t const n = std::uint64_t(1) << log, bytes = n * sizeof(T);
  timing::rotation const in(bytes), out(bytes);
  for (std::size_t i = 0; i < std::max<std::size_t>(in.calls(), 1) && i < 1024; ++i)
    tally::launch(fill<T>, 1024, 256, 0, on)(reinterpret_cast<T*>(in[i]), n, which);
  auto const from = [&](std::size_t i) { return reinterpret_cast<T const*>(in[i]); };
  auto const to = [&](std::size_t i) { return reinterpret_cast<T*>(out[i]); };
  auto const a = op.template scanning<T, T>();
  auto const ours = [&](cudaStream_t s, std::size_t i) {
    tally::detail::scan_on_gpu(workspace.on(s), a, tally::propagate,
                               tally::array_input<T>{from(i), n}, to(i),
                               tally::detail::gpu_scan<T>{false, false, {}, nullptr});
  };
  auto const time = [&](char const* who, timing::work const& call) {
    auto const calls = std::min<std::size_t>(in.calls(), 50);
    print(id + "cold/" + who, timing::cold_time(call, calls, 5), 2 * bytes);
    print(id + "behind/" + who, behind_time(call, calls, 5), 2 * bytes);
  };
  time("tally", ours);
  ours(on, 0);
  std::vector<T> host(n), want(n), got(n);
  tally::check(cudaMemcpyAsync(host.data(), in[0], bytes, cudaMemcpyDeviceToHost, on));
  tally::check(cudaMemcpyAsync(got.data(), out[0], bytes, cudaMemcpyDeviceToHost, on));
  tally::check(cudaStreamSynchronize(on));
  tally::inclusive_scan(tally::cpu{}, host, want, tally::sum{});
  bool right;
  if constexpr (std::is_same_v<Op, tally::fast_sum> && tally::floating<T>)
    right = near(host, got, want);
  else
    right = std::memcmp(got.data(), want.data(), bytes) == 0;
  if (!right) std::fprintf(stderr, "WRONG: %s\n", id.c_str());
  if (which != values::normal || !asked.peers) return;
  time("copy", [&](cudaStream_t s, std::size_t i) {
    constexpr std::uint64_t each = copied_threads * copied_vectors;
    std::uint64_t const vectors = bytes / 16;
    tally::launch(copy, unsigned((vectors + each - 1) / each), copied_threads, 0, s)(
        reinterpret_cast<uint4 const*>(in[i]), reinterpret_cast<uint4*>(out[i]), vectors);
  });
  if constexpr (!std::is_same_v<Peer, std::nullptr_t>) {
    std::size_t room = 0;
    scan(nullptr, room, from(0), to(0), n, nullptr);
    device_array<unsigned char> temporary(room);
    time("cub", [&](cudaStream_t s, std::size_t i) {
      std::size_t size = room;
      scan(temporary.data(), size, from(i), to(i), n, s);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  read_options(argc, argv);
  auto const sums = [](void* t, std::size_t& b, auto in, auto out, auto n, cudaStream_t s) {
    tally::check(cub::DeviceScan::InclusiveSum(t, b, in, out, n, s));
  };
  for (int log : asked.quick ? std::vector{10, 16, 20, 24, 28}
                             : std::vector{10, 14, 16, 18, 20, 22, 24, 26, 28}) {
    compare<std::int32_t>("sum/int32", tally::sum{}, log, values::normal, sums);
    compare<float>("fast_sum/float32", tally::fast_sum{}, log, values::normal, sums);
    compare<float>("sum/float32", tally::sum{}, log, values::normal, nullptr);
    compare<float>("sum/float32", tally::sum{}, log, values::any_bits, nullptr);
  }
  for (int log : {20, 27}) {
    compare<double>("fast_sum/float64", tally::fast_sum{}, log, values::normal, sums);
    compare<double>("sum/float64", tally::sum{}, log, values::normal, nullptr);
    compare<double>("sum/float64", tally::sum{}, log, values::any_bits, nullptr);
  }
  compare<std::uint8_t>("sum/uint8", tally::sum{}, 28, values::normal, sums);
  compare<tally::bfloat16>("sum/bfloat16", tally::sum{}, 28, values::normal, nullptr);
}
