// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums along rows and along columns: cold, each in a row of its own calls and behind another
// kernel, every answer compared with the CPU's; beside them the line, a copy of the same bytes.
// Rows are named row_scans/TYPE/ROWSxLENGTH/VALUES/cold|behind/tally, of the columns of such a
// matrix column_scans/...; lines row_scans/line/BYTES.
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "bench/gpu/row_values.cuh"
#include "src/cuda/lines.cuh"
#include "tally/device/scan/launch.cuh"
#include "tally/device/scan/prefix/exact.cuh"
#include "tally/device/scan/prefix/integer.cuh"
#include "tally/device/scan/prefix/steps_of_numbers.cuh"
#include "tally/tally.hpp"

namespace {

using namespace bench;

void measure_line(std::size_t bytes) {
  static std::set<std::size_t> known;
  if (!known.insert(bytes).second) return;
  auto const line = timing::copy_line(bytes, timing::cache::cold);
  print("row_scans/line/" + std::to_string(bytes), line.time, 2 * bytes);
}

template <class T>
bool right(T const* in, std::vector<T> const& found, tally::row_layout const& rows) {
  std::vector<T> want(found.size());
  tally::inclusive_scan(tally::cpu{}, tally::rows<T const>(in, rows),
                        tally::rows<T>(want.data(), rows), tally::sum{});
  return std::memcmp(want.data(), found.data(), found.size() * sizeof(T)) == 0;
}

template <class T>
void measure(std::string const& type, shape const& s, bool columns, kinds which = kinds::normal) {
  std::string const id = (columns ? "column_scans/" : "row_scans/") + type + "/" + s.name() + "/" +
                         kind_names[int(which)] + "/";
  if (!asked.wants(id)) return;
  std::uint64_t const n = s.rows * s.length;
  measure_line(n * sizeof(T));
  static kept workspace;
  cudaStream_t const on = timing::own_stream();
  timing::rotation const blocks(2 * n * sizeof(T));
  std::size_t const calls = std::min<std::size_t>(blocks.calls(), 32);
  auto const in = [&](std::size_t i) { return reinterpret_cast<T*>(blocks[i]); };
  for (std::size_t i = 0; i < calls; ++i)
    tally::launch(fill_rows<T>, 1024, 256, 0, on)(in(i), n, which);
  auto const rows = layout_of(s, columns);
  auto const a = tally::detail::bind_scan<T, T>(tally::sum{});
  auto const call = [&](cudaStream_t stream, std::size_t i) {
    tally::detail::scan_rows_on_gpu(workspace.on(stream), a, tally::propagate,
                                    tally::array_input<T>{in(i), n}, rows, in(i) + n, rows,
                                    tally::detail::gpu_scan<T>{});
  };
  call(on, 0);
  std::vector<T> all(2 * n);
  tally::check(cudaMemcpyAsync(all.data(), in(0), 2 * n * sizeof(T), cudaMemcpyDeviceToHost, on));
  tally::check(cudaStreamSynchronize(on));
  if (!right(all.data(), std::vector<T>(all.begin() + std::ptrdiff_t(n), all.end()), rows))
    std::fprintf(stderr, "WRONG: %s\n", id.c_str());
  int const replays = asked.quick ? 3 : 7;
  print(id + "cold/tally", timing::cold_time(call, calls, replays), 2 * n * sizeof(T));
  print(id + "behind/tally", behind_time(call, calls, replays), 2 * n * sizeof(T));
}

}  // namespace

int main(int argc, char** argv) try {
  read_options(argc, argv);
  for (bool const columns : {false, true})
    for (shape const& s : shapes) {
      measure<std::int32_t>("int32", s, columns);
      measure<float>("float32", s, columns);
      measure<float>("float32", s, columns, kinds::any_bits);
      if (!asked.quick) measure<double>("float64", s, columns);
      measure<tally::bfloat16>("bfloat16", s, columns);
    }
} catch (std::exception const& failure) {
  std::fprintf(stderr, "row_scans: %s\n", failure.what());
  return 1;
}
