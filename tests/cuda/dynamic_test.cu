// SPDX-License-Identifier: Apache-2.0
//
// The calls with run-time types on a GPU, of every kernel that has a name: the bits of the CPU.
#include "tally/dynamic.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "src/cuda/capture.cuh"
#include "support/failure_of.hpp"
#include "tally/gpu/copy.hpp"
#include "tally/gpu/output.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;
using bytes = std::vector<std::byte>;

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// Whose sums over any elements in a row need few bits: one rounding is as good as another.
enum class data { any_bits, with_nan, small };
template <element T>
T value_of(data which, std::uint64_t i) {
  constexpr int small[] = {1, 2, -3, 1, -1};
  std::uint64_t const r = mixed(i + 1);
  if constexpr (std::is_same_v<T, bool>) {
    return r % 3 == 0;
  } else if constexpr (!floating<T>) {
    return T(r);
  } else {
    if (which == data::small) return convert<T>(double(small[i % 5]));
    if (which == data::with_nan && r % 977 == 0) return quiet_nan<T>();
    T const x = from_bits<T>(bits_of<T>(r));
    return is_finite(x) ? x : T{};
  }
}
bytes values(dtype type, data which, std::size_t n) {
  bytes all(n * size_of(type));
  for (std::size_t i = 0; i < n; ++i)
    visit(type, [&]<class T>(std::type_identity<T>) {
      any_number(value_of<T>(which, i)).store(&all[i * sizeof(T)]);
    });
  return all;
}
any_number half(dtype type) {
  return visit(type, []<class T>(std::type_identity<T>) {
    if constexpr (floating<T>)
      return any_number(convert<T>(0.5));
    else
      return any_number(T(1));
  });
}

// A scan of `in` by op, an array of n elements in memory that is read where it lies.
struct scan {
  any_aggregate op;
  dtype in, out;
  bool exclusive;
  any_scan_options options;

  template <class Where>
  void run(Where&& where, void const* from, void* to, std::size_t n) const {
    any_array const x(in, from, n);
    any_output const y{out, to, n};
    exclusive ? exclusive_scan(where, x, y, op, options) : inclusive_scan(where, x, y, op, options);
  }
};
struct outcome {
  bytes results;
  any_number total;
  bool operator==(outcome const&) const = default;
};

outcome on_cpu(scan s, bytes const& in) {
  std::size_t const n = in.size() / size_of(s.in);
  outcome found{bytes(n * size_of(s.out)), any_number()};
  s.options.total = &found.total;
  s.run(cpu{}, in.data(), found.results.data(), n);
  return found;
}
outcome on_gpu(gpu& there, scan s, bytes const& in) {
  std::size_t const n = in.size() / size_of(s.in);
  outcome found{bytes(n * size_of(s.out)), any_number()};
  s.options.total = &found.total;
  gpu_copy copy(there, in.size());
  copy.append(in);
  gpu_output const room(there, found.results.size());
  s.run(there, copy.as<std::byte>().data(), room.as<std::byte>().data(), n);
  room.read(0, found.results);
  return found;
}

void expect_bits_of_the_cpu(gpu& there, scan s, bytes const& in) {
  for (int shape = 0; shape < 16; ++shape) {
    s.exclusive = shape & 1;
    s.options = {.init = shape & 4 ? std::optional(half(s.out)) : std::nullopt,
                 .reverse = (shape & 2) != 0,
                 .nan = shape & 8 ? skip : propagate};
    EXPECT_EQ(on_gpu(there, s, in), on_cpu(s, in))
        << s.op.info().name << " of " << in.size() / size_of(s.in) << " " << name(s.in) << " to "
        << name(s.out) << ", shape " << shape;
  }
}

std::vector<data> inputs_for(scan const& s) {
  if (s.op.info().name == "fast_sum") return {data::small};
  // Of floating types they are rounded in each device's own order.
  if (s.op.info().name == "product" && is_floating(s.in)) return {};
  return is_floating(s.in) ? std::vector{data::any_bits, data::with_nan}
                           : std::vector{data::any_bits};
}

