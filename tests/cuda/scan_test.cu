// SPDX-License-Identifier: Apache-2.0
//
// Scans by the public calls: the bits of the CPU.
#include "tally/gpu/scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/gpu_aggregates.cuh"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

enum class data { any_bits, normal, wide, ties, decided_ties, cancelling };
template <class T>
T value_of(data which, std::uint64_t i) {
  std::uint64_t const r = mixed(i + 1);
  if constexpr (!floating<T>) {
    return T(r);
  } else {
    double const unit = double(std::int64_t(r) >> 11) * 0x1p-52;
    switch (which) {
      case data::any_bits: break;
      case data::normal: return convert<T>(unit + double(std::int64_t(r << 21) >> 11) * 0x1p-52);
      case data::wide: return convert<T>(std::ldexp(unit, int(r % 80) - 40));
      case data::ties: return convert<T>(i == 0 ? double(1 << format<T>::precision % 30) : 0.5);
      case data::decided_ties: {  // all half-way, but for a tiny element now and then
        if (i == 0) return convert<T>(std::ldexp(1.0, format<T>::precision));
        if (i == 1) return convert<T>(1.0);
        bool const up = i / 997 % 2;
        if (i % 997 == 0) return from_bits<T>(bits_of<T>(up ? 1 : format<T>::sign | 1));
        return convert<T>(i % 2 ? 2.0 : -2.0);
      }
      case data::cancelling:
        return convert<T>(std::ldexp(double(mixed(i / 2) >> 11), int(i / 2 % 20)) *
                          (i % 2 ? -1 : 1));
    }
    T const x = from_bits<T>(bits_of<T>(r));
    return is_finite(x) ? x : T{};
  }
}
template <class T>
std::vector<T> values(data which, std::size_t n) {
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = value_of<T>(which, i);
  return out;
}

// Of an input for cores, and of the same for the GPU.
template <class Out, class Op, class Host, class Device>
void expect_bits_of(gpu& there, Op const& op, Host const& host, Device const& device, std::size_t n,
                    bool exclusive, scan_options<Out> options) {
  std::vector<Out> want(n);
  Out want_total{};
  options.total = &want_total;
  exclusive ? exclusive_scan(cpu{}, host, want, op, options)
            : inclusive_scan(cpu{}, host, want, op, options);
  device_array<Out> out(n + 1);
  out.fill_bytes(0xa5);
  options.total = out.data() + n;
  std::span<Out> const to(out.data(), n);
  exclusive ? exclusive_scan(there, device, to, op, options)
            : inclusive_scan(there, device, to, op, options);
  there.synchronise();
  auto const got = out.to_host();
  for (std::size_t i = 0; i < n; ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(Out)) != 0) {
      ADD_FAILURE() << "element " << i << " of " << n << (exclusive ? ", exclusive" : "")
                    << (options.reverse ? ", reverse" : "") << (options.init ? ", init" : "");
      break;
    }
  EXPECT_EQ(std::memcmp(&got[n], &want_total, sizeof(Out)), 0) << n;
}

template <class In, class Out, class Op>
void expect_bits_of_the_cpu(gpu& there, Op const& op, std::vector<In> const& in, bool exclusive,
                            scan_options<Out> const& options) {
  device_array<In> const x(in);
  expect_bits_of<Out>(there, op, in, std::span<In const>(x.data(), in.size()), in.size(), exclusive,
                      options);
}

constexpr std::size_t sizes[] = {0, 1, 33, 5119, 5120, 20481, 65536, 1000003};

template <class In, class Out, class Op>
void expect_all(gpu& there, Op const& op, Out init) {
  for (std::size_t n : sizes)
    for (int shape = 0; shape < 8; ++shape) {
      scan_options<Out> options{.reverse = (shape & 2) != 0};
      if (shape & 4) options.init = init;
      expect_bits_of_the_cpu<In, Out>(there, op, values<In>(data::any_bits, n), shape & 1, options);
    }
}

template <class T>
struct integer_scans_on_a_gpu : ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(integer_scans_on_a_gpu, integers);

