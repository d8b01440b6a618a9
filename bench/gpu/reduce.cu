// SPDX-License-Identifier: Apache-2.0
//
// Reductions of whole arrays, beside CUB's on the same memory: cold and warm, several kinds of
// values, every answer compared with the CPU's. Rows are named
// reduce/WHAT/TYPE/2^k/VALUES/cold|warm/WHO.
#include <cstring>
#include <cub/device/device_reduce.cuh>
#include <string>

#include "bench/gpu/options.hpp"
#include "bench/gpu/values.cuh"
#include "tally/gpu_aggregates.cuh"
#include "tally/tally.hpp"

namespace {

using namespace bench;

// enqueue(stream, data) reduces `data`.
template <class T, class Enqueue>
void time(std::string const& id, std::string const& who, timing::rotation const& data,
          std::uint64_t n, Enqueue enqueue) {
  auto const at = [&](std::size_t i) { return reinterpret_cast<T const*>(data[i]); };
  print(id + "/cold/" + who,
        timing::cold_time([&](cudaStream_t s, std::size_t i) { enqueue(s, at(i)); },
                          std::min<std::size_t>(data.calls(), 200), 5),
        n * sizeof(T));
  if (n * sizeof(T) <= 32 << 20)
    print(id + "/warm/" + who,
          timing::warm_time([&](cudaStream_t s, std::size_t) { enqueue(s, at(0)); }, 5),
          n * sizeof(T));
}

template <class R>
bool same(R const& a, R const& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class... Rs>
bool same(tally::results<Rs...> const& a, tally::results<Rs...> const& b) {
  return a == b;  // none of them a NaN
}
template <class T>
bool same(tally::description<T> const& a, tally::description<T> const& b) {
  return a.sum == b.sum && a.mean == b.mean && a.standard_deviation == b.standard_deviation &&
         a.minimum == b.minimum && a.maximum == b.maximum && a.minimum_index == b.minimum_index &&
         a.maximum_index == b.maximum_index;
}

template <class In, class Op>
auto on_cpu(In const& in, Op const& op) {
  return tally::reduce(tally::cpu{}, in, op);
}
template <class In, class... Ops>
auto on_cpu(In const& in, tally::joint<Ops...> const& all) {  // by kernels that the library holds
  return std::apply(
      [&](auto const&... op) {
        return tally::results<decltype(on_cpu(in, op))...>{on_cpu(in, op)...};
      },
      all.ops);
}

// input(data, n) is what of n elements is reduced.
template <class T, class Op, class Peer, class Input>
void compare(std::string const& name, Op op, int log, values which, Peer peer, Input input) {
  std::string const id = "reduce/" + name + "/2^" + std::to_string(log) + "/" + names[int(which)];
  if (!asked.wants(id)) return;
  static kept workspace;
  cudaStream_t const on = timing::own_stream();
  std::uint64_t const n = std::uint64_t(1) << log;
  timing::rotation const data(n * sizeof(T));
  for (std::size_t i = 0; i < std::max<std::size_t>(data.calls(), 1) && i < 1024; ++i)
    tally::launch(fill<T>, 1024, 256, 0, on)(reinterpret_cast<T*>(data[i]), n, which);
  using input_type = decltype(input(static_cast<T const*>(nullptr), n));
  auto const a = tally::detail::bind_reduce<typename input_type::element>(op);
  using A = std::remove_const_t<decltype(a)>;
  using result = typename A::result;
  device_array<result> out(1);
  out.fill_bytes(0, on);  // also the padding of results
  auto const ours = [&](cudaStream_t s, T const* in) {
    tally::detail::reduce_on_gpu(workspace.on(s), a, tally::propagate, input(in, n), out.data(),
                                 nullptr);
  };
  if (asked.once) {
    ours(on, reinterpret_cast<T const*>(data[0]));
    tally::check(cudaDeviceSynchronize());
    bench::print({.id = id, .us = 0, .gb_per_s = 0, .samples = {}});
    return;
  }
  time<T>(id, "tally", data, n, ours);
  ours(on, reinterpret_cast<T const*>(data[0]));
  auto const got = out.to_host(on)[0];
  std::vector<T> host(n);
  tally::check(cudaMemcpyAsync(host.data(), data[0], n * sizeof(T), cudaMemcpyDeviceToHost, on));
  tally::check(cudaStreamSynchronize(on));
  auto const want = on_cpu(input(host.data(), n), op);
  if (!same(got, want)) std::fprintf(stderr, "WRONG: %s\n", id.c_str());
  if (!asked.peers) return;
  peer([&](auto call) {  // call(temporary, bytes, in, n, stream)
    std::size_t bytes = 0;
    call(nullptr, bytes, static_cast<T const*>(nullptr), n, nullptr);
    device_array<unsigned char> temporary(bytes);
    time<T>(id, "cub", data, n, [&](cudaStream_t s, T const* in) {
      std::size_t size = bytes;
      call(temporary.data(), size, in, n, s);
    });
  });
}

template <class T, class Op, class Peer>
void compare(std::string const& name, Op op, int log, values which, Peer peer) {
  compare<T>(name, op, log, which, peer,
             [](T const* in, std::uint64_t n) { return tally::array_input<T>{in, n}; });
}

// The pairs of an array's halves.
template <class T>
void compare_dot(std::string const& name, int log, values which) {
  auto const halves = [](T const* in, std::uint64_t n) {
    using half = tally::array_input<T>;
    return tally::zip_input<half, half>{{in, n / 2}, {in + n / 2, n / 2}};
  };
  compare<T>(name, tally::dot{}, log, which, [](auto) {}, halves);
}

template <class T>
auto cub_sum(device_array<T>& out) {
  return [&out](auto run) {
    run([&](void* t, std::size_t& b, auto in, auto n, cudaStream_t s) {
      tally::check(cub::DeviceReduce::Sum(t, b, in, out.data(), n, s));
    });
  };
}
constexpr auto no_peer = [](auto) {};

}  // namespace

int main(int argc, char** argv) {
  read_options(argc, argv);
  bool const quick = asked.quick, once = asked.once;
  device_array<float> f(4);
  device_array<double> d(4);
  device_array<std::int64_t> l(4);
  auto const cub_min = [&](auto run) {
    run([&](void* t, std::size_t& b, auto in, auto n, cudaStream_t s) {
      tally::check(cub::DeviceReduce::Min(t, b, in, f.data(), n, s));
    });
  };
  auto const cub_arg = [&](auto run) {
    run([&](void* t, std::size_t& b, auto in, auto n, cudaStream_t s) {
      tally::check(cub::DeviceReduce::ArgMin(t, b, in, f.data(), l.data(), n, s));
    });
  };
  auto const cub_wide = [&](auto run) {
    run([&](void* t, std::size_t& b, auto in, auto n, cudaStream_t s) {
      tally::check(cub::DeviceReduce::Reduce(t, b, in, l.data(), n, cuda::std::plus<>{},
                                             std::int64_t(0), s));
    });
  };
  auto const four =
      tally::all_together(tally::sum{}, tally::minimum{}, tally::maximum{}, tally::mean{});
  for (int log : once    ? std::vector{28}
                 : quick ? std::vector{10, 16, 20, 22, 24, 28}
                         : std::vector{10, 14, 16, 18, 20, 22, 24, 26, 28}) {
    compare<float>("fast_sum/float32", tally::fast_sum{}, log, values::normal, cub_sum(f));
    compare<float>("sum/float32", tally::sum{}, log, values::normal, no_peer);
    compare<float>("sum/float32", tally::sum{}, log, values::uniform, no_peer);
    compare<float>("sum/float32", tally::sum{}, log, values::any_bits, no_peer);
    compare<float>("minimum/float32", tally::minimum{}, log, values::normal, cub_min);
    compare<float>("arg_minimum/float32", tally::arg_minimum{}, log, values::normal, cub_arg);
    compare<float>("arg_minimum/float32", tally::arg_minimum{}, log, values::descending, cub_arg);
    compare<float>("mean/float32", tally::mean{}, log, values::normal, no_peer);
    compare<float>("variance/float32", tally::variance{}, log, values::normal, no_peer);
    compare<float>("variance/float32", tally::variance{}, log, values::any_bits, no_peer);
    compare<float>("describe/float32", tally::describe{}, log, values::normal, no_peer);
    compare<float>("describe/float32", tally::describe{}, log, values::any_bits, no_peer);
    compare<float>("all_together/float32", four, log, values::normal, no_peer);
    compare_dot<float>("dot/float32", log, values::normal);
    compare_dot<float>("dot/float32", log, values::any_bits);
  }
  for (int log : once ? std::vector{27} : std::vector{10, 20, 22, 27}) {
    compare<double>("fast_sum/float64", tally::fast_sum{}, log, values::normal, cub_sum(d));
    compare<double>("sum/float64", tally::sum{}, log, values::normal, no_peer);
    compare<double>("sum/float64", tally::sum{}, log, values::any_bits, no_peer);
    compare<double>("variance/float64", tally::variance{}, log, values::normal, no_peer);
    compare<double>("variance/float64", tally::variance{}, log, values::any_bits, no_peer);
    compare<double>("describe/float64", tally::describe{}, log, values::normal, no_peer);
    compare_dot<double>("dot/float64", log, values::normal);
    compare_dot<double>("dot/float64", log, values::any_bits);
  }
  for (int log : once ? std::vector{28} : std::vector{20, 28}) {
    compare<std::uint8_t>("sum/uint8", tally::sum{}, log, values::uniform, cub_wide);
    compare<std::int32_t>("sum/int32", tally::sum{}, log, values::uniform, cub_wide);
    for (values const which : {values::normal, values::any_bits}) {
      compare<tally::float16>("sum/float16", tally::sum{}, log + 1, which, no_peer);
      compare<tally::float16>("variance/float16", tally::variance{}, log + 1, which, no_peer);
      compare<tally::bfloat16>("sum/bfloat16", tally::sum{}, log + 1, which, no_peer);
      compare<tally::bfloat16>("variance/bfloat16", tally::variance{}, log + 1, which, no_peer);
    }
  }
}
