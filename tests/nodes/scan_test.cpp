// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/scan.hpp"

#include <cstring>

#include "cpu/operators.hpp"
#include "support/failure_of.hpp"
#include "support/slices.hpp"
#include "support/state_cases.hpp"

namespace {

using namespace tally;
using operators::affine, operators::then, operators::weighted;
using support::failure_of, support::slice_of;

// Elements or results of a scan; a vector of bools would be no array.
template <class T>
class array {
 public:
  explicit array(std::size_t n) : memory_(n) {}
  explicit array(std::vector<T> const& x) : memory_(x.begin(), x.end()) {}
  std::span<T> all() { return {reinterpret_cast<T*>(memory_.data()), memory_.size()}; }
  bool operator==(array const& other) const {
    return std::ranges::equal(std::as_bytes(std::span(memory_)),
                              std::as_bytes(std::span(other.memory_)));
  }

 private:
  detail::values_of<T> memory_;
};

template <class Where, class In, class Out, class Op>
void scan(Where&& where, bool exclusive, In const& in, std::span<Out> out, Op const& op,
          scan_options<Out> const& how) {
  exclusive ? exclusive_scan(where, in, out, op, how) : inclusive_scan(where, in, out, op, how);
}

// Results and totals of slices are those of one call, or its error is all ranks'.
template <class In, class Out, class Op>
void expect_one_call(int size, std::vector<In> const& given, Op const& op, bool exclusive,
                     scan_options<Out> how) {
  array<In> x(given);
  auto const n = given.size();
  array<Out> want(n), got(n);
  Out total{};
  how.total = &total;
  auto const failure = failure_of([&] { scan(cpu{1}, exclusive, x.all(), want.all(), op, how); });
  run_ranks(size, [&](communicator& ranks) {
    Out sum_of_all{};
    auto own = how;
    own.total = &sum_of_all;
    auto const from = slice_of(ranks, x.all());
    auto const to = slice_of(ranks, got.all());
    EXPECT_EQ(failure_of([&] { scan(distributed{ranks, cpu{2}}, exclusive, from, to, op, own); }),
              failure);
    EXPECT_EQ(std::memcmp(&sum_of_all, &total, sizeof total), 0) << n << " by " << size;
    if constexpr (sizeof(In) == sizeof(Out)) {
      auto const same = std::span(reinterpret_cast<Out*>(from.data()), from.size());
      EXPECT_EQ(
          failure_of([&] { scan(distributed{ranks, cpu{2}}, exclusive, from, same, op, own); }),
          failure);
      bool const scanned = failure == "nothing was thrown";
      EXPECT_TRUE(!scanned || std::ranges::equal(std::as_bytes(same), std::as_bytes(to)));
    }
  });
  EXPECT_EQ(got == want, true) << n << " by " << size << (exclusive ? ", exclusive" : "")
                               << (how.reverse ? ", reverse" : "") << (how.init ? ", init" : "");
}

template <class Out, class In, class Op>
void expect_one_call(std::vector<In> const& x, Op const& op) {
  for (int const size : {1, 3, 8})
    for (bool const exclusive : {false, true})
      for (bool const reverse : {false, true})
        for (auto const nan : {propagate, skip}) {
          scan_options<Out> how{.reverse = reverse, .nan = nan};
          expect_one_call(size, x, op, exclusive, how);
          In const last = x.empty() ? In{} : x.back();
          if constexpr (floating<In>)
            how.init = convert<Out>(double(last));
          else
            how.init = Out(last);
          expect_one_call(size, x, op, exclusive, how);
        }
}

template <class T>
struct scans_of_ranks : ::testing::Test {};
using all_types =
    ::testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(scans_of_ranks, all_types);

TYPED_TEST(scans_of_ranks, have_the_bits_of_one_call) {
  using T = TypeParam;
  for (std::size_t const n : {0, 1, 5, 1000})
    for (bool const any : {false, true}) {
      auto const x = support::state_values<T>(n, any, unsigned(n));
      expect_one_call<T>(x, sum{});
      expect_one_call<T>(x, minimum{});
      expect_one_call<T>(x, maximum{});
      if constexpr (integer<T>) {
        expect_one_call<std::int16_t>(x, sum{});
        expect_one_call<std::uint64_t>(x, fast_sum{});
      } else {
        expect_one_call<float>(x, sum{});
        expect_one_call<double>(x, sum{});
      }
      if constexpr (std::is_same_v<T, std::int64_t>) expect_one_call<T>(x, product{});
    }
}

// Where the order of additions does not matter, as all are exact.
TYPED_TEST(scans_of_ranks, of_ordered_aggregates_have_every_element_once) {
  using T = TypeParam;
  if constexpr (floating<T>) {
    std::vector<T> few, signs;
    for (int i = 0; i < 100; ++i)
      few.push_back(convert<T>(double(i % 3))), signs.push_back(convert<T>(i % 3 ? 1.0 : -1.0));
    expect_one_call<T>(few, fast_sum{});
    expect_one_call<T>(signs, product{});
  }
}

TEST(ordered_scans_of_ranks, give_the_same_bits_again) {
  auto const x = support::state_values<float>(100000, false, 1);
  auto const run = [&](int threads) {
    std::vector<float> out(x.size());
    run_ranks(3, [&](communicator& ranks) {
      inclusive_scan(distributed{ranks, cpu{threads}}, slice_of(ranks, std::span(x)),
                     slice_of(ranks, std::span(out)), fast_sum{});
    });
    return out;
  };
  auto const first = run(1);
  EXPECT_EQ(first, run(1));
  EXPECT_EQ(first, run(3));
}

// No state of theirs has a form as bytes.
TEST(scans_of_ranks, keep_the_order_of_operands) {
  for (std::uint32_t const n : {0, 1, 2, 40000}) {
    auto const x = operators::random_affine(n);
    for (int const size : {1, 2, 5, 8})
      for (bool const exclusive : {false, true})
        for (bool const reverse : {false, true}) {
          scan_options<affine> how{.reverse = reverse};
          expect_one_call(size, x, then{}, exclusive, how);  // exclusive: fails on all alike
          how.init = affine{3, 5};
          expect_one_call(size, x, then{}, exclusive, how);
        }
  }
}

TEST(scans_of_ranks, see_the_indices_of_the_whole_array) {
  expect_one_call<std::uint64_t>(support::state_values<std::uint64_t>(300, true, 2),
                                 weighted<std::uint64_t>{});
}

TEST(scans_of_ranks, of_what_is_computed) {
  auto const x = support::state_values<float>(700, true, 4);
  auto const halved = [](float v) { return double(v) / 2; };
  std::vector<double> want(700), got(700), more(700);
  inclusive_scan(cpu{}, transform(x, halved), want, sum{}, {.init = 1.0, .reverse = true});
  run_ranks(5, [&](communicator& ranks) {
    auto const where = best();
    auto const own = slice_of(ranks, std::span(x));
    scan_options<double> const how{.init = 1.0, .reverse = true};
    inclusive_scan(distributed{ranks, cpu{}}, transform(own, halved),
                   slice_of(ranks, std::span(got)), sum{}, how);
    inclusive_scan(distributed{ranks, where}, transform(own, halved),
                   slice_of(ranks, std::span(more)), sum{}, how);
    EXPECT_EQ(where.ran(), "cpu");
  });
  EXPECT_EQ(std::memcmp(got.data(), want.data(), 700 * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(more.data(), want.data(), 700 * sizeof(double)), 0);
}

TEST(scanners_of_ranks, go_on_from_array_to_array) {
  auto const x = support::state_values<float>(900, true, 3);
  for (bool const reverse : {false, true}) {
    std::vector<float> want(900), got(900);
    inclusive_scan(cpu{}, x, want, sum{}, {.init = 2.f, .reverse = reverse});
    run_ranks(4, [&](communicator& ranks) {
      scanner<float, float, sum> all({}, {.init = 2.f, .reverse = reverse}, reverse ? 900 : 0);
      for (std::size_t const at : {0, 300, 600}) {
        auto const from = reverse ? 600 - at : at;
        auto const part = slice_of(ranks, std::span(x).subspan(from, 300));
        distributed const where{ranks, cpu{}};
        if (at == 300)
          all.skip(where, part);
        else
          all.inclusive(where, part, slice_of(ranks, std::span(got).subspan(from, 300)));
      }
      EXPECT_EQ(to_bits(all.total()), to_bits(reverse ? want.front() : want.back()));
      EXPECT_EQ(all.carry().next(), reverse ? 0u : 900u);
    });
    std::fill_n(want.begin() + 300, 300, 0.f);
    EXPECT_EQ(std::memcmp(got.data(), want.data(), 900 * sizeof(float)), 0);
  }
}

TEST(scans_of_ranks, fail_on_all_where_one_fails) {
  std::vector<float> x(3, 1.f);
  run_ranks(3, [&](communicator& ranks) {
    std::vector<float> out(ranks.rank() == 1 ? 2 : 3);
    EXPECT_EQ(failure_of([&] { inclusive_scan(distributed{ranks, cpu{}}, x, out, sum{}); }),
              std::string(ranks.rank() == 1 ? "" : "rank 1: ") +
                  failure_of([&] { inclusive_scan(cpu{}, x, std::span(out).first(2), sum{}); }));
    out.resize(3);
    inclusive_scan(distributed{ranks, cpu{}}, x, out, sum{});  // they go on
    EXPECT_EQ(out[2], float(3 * ranks.rank() + 3));
  });
}

}  // namespace