TYPED_TEST(integer_scans_on_a_gpu, have_the_bits_of_the_cpu) {
  gpu there;
  expect_all<TypeParam>(there, sum{}, TypeParam(7));
  if constexpr (sizeof(TypeParam) < 8) expect_all<TypeParam>(there, sum{}, widest<TypeParam>(7));
  expect_all<TypeParam>(there, minimum{}, TypeParam(7));
  expect_all<TypeParam>(there, maximum{}, TypeParam(7));
}

template <class T>
struct float_scans_on_a_gpu : ::testing::Test {};
using floats = ::testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(float_scans_on_a_gpu, floats);

TYPED_TEST(float_scans_on_a_gpu, of_sums_have_the_bits_of_the_cpu) {
  using T = TypeParam;
  gpu there;
  expect_all<T>(there, sum{}, convert<T>(0.5));
  for (data which : {data::normal, data::wide, data::ties, data::cancelling})
    for (std::size_t n : {std::size_t(1000), std::size_t(1) << 22}) {
      expect_bits_of_the_cpu<T, T>(there, sum{}, values<T>(which, n), false, {});
      expect_bits_of_the_cpu<T, T>(there, sum{}, values<T>(which, n), true, {.reverse = true});
    }
}
TYPED_TEST(float_scans_on_a_gpu, of_sums_see_tiny_elements_that_decide_ties) {
  using T = TypeParam;
  gpu there;
  for (std::size_t n : {1000, 200000}) {
    auto in = values<T>(data::decided_ties, n);
    expect_bits_of_the_cpu<T, T>(there, sum{}, in, false, {});
    std::ranges::reverse(in);
    expect_bits_of_the_cpu<T, T>(there, sum{}, in, true, {.reverse = true});
  }
}
TYPED_TEST(float_scans_on_a_gpu, of_sums_are_rounded_to_any_type) {
  gpu there;
  auto const in = values<TypeParam>(data::wide, 300000);
  expect_bits_of_the_cpu<TypeParam, float16>(there, sum{}, in, false, {});
  expect_bits_of_the_cpu<TypeParam, bfloat16>(there, sum{}, in, false, {});
  expect_bits_of_the_cpu<TypeParam, float>(there, sum{}, in, false, {});
  expect_bits_of_the_cpu<TypeParam, double>(there, sum{}, in, false, {});
}
TYPED_TEST(float_scans_on_a_gpu, end_with_the_sum) {
  gpu there;
  auto const in = values<TypeParam>(data::normal, 3000000);
  device_array<TypeParam> x(in);
  device_array<TypeParam> out(in.size());
  inclusive_scan(there, std::span(x.data(), in.size()), std::span(out.data(), in.size()), sum{});
  there.synchronise();
  auto const last = out.to_host().back(), total = reduce(cpu{}, in, sum{});
  EXPECT_EQ(to_bits(last), to_bits(total));
}
TYPED_TEST(float_scans_on_a_gpu, of_extrema_have_the_bits_of_the_cpu) {
  gpu there;
  auto in = values<TypeParam>(data::any_bits, 70000);
  in[20000] = quiet_nan<TypeParam>();
  for (auto nan : {propagate, skip}) {
    expect_bits_of_the_cpu<TypeParam, TypeParam>(there, minimum{}, in, false, {.nan = nan});
    expect_bits_of_the_cpu<TypeParam, TypeParam>(there, maximum{}, in, true,
                                                 {.reverse = true, .nan = nan});
    expect_bits_of_the_cpu<TypeParam, TypeParam>(there, sum{}, in, false, {.nan = nan});
  }
}
TYPED_TEST(float_scans_on_a_gpu, that_round_are_the_same_in_every_run) {
  gpu there;
  std::size_t const n = 5000000;
  device_array<TypeParam> x(values<TypeParam>(data::normal, n));
  device_array<TypeParam> out(n);
  std::vector<TypeParam> first;
  for (int run = 0; run < 5; ++run) {
    inclusive_scan(there, std::span(x.data(), n), std::span(out.data(), n), fast_sum{});
    there.synchronise();
    auto const now = out.to_host();
    if (run == 0) first = now;
    EXPECT_EQ(std::memcmp(now.data(), first.data(), n * sizeof(TypeParam)), 0);
  }
}

