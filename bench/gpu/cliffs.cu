// SPDX-License-Identifier: Apache-2.0
//
// Every public call on arrays and rows of four types, beside the line of what it reads or copies:
// cold, each behind a kernel that is not ours, and in a row of its own calls. Every answer is
// compared with that of cores, and some with what a loop or counts say. Rows are named
// CALL/TYPE/SHAPE/DATA; `line_us` is what only reading, or copying, the same bytes takes; "near":
// of what rounds at every step, in an order of its own.
//
// --groups: of the data, those named below; other than normal for selections alone.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "bench/gpu/cliffs_calls.hpp"
#include "bench/gpu/options.hpp"
#include "bench/gpu/values.cuh"
#include "src/cuda/lines.cuh"
#include "tally/gpu.hpp"

namespace {

using namespace bench;

constexpr int replays = 7;

// ---- The data.

enum class kinds { normal, equal, sorted, two, binades };
constexpr char const* kind_names[] = {"normal", "equal", "sorted", "two", "binades"};

template <class T>
__device__ T element_of(std::uint64_t i, std::uint64_t length, kinds which) {
  std::uint64_t const random = mixed(i);
  auto const number = [](double x) {
    if constexpr (tally::integer<T>)
      return T(x);
    else
      return tally::convert<T>(x);
  };
  switch (which) {
    case kinds::normal: return value_of<T>(random, values::normal);  // of integers any bits
    case kinds::equal: return number(1);
    case kinds::sorted: return number(100 * (double(i % length) / double(length)));
    case kinds::two: return number(random % 2 ? 1 : -2);
    case kinds::binades: {
      double const x = ldexp(1 + double(random >> 40) * 0x1p-24, int(random % 80) - 40);
      return number(random >> 20 & 1 ? -x : x);
    }
  }
  return T{};
}
template <class T>
__global__ void fill_with(T* data, std::uint64_t n, std::uint64_t length, kinds which) {
  auto const step = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n; i += step)
    data[i] = element_of<T>(i, length, which);
}

// Of as much as was ever asked for; page-locked where that is allowed, so that copies are quick.
class host_memory {
 public:
  std::byte* of(std::size_t bytes) {
    if (bytes > memory_.size()) {
      if (is_locked_) tally::check(cudaHostUnregister(memory_.data()));
      memory_ = std::vector<std::byte>(bytes);
      is_locked_ = cudaHostRegister(memory_.data(), bytes, cudaHostRegisterDefault) == cudaSuccess;
      if (!is_locked_) cudaGetLastError();  // which is not to be found later
    }
    return memory_.data();
  }

 private:
  std::vector<std::byte> memory_;
  bool is_locked_ = false;
};

// A matrix for each call of a measurement, all of the same elements, and one here.
class matrices {
 public:
  matrices(matrix const& m, kinds which) : like_(m), there_(m.bytes()) {
    cudaStream_t const on = timing::own_stream();
    with_type(m.type, [&]<class T>(std::type_identity<T>) {
      tally::launch(fill_with<T>, 2048, 256, 0, on)(reinterpret_cast<T*>(there_[0]), m.size(),
                                                    m.length, which);
    });
    for (std::size_t i = 1; i < calls() && there_[i] != there_[0]; ++i)
      tally::check(cudaMemcpyAsync(there_[i], there_[0], m.bytes(), cudaMemcpyDeviceToDevice, on));
    static host_memory memory;
    auto* const here = memory.of(m.bytes());
    tally::check(cudaMemcpyAsync(here, there_[0], m.bytes(), cudaMemcpyDeviceToHost, on));
    tally::check(cudaStreamSynchronize(on));
    here_ = m, here_.data = here;
    of_first_row_ = with_type(m.type, [&]<class T>(std::type_identity<T>) {
      return ends_of(static_cast<T const*>(here_.data), m.length);
    });
  }

  // How many a replay makes: some milliseconds' worth.
  std::size_t calls() const {
    return std::min<std::size_t>(there_.calls(), like_.bytes() < (64 << 20) ? 100 : 8);
  }
  matrix there(std::size_t i) const {
    auto m = like_;
    m.data = there_[i];
    return m;
  }
  matrix const& here() const { return here_; }
  ends const& of_first_row() const { return of_first_row_; }

 private:
  matrix like_, here_{};
  timing::rotation there_;
  ends of_first_row_;
};

// ---- What is measured.

// Where a call writes, one array behind the other.
std::size_t room_of(call const& c) {
  std::size_t all = 0;
  for (auto const& each : c.out) all += (each.bytes() + 511) / 512 * 512;
  return all;
}
places places_at(call const& c, std::byte* at) {
  places all;
  for (auto const& each : c.out) all.push_back(at), at += (each.bytes() + 511) / 512 * 512;
  return all;
}