TEST(dynamic_on_a_gpu, scans_have_the_bits_of_the_cpu) {
#define X(...) +1
  constexpr int of_integers = TALLY_SCANS_OF_INTEGERS(X);  // of sum and of fast_sum, which is it
  constexpr int kernels = 2 * of_integers TALLY_SCANS_OF_PRODUCTS(X) TALLY_SCANS_OF_FLOATS(X)
                                  TALLY_EACH_floating(X, ) TALLY_EACH_element(X, )
                                      TALLY_EACH_element(X, );
#undef X
  gpu there;
  int found = 0;
  for (auto const& info : aggregates())
    for (std::size_t in = 0; in < dtype_names.size(); ++in)
      for (std::size_t out = 0; out < dtype_names.size(); ++out) {
        scan const s{any_aggregate(info.name), dtype(in), dtype(out), false, {}};
        if (!can_scan_on_gpu(s.op, s.in, s.out)) continue;
        EXPECT_TRUE(can_scan(s.op, s.in, s.out));
        ++found;
        for (data which : inputs_for(s))
          for (std::size_t n : {0, 1, 2, 33, 5119, 20481, 100003})
            expect_bits_of_the_cpu(there, s, values(s.in, which, n));
      }
  EXPECT_EQ(found, kernels);
}

TEST(dynamic_on_a_gpu, scans_that_round_are_the_same_in_every_run) {
  gpu there;
  for (dtype type : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
    scan const s{any_aggregate("fast_sum"), type, type, false, {}};
    auto const in = values(type, data::any_bits, 1000001);
    auto const first = on_gpu(there, s, in);
    for (int run = 0; run < 5; ++run) EXPECT_EQ(on_gpu(there, s, in), first) << name(type);
  }
}

TEST(dynamic_on_a_gpu, scans_run_where_the_array_lies_and_in_its_place) {
  gpu there;
  auto where = best();
  scan s{any_aggregate("sum"), dtype::int32, dtype::int32, false, {.reverse = true}};
  auto const in = values(s.in, data::any_bits, 30001);
  auto const want = on_cpu(s, in);
  gpu_output const room(there, in.size());
  auto* const data = room.as<std::byte>().data();
  any_number total;
  for (any_number* const wanted : {&total, (any_number*)nullptr}) {
    s.options.total = wanted;
    there.synchronise();
    check(cudaMemcpy(data, in.data(), in.size(), cudaMemcpyHostToDevice));
    s.run(where, data, data, 30001);
    EXPECT_EQ(where.ran(), "gpu:0");
    bytes results(in.size());
    room.read(0, results);
    EXPECT_EQ(results, want.results);
  }
  EXPECT_EQ(total, want.total);
}

TEST(dynamic_on_a_gpu, a_scan_without_a_total_can_be_captured) {
  own_stream const stream;
  gpu there{.stream = stream};
  scan s{any_aggregate("sum"), dtype::float32, dtype::float64, true, {}};
  auto const in = values(s.in, data::any_bits, 20481);
  gpu_copy copy(there, in.size());
  gpu_output const room(there, 2 * in.size());
  auto const* const from = copy.as<std::byte>().data();
  auto* const to = room.as<std::byte>().data();
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  s.run(there, from, to, 20481);
  any_number total;
  s.options.total = &total;
  auto const failure = failure_of([&] { s.run(there, from, to, 20481); });
  check(cudaStreamEndCapture(stream, &graph));
  EXPECT_TRUE(failure.starts_with("gpu: a value cannot be returned from a capture")) << failure;
  check(cudaGraphInstantiate(&replay, graph, 0));
  copy.append(in);
  check(cudaGraphLaunch(replay, stream));
  bytes results(2 * in.size());
  room.read(0, results);
  EXPECT_EQ(results, on_cpu(s, in).results);
  check(cudaGraphExecDestroy(replay));
  check(cudaGraphDestroy(graph));
}

std::vector<any_number> numbers(any_result const& result) {
  std::vector<any_number> all;
  for (auto const& one : result) all.push_back(one.value);
  return all;
}