// Computed inputs.
struct flip_sign {
  template <class T>
  TALLY_FN T operator()(T const& x) const {
    return from_bits<T>(bits_of<T>(to_bits(x) ^ format<T>::sign));
  }
};
struct first_unless_zero {
  template <class T>
  TALLY_FN T operator()(zipped<T, T> const& x) const {
    return to_bits(x.first) == 0 ? x.second : x.first;
  }
};
struct linear_map {  // x -> scale x + offset, modulo 2^32
  unsigned scale, offset;
};
struct as_map {
  TALLY_FN linear_map operator()(zipped<unsigned, unsigned> const& x) const {
    return {x.first, x.second};
  }
};
struct composed {
  TALLY_FN linear_map operator()(linear_map const& a, linear_map const& b) const {
    return {a.scale * b.scale, a.offset * b.scale + b.offset};
  }
};

TYPED_TEST(float_scans_on_a_gpu, take_inputs_that_are_computed) {
  using T = TypeParam;
  gpu there;
  for (data which : {data::wide, data::decided_ties, data::any_bits})
    for (std::size_t n : {0, 33, 5121, 200000}) {
      auto const a = values<T>(which, n);
      auto b = values<T>(data::normal, n);
      for (std::size_t i = 0; i < n; i += 3) b[i] = T{};
      device_array<T> const x(a), y(b);
      std::span<T const> const on_a(x.data(), n), on_b(y.data(), n);
      for (bool backwards : {false, true}) {
        scan_options<T> const options{.reverse = backwards};
        expect_bits_of<T>(there, sum{}, transform(a, flip_sign{}), transform(on_a, flip_sign{}), n,
                          backwards, options);
        expect_bits_of<T>(there, sum{}, transform(zip(b, a), first_unless_zero{}),
                          transform(zip(on_b, on_a), first_unless_zero{}), n, backwards, options);
        expect_bits_of<T>(there, maximum{}, transform(a, flip_sign{}), transform(on_a, flip_sign{}),
                          n, false, options);
      }
    }
}

TEST(users_scans_on_a_gpu, take_zipped_arrays) {
  gpu there;
  for (std::size_t n : {1, 4000, 300000}) {
    auto const a = values<unsigned>(data::any_bits, n);
    auto b = a;
    std::ranges::reverse(b);
    device_array<unsigned> const x(a), y(b);
    std::span<unsigned const> const on_a(x.data(), n), on_b(y.data(), n);
    for (bool reverse : {false, true})
      expect_bits_of<linear_map>(there, composed{}, transform(zip(a, b), as_map{}),
                                 transform(zip(on_a, on_b), as_map{}), n, false,
                                 {.reverse = reverse});
  }
}

// Two by two matrices modulo 2^32, of which no two commute.
struct matrix {
  unsigned a, b, c, d;
  bool operator==(matrix const&) const = default;
};
struct product_of_matrices {
  TALLY_FN matrix operator()(matrix const& x, matrix const& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
};
TEST(users_scans_on_a_gpu, see_their_operands_in_order) {
  gpu there;
  std::size_t const n = std::size_t(1) << 26;
  std::vector<matrix> in(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const r = mixed(i);
    in[i] = {unsigned(r), unsigned(r >> 32), unsigned(r >> 7), unsigned(r >> 40)};
  }
  for (bool reverse : {false, true}) {
    device_array<matrix> x(in);
    std::span<matrix> const all(x.data(), n);
    inclusive_scan(there, all, all, product_of_matrices{}, {.reverse = reverse});  // in place
    there.synchronise();
    auto const got = x.to_host();
    matrix want{1, 0, 0, 1};
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t const i = reverse ? n - 1 - k : k;
      want = reverse ? product_of_matrices{}(in[i], want) : product_of_matrices{}(want, in[i]);
      wrong += !(got[i] == want);
    }
    EXPECT_EQ(wrong, 0u);
  }
}