// By what an answer was found to be right; empty: it was not.
std::string check_answer(call const& c, matrices const& in, std::byte const* out) {
  static host_memory got_memory, want_memory;
  auto const room = room_of(c);
  auto* const got = got_memory.of(room);
  auto* const want = want_memory.of(room);
  cudaStream_t const on = timing::own_stream();
  tally::check(cudaMemcpyAsync(got, out, room, cudaMemcpyDeviceToHost, on));
  tally::check(cudaStreamSynchronize(on));
  auto const ours = places_at(c, got), cores = places_at(c, want);
  (c.exact ? c.exact : c.run)(tally::cpu{}, in.here(), cores);
  for (std::size_t i = 0; i < c.out.size(); ++i)
    if (!(c.near ? c.near(in.here(), ours[i], cores[i]) : c.out[i].same(ours[i], cores[i])))
      return {};
  std::string by = c.near ? "cores, near" : "cores";
  if (!c.confirm) return by;
  return c.confirm(in.here(), in.of_first_row(), ours) ? by + ", " + c.confirmed_by : "";
}

double line_us(std::size_t bytes, bool copies) {
  static std::map<std::pair<std::size_t, bool>, double> known;
  auto const [at, is_new] = known.try_emplace({bytes, copies});
  if (is_new)
    at->second = (copies ? timing::copy_line(bytes, timing::cache::cold)
                         : timing::read_line(bytes, timing::cache::cold))
                     .time.median();
  return at->second;
}

void measure(std::string const& id, call const& c, matrices const& in) {
  auto const on = timing::own_stream();
  tally::gpu there{.stream = on};  // of its own, which has the memory of its graphs
  timing::rotation const out(room_of(c));
  auto const work = [&](cudaStream_t, std::size_t i) {
    c.run(there, in.there(i), places_at(c, out[c.scans ? i : 0]));
  };
  work(on, 0);
  there.synchronise();
  auto const by = check_answer(c, in, out[0]);
  if (by.empty()) std::fprintf(stderr, "WRONG: %s\n", id.c_str());
  auto const in_a_row = timing::cold_time(work, in.calls(), replays);
  auto const behind = behind_time(work, in.calls(), replays);
  auto const read = in.here().bytes();
  // A copy reads as much as it writes.
  double const line = c.scans ? line_us((read + c.out[0].bytes()) / 2, true) : line_us(read, false);
  std::printf(
      "{\"id\": \"%s\", \"us\": %.5g, \"row_us\": %.5g, \"line_us\": %.5g, \"of\": \"%s\", "
      "\"checked\": \"%s\"}\n",
      id.c_str(), behind.median(), in_a_row.median(), line, c.scans ? "copy" : "read", by.c_str());
  std::fflush(stdout);
}

void measure_each(tally::dtype type, std::uint64_t rows, std::uint64_t length,
                  std::string const& shape, kinds which) {
  matrix const m{type, nullptr, rows, length};
  auto calls = selections_of(m);
  if (which == kinds::normal)
    for (auto const& more : {reductions_of(m), scans_of(m)})
      calls.insert(calls.end(), more.begin(), more.end());
  auto const id = [&](call const& c) {
    return c.name + "/" + std::string(name(type)) + "/" + shape + "/" + kind_names[int(which)];
  };
  std::erase_if(calls, [&](call const& c) { return !asked.wants(id(c)); });
  if (calls.empty()) return;
  matrices const in(m, which);
  for (auto const& each : calls) try {
      measure(id(each), each, in);
    } catch (tally::error const& e) {
      std::fprintf(stderr, "WITHOUT %s: %s\n", id(each).c_str(), e.what());
    }
}

}  // namespace

int main(int argc, char** argv) try {
  bench::read_options(argc, argv);
  for (auto const which : {kinds::normal, kinds::equal, kinds::sorted, kinds::two, kinds::binades})
    for (auto const type : {tally::dtype::float32, tally::dtype::bfloat16, tally::dtype::int8,
                            tally::dtype::float64}) {
      if (!bench::asked.wants_group(kind_names[int(which)])) continue;
      if (which == kinds::binades && !is_floating(type)) continue;
      measure_each(type, 1, 1 << 16, "2^16", which);
      measure_each(type, 1, 1 << 28, "2^28", which);
      measure_each(type, 65536, 256, "65536x256", which);
      measure_each(type, 64, 131072, "64x131072", which);
    }
} catch (std::exception const& e) {
  std::fprintf(stderr, "bench-cliffs: %s\n", e.what());
  return 1;
}
