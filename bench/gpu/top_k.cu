// SPDX-License-Identifier: Apache-2.0
//
// Selections of one array and of rows, sorted, with indices: cold, each in a row of its own calls
// and behind another kernel; every answer compared with the CPU's. Beside them CUB's of floats that
// are normal or of 256 values. Rows are named top_k/TYPE/ROWSxLENGTH/K/VALUES/cold|behind/WHO;
// LENGTH is LEAST-MOST where each row has a begin and a length of its own, in the GPU's memory.
//
// --groups: of those named below.
#include <cstring>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu/options.hpp"
#include "bench/gpu/top_k_cub.cuh"
#include "tally/cpu/selections.hpp"
#include "tally/device/top_k/launch.cuh"
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

constexpr std::uint64_t least_of_a_window = 2048;
constexpr std::uint64_t most_bytes = 8'000'000'000;

struct shape {
  std::uint64_t rows, length;
  bool windows = false;  // each row is a part of its `length` elements, at least the least

  std::string name() const {
    auto const least = windows ? std::to_string(least_of_a_window) + "-" : std::string();
    return std::to_string(rows) + "x" + least + std::to_string(length);
  }
};

// Rows of values in the GPU's memory, of which each call of a measurement has its own, and the
// first also on the host.
template <class T>
class rows_of_values {
 public:
  rows_of_values(shape const& s, inputs which)
      : shape_(s), in_(elements() * sizeof(T)), host_(elements()) {
    cudaStream_t const on = timing::own_stream();
    for (std::size_t i = 0; i < calls(); ++i)
      tally::launch(fill_rows<T>, 1024, 256, 0, on)(reinterpret_cast<T*>(in_[i]), elements(),
                                                    s.length, which);
    tally::check(
        cudaMemcpyAsync(host_.data(), in_[0], elements() * sizeof(T), cudaMemcpyDeviceToHost, on));
    tally::check(cudaStreamSynchronize(on));
    if (!s.windows) return;
    std::mt19937_64 random(1);
    for (std::uint64_t r = 0; r < s.rows; ++r) {
      auto const length = least_of_a_window + random() % (s.length - least_of_a_window + 1);
      lengths_.push_back(std::int64_t(length));
      starts_.push_back(std::int64_t(random() % (s.length - length + 1)));
    }
    starts_there_ = device_array<std::int64_t>(s.rows), starts_there_.copy_from(starts_, on);
    lengths_there_ = device_array<std::int64_t>(s.rows), lengths_there_.copy_from(lengths_, on);
  }

  std::size_t calls() const { return std::min<std::size_t>(in_.calls(), 32); }
  timing::rotation const& blocks() const { return in_; }
  auto input(std::size_t call) const {
    return tally::array_input<tally::bits_of<T>>{
        reinterpret_cast<tally::bits_of<T> const*>(in_[call]), elements()};
  }
  tally::row_layout there() const {
    return {.count = shape_.rows,
            .length = shape_.length,
            .stride = std::int64_t(shape_.length),
            .starts = starts_there_.data(),
            .lengths = lengths_there_.data()};
  }
  tally::rows<T const> here() const {
    auto const of = [](auto const& array) { return array.empty() ? nullptr : array.data(); };
    return {host_.data(), shape_.rows, shape_.length, std::int64_t(shape_.length),
            of(starts_),  of(lengths_)};
  }
  // That a selection reads.
  std::uint64_t bytes() const {
    std::uint64_t all = shape_.windows ? 0 : elements();
    for (auto const length : lengths_) all += std::uint64_t(length);
    return all * sizeof(T);
  }

 private:
  shape shape_;
  timing::rotation in_;
  std::vector<T> host_;
  std::vector<std::int64_t> starts_, lengths_;
  device_array<std::int64_t> starts_there_, lengths_there_;

  std::uint64_t elements() const { return shape_.rows * shape_.length; }
};

// In order, by index too where that is another way or CUB sorts nothing either, or in order each
// value once.
enum class wanted { best, distinct };

template <class T>
void measure(std::string const& id, shape const& s, rows_of_values<T> const& in, std::uint64_t k,
             inputs which, wanted what) {
  using bits = tally::bits_of<T>;
  static kept workspace;
  cudaStream_t const on = timing::own_stream();
  device_array<bits> found(s.rows * k);
  device_array<std::int64_t> at(s.rows * k);
  auto const order = tally::rank_order<bits>::of(std::type_identity<T>{}, false, false);
  int const replays = asked.quick ? 3 : 5;
  for (bool const sorted : {true, false}) {
    bool const distinct = what == wanted::distinct;
    bool const cub_has_rows = s.rows > 1 && s.length <= most_of_cub_rows;
    if (!sorted && ((k <= tally::device::most_sampled && !cub_has_rows) || distinct)) break;
    auto const call = [&](cudaStream_t stream, std::size_t i) {
      tally::detail::top_k_on_gpu(
          workspace.on(stream),
          tally::device::top_k_request<tally::array_input<bits>>{
              in.input(i),
              in.there(),
              order,
              {k, nullptr, sorted, tally::to_bits(tally::detail::missing<T>()), found.data(),
               at.data(), nullptr, nullptr, distinct}});
    };
    call(on, 0);
    auto const got = found.to_host(on);
    auto const got_at = at.to_host(on);
    auto const best =
        tally::top_k(tally::cpu{}, in.here(), k, {.sorted = sorted, .distinct = distinct});
    auto const there = best.indices.size();  // behind fewer different values than k is nothing
    if (std::memcmp(best.indices.data(), got_at.data(), 8 * there) != 0 ||
        std::memcmp(best.values.data(), got.data(), there * sizeof(bits)) != 0)
      std::fprintf(stderr, "WRONG: %s\n", id.c_str());
    std::string const who = distinct ? "tally_distinct" : sorted ? "tally" : "tally_by_index";
    print(id + "cold/" + who, timing::cold_time(call, in.calls(), replays), in.bytes());
    print(id + "behind/" + who, behind_time(call, in.calls(), replays), in.bytes());
  }
  if constexpr (std::is_same_v<T, float>)
    if (asked.peers && what == wanted::best && !s.windows &&
        (which == inputs::normal || which == inputs::of_256))
      measure_cub(id, in.blocks(), s.rows, s.length, k, in.calls(), replays);
}