TEST(scans_on_a_gpu, may_have_more_than_2_to_the_32_elements) {
  gpu there;
  std::size_t const n = (std::size_t(1) << 32) + 12345;
  device_array<std::int8_t> x(n);
  x.fill_bytes(1);
  std::span<std::int8_t> const all(x.data(), n);
  inclusive_scan(there, all, all, sum{});
  there.synchronise();
  std::vector<std::int8_t> some(100000);
  for (std::size_t first :
       {std::size_t(0), n / 2, (std::size_t(1) << 32) - 90000, n - some.size()}) {
    check(cudaMemcpy(some.data(), x.data() + first, some.size(), cudaMemcpyDeviceToHost));
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < some.size(); ++k) wrong += some[k] != std::int8_t(first + k + 1);
    EXPECT_EQ(wrong, 0u) << first;
  }
}

TEST(scans_on_a_gpu, can_be_replayed_on_new_data) {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    gpu there{.stream = stream};
    std::size_t const n = 300000;
    device_array<float> x(n), out(n);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    inclusive_scan(there, std::span(x.data(), n), std::span(out.data(), n), sum{});
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    std::vector<float> want(n);
    for (int run = 0; run < 1000; ++run) {
      if (run % 250 == 0) {
        std::vector<float> in(n);
        for (std::size_t i = 0; i < n; ++i) in[i] = value_of<float>(data::wide, i + run);
        check(cudaMemcpy(x.data(), in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        check(cudaDeviceSynchronize());
        inclusive_scan(cpu{}, in, want, sum{});
      }
      check(cudaGraphLaunch(ready, stream));
      if (run % 250 > 2) continue;
      check(cudaStreamSynchronize(stream));
      auto const got = out.to_host();
      EXPECT_EQ(std::memcmp(got.data(), want.data(), n * sizeof(float)), 0) << run;
    }
    check(cudaStreamSynchronize(stream));
    check(cudaGraphExecDestroy(ready));
    check(cudaGraphDestroy(graph));
  }
  check(cudaStreamDestroy(stream));
}

__global__ void occupy(long long cycles) {
  long long const begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

TEST(scans_on_a_gpu, run_side_by_side_where_others_leave_little_room) {
  cudaStream_t stream[3];
  for (auto& s : stream) check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  {
    gpu one{.stream = stream[0]}, two{.stream = stream[1]};
    std::size_t const n = 8000000;
    auto const in = values<std::int32_t>(data::any_bits, n);
    std::vector<std::int32_t> want(n);
    inclusive_scan(cpu{}, in, want, sum{});
    device_array<std::int32_t> x(in), a(n), b(n);
    for (int run = 0; run < 20; ++run) {
      a.fill_bytes(0xa5), b.fill_bytes(0xa5);
      check(cudaDeviceSynchronize());
      occupy<<<132 * 2 - run, 1024, 0, stream[2]>>>(2000000);
      inclusive_scan(one, std::span(x.data(), n), std::span(a.data(), n), sum{});
      inclusive_scan(two, std::span(x.data(), n), std::span(b.data(), n), sum{});
      check(cudaDeviceSynchronize());
      EXPECT_EQ(a.to_host(), want);
      EXPECT_EQ(b.to_host(), want);
    }
  }
  for (auto& s : stream) check(cudaStreamDestroy(s));
}

TEST(scans_on_a_gpu, say_what_is_wrong) {
  gpu there;
  device_array<float> x(10), out(9);
  std::span<float> const in(x.data(), 10), to(out.data(), 9);
  EXPECT_EQ(failure_of([&] { inclusive_scan(there, in, to, sum{}); }),
            "inclusive_scan: out has 9 elements, in has 10");
  EXPECT_EQ(failure_of([&] { inclusive_scan(there, in.first(9), in.last(9), sum{}); }),
            "inclusive_scan: out overlaps in without being the same array");
  device_array<matrix> m(3);
  std::span<matrix> const some(m.data(), 3);
  EXPECT_EQ(failure_of([&] { exclusive_scan(there, some, some, product_of_matrices{}); }),
            "exclusive_scan: init is missing, and the operator has no identity");
}

}  // namespace
