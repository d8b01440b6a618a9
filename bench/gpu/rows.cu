// SPDX-License-Identifier: Apache-2.0
//
// Reductions of rows and of columns: cold, each in a row of its own calls and behind another
// kernel, every answer compared with the CPU's; beside them the line, a read of the same bytes.
// Rows are named rows/AGGREGATE/TYPE/ROWSxLENGTH/VALUES/cold|behind/tally, of the columns of such a
// matrix columns/...; lines rows/line/BYTES. Segments of lengths from 0 to twice their mean are
// named ragged/AGGREGATE/float32/mean-MEAN/..., beside CUB, and their line also reads the offsets.
//
// --groups: sums, others, ragged, medians.
#include <algorithm>
#include <cstring>
#include <cub/device/device_segmented_reduce.cuh>
#include <set>
#include <string>
#include <vector>

#include "bench/gpu/cub_call.cuh"
#include "bench/gpu/row_values.cuh"
#include "src/cuda/lines.cuh"
#include "tally/device/reduce/agent/describe.cuh"
#include "tally/device/reduce/agent/dot.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/device/reduce/rows/launch.cuh"
#include "tally/device/top_k/kth/launch.cuh"
#include "tally/tally.hpp"

namespace {

using namespace bench;

void measure_line(std::size_t bytes) {
  static std::set<std::size_t> known;
  if (!known.insert(bytes).second) return;
  auto const line = timing::read_line(bytes, timing::cache::cold);
  print("rows/line/" + std::to_string(bytes), line.time, bytes);
}

// The rows or columns of a matrix, and the pairs of those of both halves.
template <class T>
auto plain(T const* data, shape const& s, bool columns) {
  return tally::rows<T const>(data, layout_of(s, columns));
}
template <class T>
auto pairs(T const* data, shape const& s, bool columns) {
  shape const half{s.rows / 2, s.length};
  auto const all = layout_of(half, columns);
  return tally::zip(tally::rows<T const>(data, all),
                    tally::rows<T const>(data + half.rows * half.length, all));
}

// Whether results have the same bits, or the same numbers, where there are gaps between them.
template <class R>
bool same(R const& x, R const& y) {
  if constexpr (requires { x.each([](auto, auto) {}); }) {
    std::vector<double> numbers;
    auto const keep = [&](auto, auto number) { numbers.push_back(double(number)); };
    x.each(keep), y.each(keep);
    return std::equal(numbers.begin(), numbers.begin() + numbers.size() / 2,
                      numbers.begin() + numbers.size() / 2);
  } else {
    return std::memcmp(&x, &y, sizeof(R)) == 0;
  }
}

// A call on `n` elements, which input(data) makes rows, on a GPU; here they are host_input(data).
template <class T, class Op, class Input, class HostInput>
void measure_calls(std::string const& id, std::uint64_t n, Input const& input,
                   HostInput const& host_input, Op const& op, kinds which) {
  static kept workspace;
  cudaStream_t const on = timing::own_stream();
  timing::rotation const blocks(n * sizeof(T));
  std::size_t const calls = std::min<std::size_t>(blocks.calls(), 32);
  auto const block = [&](std::size_t i) { return reinterpret_cast<T*>(blocks[i]); };
  for (std::size_t i = 0; i < calls; ++i)
    tally::launch(fill_rows<T>, 1024, 256, 0, on)(block(i), n, which);
  auto const a = tally::detail::bind_reduce<typename decltype(input(block(0)))::element>(op);
  using R = typename decltype(a)::result;
  std::uint64_t const count = input(block(0)).layout().count;
  device_array<R> found(count);
  auto const call = [&](cudaStream_t stream, std::size_t i) {
    tally::detail::reduce_rows_on_gpu(workspace.on(stream), a, tally::propagate, input(block(i)),
                                      tally::rows<R>(found.data(), count, 1));
  };
  call(on, 0);
  auto const got = found.to_host(on);
  std::vector<T> here(n);
  tally::check(cudaMemcpyAsync(here.data(), blocks[0], n * sizeof(T), cudaMemcpyDeviceToHost, on));
  tally::check(cudaStreamSynchronize(on));
  auto const want = tally::reduce(tally::cpu{}, host_input(here.data()), op);
  for (std::size_t r = 0; r < want.size(); ++r)
    if (!same(want[r], got[r])) {
      std::fprintf(stderr, "WRONG: %s, row %zu\n", id.c_str(), r);
      break;
    }
  int const replays = asked.quick ? 3 : 7;
  print(id + "cold/tally", timing::cold_time(call, calls, replays), n * sizeof(T));
  print(id + "behind/tally", behind_time(call, calls, replays), n * sizeof(T));
}
template <class T, class Op, class Input>
void measure_of(Input const& input, std::string const& name, std::string const& type, Op const& op,
                shape const& s, bool columns, kinds which) {
  std::string const id = (columns ? "columns/" : "rows/") + name + "/" + type + "/" + s.name() +
                         "/" + kind_names[int(which)] + "/";
  if (!asked.wants(id)) return;
  std::uint64_t const n = s.rows * s.length;
  measure_line(n * sizeof(T));
  auto const rows = [&](T const* data) { return input(data, s, columns); };
  measure_calls<T>(id, n, rows, rows, op, which);
}
template <class T, class Op>
void measure(std::string const& name, std::string const& type, Op const& op, shape const& s,
             bool columns, kinds which = kinds::normal) {
  measure_of<T>(plain<T>, name, type, op, s, columns, which);
}

void sums() {
  for (bool const columns : {false, true})
    for (shape const& s : shapes) {
      measure<float>("sum", "float32", tally::sum{}, s, columns);
      measure<tally::bfloat16>("sum", "bfloat16", tally::sum{}, s, columns);
      measure<double>("sum", "float64", tally::sum{}, s, columns);
      measure<float>("sum", "float32", tally::sum{}, s, columns, kinds::any_bits);
      measure<float>("sum", "float32", tally::sum{}, s, columns, kinds::cancelling);
    }
}

template <class Op>
void measure_each(std::string const& name, Op const& op) {
  for (bool const columns : {false, true})
    for (shape const& s : shapes) measure<float>(name, "float32", op, s, columns);
}
void others() {
  measure_each("maximum", tally::maximum{});
  measure_each("mean", tally::mean{});
  measure_each("arg_maximum", tally::arg_maximum{});
  measure_each("variance", tally::variance{});
  measure_each("fast_sum", tally::fast_sum{});
  measure_each("norm", tally::norm{});
  measure_each("describe", tally::describe{});
  measure_each("mean_and_deviation",
               tally::all_together(tally::mean{}, tally::standard_deviation{}));
  for (bool const columns : {false, true})
    for (shape const& s : shapes) {
      measure_of<float>(pairs<float>, "dot", "float32", tally::dot{}, s, columns, kinds::normal);
      measure<std::int32_t>("sum", "int32", tally::sum{}, s, columns);
      measure<std::int32_t>("variance", "int32", tally::variance{}, s, columns);
      measure<tally::bfloat16>("variance", "bfloat16", tally::variance{}, s, columns);
      measure<double>("variance", "float64", tally::variance{}, s, columns);
    }
}

// Where segments begin, and the last one's end.
std::vector<std::int64_t> offsets_of(std::uint64_t n, std::uint64_t mean) {
  std::vector<std::int64_t> out = {0};
  for (std::uint64_t i = 0, at = 0; at < n; ++i) {
    at = std::min(n, at + mixed(i) % (2 * mean + 1));
    out.push_back(std::int64_t(at));
  }
  return out;
}
template <class Op>
void measure_ragged(std::string const& name, Op const& op, std::uint64_t n, std::uint64_t mean) {
  std::string const id = "ragged/" + name + "/float32/mean-" + std::to_string(mean) + "/normal/";
  if (!asked.wants(id)) return;
  auto const here = offsets_of(n, mean);
  device_array<std::int64_t> const there(here);
  measure_line(n * sizeof(float) + here.size() * sizeof(std::int64_t));
  auto const of = [&](float const* data, std::int64_t const* offsets) {
    return tally::rows<float const>(tally::segments<float const>(
        std::span(data, n), std::span(offsets, here.size()), 2 * mean));
  };
  measure_calls<float>(
      id, n, [&](float const* data) { return of(data, there.data()); },
      [&](float const* data) { return of(data, here.data()); }, op, kinds::normal);
  if (!asked.peers || !std::is_same_v<Op, tally::basic_sum<>>) return;
  timing::rotation const blocks(n * sizeof(float));
  device_array<float> found(here.size() - 1);
  auto const call = [&](void* temporary, std::size_t& bytes, std::size_t i, cudaStream_t s) {
    tally::check(cub::DeviceSegmentedReduce::Sum(
        temporary, bytes, reinterpret_cast<float const*>(blocks[i]), found.data(),
        std::int64_t(here.size() - 1), there.data(), there.data() + 1, s));
  };
  measure_cub_call(id, call, std::min<std::size_t>(blocks.calls(), 32), asked.quick ? 3 : 7,
                   n * sizeof(float));
}
void ragged() {
  for (std::uint64_t const mean : {1, 16, 256, 65536}) {
    measure_ragged("sum", tally::sum{}, 1 << 26, mean);
    measure_ragged("maximum", tally::maximum{}, 1 << 26, mean);
    measure_ragged("variance", tally::variance{}, 1 << 26, mean);
  }
}

// Medians of rows, by a search for a value.
void measure_median(shape const& s) {
  std::string const id = "rows/median/float32/" + s.name() + "/normal/";
  if (!asked.wants(id)) return;
  using bits = tally::bits_of<float>;
  std::uint64_t const n = s.rows * s.length;
  measure_line(n * sizeof(float));
  static kept workspace;
  cudaStream_t const on = timing::own_stream();
  timing::rotation const blocks(n * sizeof(float));
  std::size_t const calls = std::min<std::size_t>(blocks.calls(), 32);
  auto const block = [&](std::size_t i) { return reinterpret_cast<float*>(blocks[i]); };
  for (std::size_t i = 0; i < calls; ++i)
    tally::launch(fill_rows<float>, 1024, 256, 0, on)(block(i), n, kinds::normal);
  device_array<float> found(s.rows);
  std::vector<double> const half = {0.5};
  tally::detail::quantile_places const places(half);
  auto const call = [&](cudaStream_t stream, std::size_t i) {
    tally::device::row_request<tally::array_input<bits>, tally::detail::gpu_quantiles> of{
        {reinterpret_cast<bits const*>(block(i)), n},
        layout_of(s, false),
        tally::rank_order<bits>::of(std::type_identity<float>{}, true, false),
        {tally::dtype_of<float>,
         tally::quantile_options{}.method,
         false,
         1,
         {},
         found.data(),
         0,
         1}};
    of.how.q[0] = places[0];
    tally::detail::quantiles_on_gpu(workspace.on(stream), of);
  };
  call(on, 0);
  auto const got = found.to_host(on);
  std::vector<float> here(n);
  tally::check(
      cudaMemcpyAsync(here.data(), blocks[0], n * sizeof(float), cudaMemcpyDeviceToHost, on));
  tally::check(cudaStreamSynchronize(on));
  auto const want = tally::quantile(tally::cpu{}, plain<float>(here.data(), s, false), half);
  if (!std::equal(want.begin(), want.end(), got.begin()))
    std::fprintf(stderr, "WRONG: %s\n", id.c_str());
  int const replays = asked.quick ? 3 : 7;
  print(id + "cold/tally", timing::cold_time(call, calls, replays), n * sizeof(float));
  print(id + "behind/tally", behind_time(call, calls, replays), n * sizeof(float));
}
void medians() {
  for (shape const& s : shapes) measure_median(s);
}

}  // namespace

int main(int argc, char** argv) try {
  read_options(argc, argv);
  if (asked.wants_group("sums")) sums();
  if (asked.wants_group("others")) others();
  if (asked.wants_group("ragged")) ragged();
  if (asked.wants_group("medians")) medians();
} catch (std::exception const& failure) {
  std::fprintf(stderr, "rows: %s\n", failure.what());
  return 1;
}