// `in` is one array or, for an aggregate of pairs, two of half the size.
void expect_bits_of_the_cpu(gpu& there, bound_aggregate const& op, bytes const& in) {
  gpu_copy copy(there);
  copy.append(in);
  bool const pairs = op.info().of_pairs;
  std::size_t const n = in.size() / size_of(op.elements()) / (pairs ? 2 : 1);
  auto const array = [&](std::byte const* data, std::size_t which) {
    return any_array(op.elements(), data + which * n * size_of(op.elements()), n);
  };
  auto const* const far = copy.as<std::byte>().data();
  for (auto nan : {propagate, skip}) {
    reduce_options const how{.nan = nan};
    auto const want = pairs ? reduce(cpu{}, array(in.data(), 0), array(in.data(), 1), op, how)
                            : reduce(cpu{}, array(in.data(), 0), op, how);
    auto const got = pairs ? reduce(there, array(far, 0), array(far, 1), op, how)
                           : reduce(there, array(far, 0), op, how);
    EXPECT_EQ(numbers(got), numbers(want)) << op.info().name << " of " << name(op.elements());
  }
}

TEST(dynamic_on_a_gpu, reductions_have_the_bits_of_the_cpu) {
  gpu there;
  int found = 0;
  for (auto const& info : aggregates())
    for (dtype const type : info.elements) {
      std::vector<std::optional<dtype>> results{std::nullopt};
      for (dtype const as : any_aggregate(info.name).result_types(type)) results.push_back(as);
      for (auto const& as : results) {
        auto const op = any_aggregate(info.name, {.as = as}).on(type);
        if (!op.has_kernel()) continue;
        ++found;
        for (std::size_t n : {2, 66, 20482})
          expect_bits_of_the_cpu(there, op, values(type, data::with_nan, n));
      }
    }
  EXPECT_GT(found, 200);
}

// The values' bytes, and the indices.
std::pair<bytes, std::vector<std::int64_t>> parts_of(any_top_k_result const& found) {
  auto const* const data = static_cast<std::byte const*>(found.values.data);
  return {bytes(data, data + found.values.size * size_of(found.values.type)),
          {found.indices.begin(), found.indices.end()}};
}

TEST(dynamic_on_a_gpu, top_k_has_the_elements_of_the_cpu) {
  gpu there;
  auto where = best();
  for (std::size_t t = 0; t < dtype_names.size(); ++t)
    for (std::size_t n : {1, 66, 20482}) {
      auto const type = dtype(t);
      auto const in = values(type, data::with_nan, n);
      gpu_copy copy(there, in.size());
      copy.append(in);
      any_array const near(type, in.data(), n), far(type, copy.as<std::byte>().data(), n);
      for (auto const order : {largest, smallest})
        for (auto const nan : {propagate, skip}) {
          top_k_options const how{.order = order, .sorted = n != 66, .nan = nan};
          auto const want = parts_of(top_k(cpu{}, near, n / 2 + 1, how));
          EXPECT_EQ(parts_of(top_k(there, far, n / 2 + 1, how)), want) << name(type) << n;
          there.synchronise();
          EXPECT_EQ(parts_of(top_k(where, far, n / 2 + 1, how)), want) << name(type) << n;
          EXPECT_EQ(where.ran(), "gpu:0");
        }
    }
}

TEST(dynamic_on_a_gpu, top_k_into_its_memory_counts_there) {
  gpu there;
  auto const in = values(dtype::float32, data::any_bits, 5000);
  gpu_copy copy(there, in.size());
  copy.append(in);
  gpu_output const best(there, 40), at(there, 80), found(there, 8);
  top_k_into(there, {dtype::float32, copy.as<std::byte>().data(), 5000}, 10,
             {dtype::float32, best.as<std::byte>().data(), 10}, at.as<std::int64_t>(),
             found.as<std::uint64_t>().data());
  auto const want = parts_of(top_k(cpu{}, {dtype::float32, in.data(), 5000}, 10));
  bytes values(40);
  std::vector<std::int64_t> indices(10);
  std::uint64_t count = 0;
  best.read(0, values);
  at.read(0, std::as_writable_bytes(std::span(indices)));
  found.read(0, std::as_writable_bytes(std::span(&count, 1)));
  EXPECT_EQ(std::pair(values, indices), want);
  EXPECT_EQ(count, 10u);
}

}  // namespace
