// SPDX-License-Identifier: Apache-2.0
//
// Selections of one array and of rows, sorted, with indices: cold, each in a row of its own calls
// and behind another kernel; every answer compared with the CPU's. Beside them CUB's of one array
// of normal or of 256 values, where CUB has it (3.2 and later), which sorts nothing and gives
// another result each time. Rows are named top_k/TYPE/ROWSxLENGTH/K/VALUES/cold|behind/WHO.
//
// usage: bench-top_k [--quick | --only TEXT]: those whose name has the text
#include <cstring>
#include <string>
#include <vector>

#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#define TALLY_CUB_HAS_TOP_K
#endif
#include <cub/version.cuh>

#include "bench/gpu/values.cuh"
#include "tally/cpu/selections.hpp"
#include "tally/device/top_k_array.cuh"
#include "tally/top_k.hpp"

namespace {

using namespace bench;

// What selections meet: ties, sorted arrays, masked ones, numbers whose first bits are the same.
enum class inputs { normal, uniform, equal, of_256, low_12_bits, rising, falling, masked };
constexpr char const* input_names[] = {"normal",      "uniform", "equal",   "of_256",
                                       "low_12_bits", "rising",  "falling", "masked"};

template <class T>
__device__ T element_of(std::uint64_t i, std::uint64_t n, inputs which) {
  std::uint64_t const random = mixed(i);
  auto const number = [](double x) {
    if constexpr (tally::integer<T>)
      return T(std::int64_t(x));
    else
      return tally::convert<T>(x);
  };
  constexpr double scale = tally::integer<T> ? (sizeof(T) == 1 ? 100 : 1e9) : 1;
  switch (which) {
    case inputs::normal: return value_of<T>(random, values::normal);
    case inputs::uniform: return value_of<T>(random, values::uniform);
    case inputs::equal: return number(1);
    case inputs::of_256: return number(double(random % 256));
    case inputs::low_12_bits:
      return tally::from_bits<T>(
          tally::bits_of<T>(tally::to_bits(number(1)) ^ tally::bits_of<T>(random & 0xfff)));
    case inputs::rising: return number(scale * double(i) / double(n));
    case inputs::falling: return number(scale * (1 - double(i) / double(n)));
    case inputs::masked:
      if constexpr (!tally::integer<T>)
        if (random % 1000)
          return tally::from_bits<T>(
              tally::bits_of<T>(tally::format<T>::infinity | tally::format<T>::sign));
      return value_of<T>(random >> 10, values::normal);
  }
  return T{};
}
template <class T>
__global__ void fill_rows(T* data, std::uint64_t n, std::uint64_t length, inputs which) {
  auto const step = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n; i += step)
    data[i] = which == inputs::rising || which == inputs::falling
                  ? element_of<T>(i % length, length, which)
                  : element_of<T>(i, length, which);
}

std::string only;
bool quick = false;

#ifdef TALLY_CUB_HAS_TOP_K
void measure_cub(std::string const& id, timing::rotation const& in, std::uint64_t n,
                 std::uint64_t k, std::size_t calls, int replays) {
  namespace need = cuda::execution;
  auto const how =
      need::require(need::determinism::not_guaranteed, need::output_ordering::unsorted);
  device_array<float> found(k);
  device_array<std::int32_t> at(k);
  auto const call = [&](void* temporary, std::size_t& bytes, std::size_t i, cudaStream_t s) {
    tally::check(cub::DeviceTopK::MaxPairs(temporary, bytes, reinterpret_cast<float const*>(in[i]),
                                           found.data(), cuda::counting_iterator<std::int32_t>(0),
                                           at.data(), std::int64_t(n), std::int64_t(k),
                                           cuda::std::execution::env{cuda::stream_ref{s}, how}));
  };
  std::size_t room = 0;
  call(nullptr, room, 0, nullptr);
  device_array<unsigned char> temporary(room);
  auto const work = [&](cudaStream_t s, std::size_t i) {
    std::size_t size = room;
    call(temporary.data(), size, i, s);
  };
  print(id + "cold/cub", timing::cold_time(work, calls, replays), 4 * n);
  print(id + "behind/cub", behind_time(work, calls, replays), 4 * n);
}
#endif