// The values are made once for all k that are asked for.
template <class T>
void measure_each(char const* type, shape const& s, std::initializer_list<std::uint64_t> ks,
                  inputs which, wanted what = wanted::best) {
  auto const id = [&](std::uint64_t k) {
    return std::string("top_k/") + type + "/" + s.name() + "/" + std::to_string(k) + "/" +
           input_names[int(which)] + "/";
  };
  std::vector<std::uint64_t> able;
  for (auto const k : ks)
    if (asked.wants(id(k)) && k <= s.length) able.push_back(k);
  if (able.empty() || s.rows * s.length * sizeof(T) > most_bytes) return;
  rows_of_values<T> const in(s, which);
  for (auto const k : able) measure(id(k), s, in, k, which, what);
}

// ---- What is measured, by groups.

void one() {
  for (std::uint64_t n : {1 << 16, 1 << 20, 10'000'000, 1 << 24, 1 << 28})
    for (int which = 0; which < int(std::size(input_names)); ++which) {
      auto const values = inputs(which);
      if (!asked.quick || values == inputs::normal)
        measure_each<float>("float32", {1, n}, {10, 64, 2048}, values);
      else if (values == inputs::of_256)
        measure_each<float>("float32", {1, n}, {10, 2048}, values);
    }
}

// More than is guessed at once.
void large() {
  for (std::uint64_t n : {1 << 20, 1 << 24, 1 << 28})
    for (inputs which : {inputs::normal, inputs::of_256, inputs::equal, inputs::rising})
      if (!asked.quick || which == inputs::normal)
        measure_each<float>("float32", {1, n}, {4096, 1 << 16, 1 << 20}, which);
  measure_each<float>("float32", {1, 1 << 24}, {1 << 23}, inputs::normal);
  if (asked.quick) return;
  measure_each<double>("float64", {1, 1 << 24}, {1 << 20}, inputs::normal);
  measure_each<tally::bfloat16>("bfloat16", {1, 1 << 28}, {1 << 20}, inputs::normal);
}

void types() {
  for (std::uint64_t n : {1 << 20, 1 << 24, 1 << 28}) {
    if (asked.quick && n != 1 << 24) continue;
    for (inputs which : {inputs::normal, inputs::equal}) {
      measure_each<tally::bfloat16>("bfloat16", {1, n}, {64, 2048}, which);
      measure_each<std::int32_t>("int32", {1, n}, {64, 2048}, which);
      measure_each<std::uint8_t>("uint8", {1, n}, {64, 2048}, which);
      measure_each<double>("float64", {1, n}, {64, 2048}, which);
    }
  }
}

void distinct() {
  for (std::uint64_t n : {1 << 20, 1 << 24, 1 << 26, 1 << 28})
    for (inputs which : {inputs::normal, inputs::of_256, inputs::rising})
      measure_each<float>("float32", {1, n}, {64, 2048}, which, wanted::distinct);
  for (inputs which : {inputs::normal, inputs::of_256})
    measure_each<float>("float32", {8192, 8192}, {64}, which, wanted::distinct);
}

void floats_of(shape const& s, std::initializer_list<std::uint64_t> ks) {
  for (inputs which : {inputs::normal, inputs::of_256}) {
    measure_each<float>("float32", s, ks, which);
    if (!asked.quick) measure_each<tally::bfloat16>("bfloat16", s, ks, which);
  }
}

void rows() {
  floats_of({16, 1 << 20}, {100});
  floats_of({100, 1 << 20}, {256});
  floats_of({64, 131072}, {2048});
  floats_of({1024, 32768}, {50});
  floats_of({64, 128256}, {50});
  floats_of({65536, 256}, {8});
  floats_of({8192, 8192}, {64});
  floats_of({1024, 16384}, {2048});
  floats_of({4096, 8192}, {512});
  floats_of({4096, 16384}, {2048});
}

// The logits of a batch, a vocabulary a row.
void samplers() {
  for (std::uint64_t count : {1, 8, 64, 256})
    for (std::uint64_t length : {32768, 131072, 202048}) floats_of({count, length}, {50});
}

// Which tokens a query attends to: of a long text when one is written, and of windows when many are
// read.
void indexers() {
  for (std::uint64_t count : {1, 64, 1024})
    for (std::uint64_t length : {4096, 65536, 1048576})
      floats_of({count, length}, {512, 1024, 2048});
}
void windows() { floats_of({4096, 16384, true}, {512, 1024, 2048}); }

struct group {
  char const* name;
  void (*run)();
};
constexpr group groups[] = {{"one", one},           {"large", large},    {"types", types},
                            {"distinct", distinct}, {"rows", rows},      {"samplers", samplers},
                            {"indexers", indexers}, {"windows", windows}};

}  // namespace

int main(int argc, char** argv) {
  bench::read_options(argc, argv);
  std::printf("{\"libraries\": {\"cub\": \"%d.%d.%d\"}}\n", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
              CUB_SUBMINOR_VERSION);
  bool any = false;
  try {
    for (auto const& each : groups)
      if (asked.wants_group(each.name)) any = true, each.run();
    if (!any) throw tally::error("bench-top_k: there is no group " + asked.groups);
  } catch (tally::error const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
