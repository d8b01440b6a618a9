// SPDX-License-Identifier: Apache-2.0
//
// States, carries and selections of a GPU and of cores go on with one another, bit for bit.
#include "tally/gpu/states.hpp"

#include <gtest/gtest.h>

#include <list>

#include "support/state_cases.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/gpu_reduce.cuh"
#include "tally/gpu_states.cuh"

namespace {

using namespace tally;

// Arrays in a GPU's memory, as long as it lives.
struct gpu_place {
  gpu there;
  mutable std::list<device_array<unsigned char>> arrays;

  gpu const& where() const { return there; }
  template <class T>
  std::span<T const> array(T const* x, std::size_t n) const {
    auto const* const bytes = reinterpret_cast<unsigned char const*>(x);
    auto const& made = arrays.emplace_back(std::vector(bytes, bytes + n * sizeof(T)));
    return {reinterpret_cast<T const*>(made.data()), n};
  }
  template <class T>
  std::span<T const> other_array(T const* y, std::size_t n) const {
    return array(y, n);
  }
  std::span<std::int64_t const> offsets(std::vector<std::int64_t> const& all) const {
    return array(all.data(), all.size());
  }
};

template <class T>
struct states_on_a_gpu : ::testing::Test {};
using types = ::testing::Types<float, float16>;
TYPED_TEST_SUITE(states_on_a_gpu, types);

TYPED_TEST(states_on_a_gpu, have_the_bytes_of_those_of_cores) {
  gpu_place place;
  support::expect_all_states<TypeParam>(place);
}

TEST(states_of_a_gpu_and_cores, go_on_with_one_another) {
  gpu_place place;
  for (bool any : {false, true}) {
    auto const x = support::state_values<float>(1000003, any, 1);
    auto const all = all_together(sum{}, fast_sum{}, arg_maximum{}, describe{});
    reducer<float, std::remove_const_t<decltype(all)>> parts(all, {skip});
    parts.add(cpu{}, std::span<float const>(x.data(), 111111));
    parts.add(place.there, place.array(x.data() + 111111, 222222));
    parts.add(best(), place.array(x.data() + 333333, 666670));
    EXPECT_EQ(parts.state().serialise(), reduce(cpu{}, x, as_state{all}, {skip}).serialise());
  }
}

struct half_of_left {
  TALLY_FN float operator()(float a, float b) const { return 0.5f * a + b; }
};

TEST(states_of_a_gpu_and_cores, are_of_operators_of_ones_own) {
  gpu_place place;
  auto const x = support::state_values<float>(300001, false, 2);
  state<half_of_left, float> parts;
  parts.add(place.there, place.array(x.data(), 12345));
  parts.add(cpu{}, std::span<float const>(x.data() + 12345, 54321));
  parts.add(place.there, place.array(x.data() + 66666, 300001 - 66666));
  EXPECT_EQ(parts.serialise(), reduce(cpu{}, x, as_state{half_of_left{}}).serialise());
}

template <class In, class Out, class Op>
void expect_scans(std::vector<In> const& x, Op const& op, bool exclusive, bool reverse) {
  gpu_place place;
  std::size_t const n = x.size();
  std::vector<Out> want(n), got(n);
  scan_options<Out> const options{.init = Out(1), .reverse = reverse};
  auto const scan = [&](auto& all, auto const& where, auto const& in, auto&& out) {
    exclusive ? all.exclusive(where, in, out) : all.inclusive(where, in, out);
  };
  scanner<In, Out, Op> whole(op, options, reverse ? n : 0), parts(op, options, reverse ? n : 0);
  scan(whole, cpu{}, std::span<In const>(x), std::span<Out>(want));
  std::size_t const cuts[] = {0, n / 7, n / 2, n / 2 + 1, n};
  for (int k = 0; k < 4; ++k) {
    int const i = reverse ? 3 - k : k;
    std::size_t const size = cuts[i + 1] - cuts[i];
    if (i % 2) {
      device_array<Out> const out(size);
      scan(parts, place.there, place.array(x.data() + cuts[i], size),
           std::span<Out>(out.data(), size));
      auto const found = out.to_host();
      std::copy(found.begin(), found.end(), got.begin() + std::ptrdiff_t(cuts[i]));
    } else {
      scan(parts, cpu{}, std::span<In const>(x.data() + cuts[i], size),
           std::span<Out>(got.data() + cuts[i], size));
    }
    auto const sent = scan_carry<In, Out, Op>::deserialise(parts.carry().serialise());
    parts = scanner<In, Out, Op>(sent, op);
  }
  EXPECT_EQ(std::memcmp(got.data(), want.data(), n * sizeof(Out)), 0);
  EXPECT_EQ(parts.carry(), whole.carry());
}

TEST(scans_of_a_gpu_and_cores, go_on_with_one_another) {
  for (std::size_t n : {100, 100000, 5000000})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true}) {
        auto const floats = support::state_values<float>(n, false, unsigned(n));
        std::vector<float> wide(floats);
        for (std::size_t i = 0; i < n; ++i)
          wide[i] = std::ldexp(floats[i], int(i * 37 % 200) - 100);
        expect_scans<float, float>(floats, sum{}, exclusive, reverse);
        expect_scans<float, float>(wide, sum{}, exclusive, reverse);
        expect_scans<float, double>(wide, sum{}, exclusive, reverse);
        expect_scans<double, double>(support::state_values<double>(n, false, 3), sum{}, exclusive,
                                     reverse);
        expect_scans<std::int8_t, std::int8_t>(support::state_values<std::int8_t>(n, false, 4),
                                               sum{}, exclusive, reverse);
        expect_scans<std::int32_t, std::int32_t>(support::state_values<std::int32_t>(n, false, 5),
                                                 maximum{}, exclusive, reverse);
      }
}

TEST(selections_of_a_gpu_and_cores, go_on_with_one_another) {
  gpu_place place;
  for (bool any : {false, true})
    for (bool distinct : {false, true})
      for (std::uint64_t k : {0, 1, 10, 1000}) {
        auto const x = support::state_values<float>(200000, any, unsigned(k));
        top_k_options const options{.distinct = distinct, .nan = any ? skip : propagate};
        selector<float> parts(k, options), whole(k, options);
        whole.add(cpu{}, x);
        parts.add(cpu{}, std::span<float const>(x.data(), 333));
        parts.add(place.there, place.array(x.data() + 333, 99667));
        selector<float> rest(top_k_state<float>::deserialise(parts.state().serialise()));
        rest.add(best(), place.array(x.data() + 100000, 100000));
        EXPECT_EQ(rest.state().serialise(), whole.state().serialise());
      }
}

}  // namespace