template <class T>
void measure(char const* type, std::uint64_t rows, std::uint64_t length, std::uint64_t k,
             inputs which) {
  std::string const id = std::string("top_k/") + type + "/" + std::to_string(rows) + "x" +
                         std::to_string(length) + "/" + std::to_string(k) + "/" +
                         input_names[int(which)] + "/";
  if (id.find(only) == std::string::npos) return;
  using bits = tally::bits_of<T>;
  static kept workspace;
  cudaStream_t const on = timing::own_stream();
  std::uint64_t const n = rows * length, bytes = n * sizeof(T);
  timing::rotation const in(bytes);
  device_array<bits> found(rows * k);
  device_array<std::int64_t> at(rows * k);
  for (std::size_t i = 0; i < std::max<std::size_t>(in.calls(), 1) && i < 64; ++i)
    tally::launch(fill_rows<T>, 1024, 256, 0, on)(reinterpret_cast<T*>(in[i]), n, length, which);
  auto const order = tally::rank_order<bits>::of(std::type_identity<T>{}, false, false);
  auto const call = [&](cudaStream_t s, std::size_t i) {
    tally::detail::top_k_on_gpu(
        workspace.on(s), tally::array_input<bits>{reinterpret_cast<bits const*>(in[i]), n},
        tally::detail::gpu_rows{rows, length, length, nullptr, nullptr}, order,
        tally::detail::gpu_selection<bits>{k, nullptr, true, 0, found.data(), at.data(), nullptr,
                                           nullptr});
  };
  call(on, 0);
  std::vector<T> host(n);
  std::vector<bits> got(rows * k);
  std::vector<std::int64_t> got_at(rows * k);
  tally::check(cudaMemcpyAsync(host.data(), in[0], bytes, cudaMemcpyDeviceToHost, on));
  tally::check(cudaMemcpyAsync(got.data(), found.data(), got.size() * sizeof(bits),
                               cudaMemcpyDeviceToHost, on));
  tally::check(
      cudaMemcpyAsync(got_at.data(), at.data(), got_at.size() * 8, cudaMemcpyDeviceToHost, on));
  tally::check(cudaStreamSynchronize(on));
  auto const best = tally::top_k(tally::cpu{}, tally::rows{host.data(), rows, length}, k);
  if (std::memcmp(best.indices.data(), got_at.data(), 8 * got_at.size()) != 0 ||
      std::memcmp(best.values.data(), got.data(), got.size() * sizeof(bits)) != 0)
    std::fprintf(stderr, "WRONG: %s\n", id.c_str());
  auto const calls = std::min<std::size_t>(in.calls(), 32);
  int const replays = quick ? 3 : 5;
  print(id + "cold/tally", timing::cold_time(call, calls, replays), bytes);
  print(id + "behind/tally", behind_time(call, calls, replays), bytes);
#ifdef TALLY_CUB_HAS_TOP_K
  if constexpr (std::is_same_v<T, float>)
    if (rows == 1 && (which == inputs::normal || which == inputs::of_256))
      measure_cub(id, in, n, k, calls, replays);
#endif
}

constexpr inputs every_input[] = {inputs::normal,  inputs::uniform,     inputs::equal,
                                  inputs::of_256,  inputs::low_12_bits, inputs::rising,
                                  inputs::falling, inputs::masked};

void one_array() {
  constexpr std::uint64_t sizes[] = {1 << 16, 1 << 20, 10'000'000, 1 << 24, 1 << 28};
  for (auto n : sizes)
    for (std::uint64_t k : {10, 64, 2048})
      for (inputs which : every_input) {
        if (quick && which != inputs::normal && (which != inputs::of_256 || k == 64)) continue;
        measure<float>("float32", 1, n, k, which);
      }
  for (std::uint64_t n : {std::uint64_t(1) << 24, std::uint64_t(1) << 28})
    measure<float>("float32", 1, n, 1 << 20, inputs::normal);
  measure<float>("float32", 1, 1 << 24, 1 << 23, inputs::normal);
  for (inputs which : {inputs::normal, inputs::equal}) {
    measure<tally::bfloat16>("bfloat16", 1, 1 << 28, 2048, which);
    measure<std::int32_t>("int32", 1, 1 << 24, 2048, which);
    measure<std::uint8_t>("uint8", 1, 1 << 28, 2048, which);
    measure<double>("float64", 1, 1 << 24, 2048, which);
  }
}

struct shape {
  std::uint64_t rows, length, k;
};
void of_rows() {
  constexpr shape shapes[] = {
      {16, 1 << 20, 100}, {100, 1 << 20, 256}, {64, 131072, 2048}, {1024, 32768, 50},
      {64, 128256, 50},   {65536, 256, 8},     {8192, 8192, 64},   {1, 32768, 50},
      {8, 131072, 50},    {256, 131072, 50},   {64, 202048, 50},   {1, 4096, 512},
      {64, 65536, 1024},  {1024, 16384, 2048}, {4096, 8192, 512},  {4096, 16384, 2048}};
  for (auto const& s : shapes)
    for (inputs which : {inputs::normal, inputs::of_256}) {
      measure<float>("float32", s.rows, s.length, s.k, which);
      if (!quick) measure<tally::bfloat16>("bfloat16", s.rows, s.length, s.k, which);
    }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--quick") quick = true;
    if (std::string(argv[i]) == "--only" && i + 1 < argc) only = argv[i + 1];
  }
  std::printf("{\"libraries\": {\"cub\": \"%d.%d.%d\"}}\n", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
              CUB_SUBMINOR_VERSION);
  try {
    one_array();
    of_rows();
  } catch (tally::error const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
