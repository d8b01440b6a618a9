// SPDX-License-Identifier: Apache-2.0
#include "tally/top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "cpu/top_k_inputs.hpp"
#include "support/failure_of.hpp"
#include "tally/cpu/path_counters.hpp"
#include "tally/dtype.hpp"
#include "tally/error.hpp"
#include "tally/exact/float_format.hpp"

namespace tally {
namespace {

using detail::path;
using detail::path_count;
using support::failure_of;
using top_k_inputs::misleading;
using top_k_inputs::random_floats;

// The order of the contract, spelled out with the types' own comparisons.
template <class T>
bool less(T a, T b) {
  if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
  if constexpr (floating<T>)
    return double(a) < double(b);
  else
    return a < b;
}
template <class T>
bool better(T a, T b, order o) {
  return o == largest ? less(b, a) : less(a, b);
}

// The indices of all elements that count, best first, by a stable sort; in distinct mode, the first
// of each group of equals.
template <class T>
std::vector<std::int64_t> ranked(std::span<T const> in, top_k_options options) {
  std::vector<std::int64_t> at;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (options.nan == propagate || !is_nan(in[i])) at.push_back(std::int64_t(i));
  auto const before = [&](std::int64_t i, std::int64_t j) {
    return better(in[std::size_t(i)], in[std::size_t(j)], options.order);
  };
  if (!options.distinct) {
    std::stable_sort(at.begin(), at.end(), before);
    return at;
  }
  auto const value_before = [&](T a, T b) { return better(a, b, options.order); };
  std::map<T, std::int64_t, decltype(value_before)> first(value_before);
  for (std::int64_t i : at) first.emplace(in[std::size_t(i)], i);
  at.clear();
  for (auto const& [value, i] : first) at.push_back(i);
  return at;
}

template <class T>
void expect_best(std::span<T const> in, std::vector<std::int64_t> best, std::uint64_t k,
                 top_k_options options, top_k_result<T> const& got, std::string const& what) {
  best.resize(std::min<std::uint64_t>(best.size(), k));
  if (!options.sorted) std::sort(best.begin(), best.end());
  ASSERT_EQ(got.indices, best) << what;
  ASSERT_EQ(got.values.size(), best.size()) << what;
  for (std::size_t i = 0; i < best.size(); ++i)
    ASSERT_EQ(bits_of<T>(to_bits(got.values[i])), to_bits(in[std::size_t(best[i])])) << what;
}

template <class T>
std::string describe(char const* input, std::size_t n, std::uint64_t k, top_k_options o,
                     int threads) {
  return std::string(name(dtype_of<T>)) + " " + input + " n=" + std::to_string(n) +
         " k=" + std::to_string(k) + (o.order == largest ? " largest" : " smallest") +
         (o.sorted ? " sorted" : "") + (o.distinct ? " distinct" : "") +
         (o.nan == skip ? " skip" : "") + " threads=" + std::to_string(threads);
}

using source = std::mt19937_64;

template <class T>
T any_bits(source& random) {
  if constexpr (std::is_same_v<T, bool>)
    return random() & 1;
  else
    return from_bits<T>(bits_of<T>(random()));
}

template <class T>
T number(double x) {
  if constexpr (floating<T>)
    return T(x);
  else
    return T(std::int64_t(x));
}

// An array of T, bool included.
template <class T>
class array {
 public:
  array(std::size_t n, std::function<T(std::size_t)> f) : data_(new T[n + 1]), size_(n) {
    for (std::size_t i = 0; i < n; ++i) data_[i] = f(i);
  }
  std::span<T const> span() const { return {data_.get(), size_}; }
  std::span<T> span() { return {data_.get(), size_}; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_;
};

template <class T>
struct input {
  char const* name;
  std::function<array<T>(std::size_t n, source&)> make;
};

template <class T>
std::vector<input<T>> inputs() {
  auto const sorted = [](std::size_t n, source& random, order o) {
    array<T> a(n, [&](std::size_t) { return any_bits<T>(random); });
    std::sort(a.span().begin(), a.span().end(), [o](T x, T y) { return better(x, y, o); });
    return a;
  };
  std::vector<input<T>> all = {
      {"random",
       [](std::size_t n, source& r) {
         return array<T>(n, [&](std::size_t) { return any_bits<T>(r); });
       }},
      {"ascending", [=](std::size_t n, source& r) { return sorted(n, r, smallest); }},
      {"descending", [=](std::size_t n, source& r) { return sorted(n, r, largest); }},
      {"all equal", [](std::size_t n,
                       source&) { return array<T>(n, [](std::size_t) { return number<T>(1); }); }},
      {"few distinct",
       [](std::size_t n, source& r) {
         return array<T>(n, [&](std::size_t) { return number<T>(double(r() % 7)); });
       }},
      {"low 12 bits",
       [](std::size_t n, source& r) {
         return array<T>(n, [&](std::size_t) {
           if constexpr (sizeof(T) == 1) return number<T>(double(r() % 2));
           return from_bits<T>(bits_of<T>(std::uint64_t(0x3f) << (8 * sizeof(T) - 8) | r() % 4096));
         });
       }},
  };
  if constexpr (floating<T>) {
    all.push_back({"NaNs of every kind", [](std::size_t n, source& r) {
                     return array<T>(n, [&](std::size_t) {
                       auto const b = any_bits<T>(r);
                       return r() % 3 ? b
                                      : from_bits<T>(bits_of<T>(to_bits(b) | format<T>::quiet_nan));
                     });
                   }});
    all.push_back({"zeros and infinities", [](std::size_t n, source& r) {
                     return array<T>(n, [&](std::size_t) {
                       std::uint64_t const c = r() % 16;
                       if (c < 2) return infinity<T>(c == 1);
                       return c == 2 ? quiet_nan<T>() : number<T>(c & 1 ? 0.0 : -0.0);
                     });
                   }});
    all.push_back({"nothing but NaN", [](std::size_t n, source&) {
                     return array<T>(n, [](std::size_t) { return quiet_nan<T>(); });
                   }});
  }
  return all;
}

template <class T>
class top_k_of : public testing::Test {};

template <class List>
struct test_types;
template <class... Ts>
struct test_types<type_list<Ts...>> {
  using type = testing::Types<Ts...>;
};

struct type_names {
  template <class T>
  static std::string GetName(int) {
    return std::string(name(dtype_of<T>));
  }
};
TYPED_TEST_SUITE(top_k_of, test_types<element_types>::type, type_names);

// Every combination of options.
template <class T>
std::vector<top_k_options> all_options() {
  std::vector<top_k_options> all;
  for (order o : {largest, smallest})
    for (bool distinct : {false, true})
      for (nan_policy nan : {propagate, skip})
        for (bool sorted : {true, false})
          if (nan == propagate || floating<T>) all.push_back({o, sorted, distinct, nan});
  return all;
}

std::vector<std::uint64_t> interesting_k(std::size_t n) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t k : {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(10),
                          std::size_t(48), std::size_t(384), n / 2, n - 1, n})
    if (k <= n && std::count(all.begin(), all.end(), k) == 0) all.push_back(k);
  return all;
}

template <class T>
void compare_with_stable_sort(input<T> const& kind, std::size_t n, source& random) {
  static constexpr int threads[] = {1, 2, 3, 8};
  auto const values = kind.make(n, random);
  auto const in = std::as_const(values).span();
  std::vector<std::int64_t> best;
  for (auto options : all_options<T>()) {
    if (options.sorted) best = ranked(in, options);  // the unsorted twin comes next
    for (std::uint64_t k : interesting_k(n)) {
      int const team = threads[random() % 4];
      expect_best(in, best, k, options, top_k(cpu{team}, in, k, options),
                  describe<T>(kind.name, n, k, options, team));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(top_k_of, equals_a_stable_sort_on_small_arrays) {
  source random(1);
  for (auto const& kind : inputs<TypeParam>())
    for (std::size_t n : {0, 1, 2, 63, 64, 65, 1000, 2047, 2048, 5000}) {
      compare_with_stable_sort<TypeParam>(kind, n, random);
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(top_k_of, equals_a_stable_sort_around_the_size_where_threads_start) {
  source random(2);
  auto const kinds = inputs<TypeParam>();
  for (std::size_t n : {65535, 65536, 70000}) {
    compare_with_stable_sort<TypeParam>(kinds[random() % kinds.size()], n, random);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(top_k_of, large_arrays_agree_with_a_stable_sort) {
  source random(3);
  std::size_t const n = 200'000;
  for (auto const& kind : inputs<TypeParam>()) {
    auto const values = kind.make(n, random);
    auto const in = std::as_const(values).span();
    top_k_options const options = {random() % 2 ? largest : smallest, random() % 2 == 0,
                                   random() % 4 == 0, random() % 3 ? propagate : skip};
    auto const best = ranked(in, options);
    for (std::uint64_t k : {std::size_t(10), n / 50, n / 2}) {
      int const team = 1 + int(random() % 3);
      expect_best(in, best, k, options, top_k(cpu{team}, in, k, options),
                  describe<TypeParam>(kind.name, n, k, options, team));
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(top_k_of, starts_anywhere_in_memory) {
  source random(4);
  auto const values = inputs<TypeParam>()[0].make(3100, random);
  auto const all = std::as_const(values).span();
  for (std::size_t offset = 0; offset < 70; offset += 3) {
    auto const in = all.subspan(offset, 3000);
    expect_best(in, ranked(in, {}), 100, {}, top_k(cpu{1}, in, 100), "subspan");
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(top_k_of, writes_into_spans_and_only_there) {
  source random(5);
  for (std::size_t n : {100, 5000, 100'000})
    for (auto options : all_options<TypeParam>()) {
      auto const values = inputs<TypeParam>()[random() % 6].make(n, random);
      auto const in = std::as_const(values).span();
      std::uint64_t const k = random() % (n + 1);
      array<TypeParam> to(k + 1, [](std::size_t) { return number<TypeParam>(1); });
      std::vector<std::int64_t> at(k + 1, -7);
      int const team = 1 + int(random() % 3);
      std::uint64_t const count =
          top_k_into(cpu{team}, in, k, to.span().first(k), std::span(at).first(k), options);
      auto const same = top_k(cpu{1}, in, k, options);
      ASSERT_EQ(count, same.indices.size());
      ASSERT_EQ(at[k], -7);
      ASSERT_EQ(to_bits(to.span()[k]), to_bits(number<TypeParam>(1)));
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(at[i], same.indices[i]);
        ASSERT_EQ(to_bits(to.span()[i]), bits_of<TypeParam>(to_bits(same.values[i])));
      }
    }
}

TYPED_TEST(top_k_of, a_stream_in_any_chunks_equals_the_whole) {
  source random(6);
  for (std::size_t n : {0, 1, 500, 20'000, 100'000})
    for (auto options : all_options<TypeParam>()) {
      auto const kinds = inputs<TypeParam>();
      auto const& kind = kinds[random() % kinds.size()];
      auto const values = kind.make(n, random);
      auto const in = std::as_const(values).span();
      std::uint64_t const k = random() % ((random() % 2 ? n : std::min<std::size_t>(n, 100)) + 1);
      int const team = 1 + int(random() % 3);
      top_k_stream<TypeParam> stream(k, options);
      std::size_t const most = random() % 2 ? n + 1 : 5000;
      for (std::size_t at = 0; at < n;) {
        std::size_t const size = std::min(n - at, std::size_t(random() % most));
        stream.add(cpu{team}, in.subspan(at, size));
        at += size;
      }
      ASSERT_EQ(stream.count(), n);
      expect_best(in, ranked(in, options), k, options, std::move(stream).result(),
                  "stream of " + describe<TypeParam>(kind.name, n, k, options, team));
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(top_k_of, streams_merge_in_any_order) {
  source random(7);
  for (int round = 0; round < 30; ++round) {
    std::size_t const n = random() % 20'000, parts = 1 + random() % 6;
    auto const options = all_options<TypeParam>()[random() % all_options<TypeParam>().size()];
    auto const kinds = inputs<TypeParam>();
    auto const& kind = kinds[random() % kinds.size()];
    auto const values = kind.make(n, random);
    auto const in = std::as_const(values).span();
    std::uint64_t const k = random() % (n + 1);
    std::vector<top_k_stream<TypeParam>> streams;
    for (std::size_t p = 0; p < parts; ++p) {
      std::size_t const begin = n * p / parts, end = n * (p + 1) / parts;
      streams.emplace_back(k, options, begin);
      streams.back().add(cpu{1}, in.subspan(begin, end - begin));
    }
    std::shuffle(streams.begin(), streams.end(), random);
    while (streams.size() > 1) {
      std::size_t const left = random() % (streams.size() - 1);
      streams[left].merge(std::move(streams.back()));
      streams.pop_back();
    }
    ASSERT_EQ(streams[0].count(), n);
    expect_best(in, ranked(in, options), k, options, std::move(streams[0]).result(),
                "merge of " + describe<TypeParam>(kind.name, n, k, options, 1));
    if (this->HasFatalFailure()) return;
  }
}

TEST(top_k, a_full_stream_takes_the_least_better_key_and_no_equal_one) {
  for (bool distinct : {false, true}) {
    top_k_options const options = {.distinct = distinct};
    std::vector<std::int32_t> v(1 << 15);  // as many as fill the buffer of a stream
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 2 * std::int32_t(i);
    std::int32_t const worst = v[v.size() - 100];
    v.insert(v.end(), {worst - 1, worst, worst + 1, worst});
    top_k_stream<std::int32_t> stream(100, options);
    for (std::size_t i = 0; i < v.size(); i += 4) stream.add(cpu{1}, std::span(v).subspan(i, 4));
    expect_best<std::int32_t>(v, ranked<std::int32_t>(v, options), 100, options,
                              std::move(stream).result(), "");
  }
}

TEST(top_k, takes_vectors_and_spans) {
  std::vector<float> v = {3, 1, 2};
  std::vector<float> const expected = {3, 2};
  EXPECT_EQ(top_k(cpu{}, v, 2).values, expected);
  EXPECT_EQ(top_k(cpu{}, std::span(v), 2, {.order = largest}).values, expected);
  EXPECT_EQ(top_k(cpu{}, std::span<float const>(v), 2).indices, (std::vector<std::int64_t>{0, 2}));
  std::vector<float> values(2);
  std::vector<std::int64_t> indices(2);
  EXPECT_EQ(top_k_into(cpu{}, std::span<float>(v), 2, std::span(values), std::span(indices)), 2u);
  EXPECT_EQ(values, expected);
  EXPECT_EQ(top_k_into(cpu{}, v, 2, std::span(values), std::span(indices)), 2u);
}

TEST(top_k, more_than_there_are_is_an_error) {
  std::vector<double> const v(5);
  EXPECT_EQ(failure_of([&] { top_k(cpu{}, v, 7); }), "top_k: k = 7 is larger than n = 5");
  EXPECT_EQ(failure_of([&] { top_k(cpu{}, v, ~std::uint64_t(0)); }),
            "top_k: k = 18446744073709551615 is larger than n = 5");
  EXPECT_EQ(failure_of([&] {
              top_k_stream<double> s(7);
              s.add(cpu{}, v);
              std::move(s).result();
            }),
            "top_k: k = 7 is larger than n = 5");
  std::vector<double> values(2);
  std::vector<std::int64_t> indices(3);
  EXPECT_EQ(failure_of(
                [&] { top_k_into(cpu{}, std::span(v), 3, std::span(values), std::span(indices)); }),
            "top_k_into: values has room for 2, k = 3");
  EXPECT_EQ(failure_of([&] {
              top_k_into(cpu{}, std::span(v), 3, std::span(values), std::span(indices).first(0));
            }),
            "top_k_into: values has room for 2, k = 3");
  EXPECT_EQ(failure_of([&] {
              top_k_into(cpu{}, std::span(v), 2, std::span(values), std::span(indices).first(1));
            }),
            "top_k_into: indices has room for 1, k = 2");
  EXPECT_EQ(failure_of([&] { top_k_stream<double>(3).merge(top_k_stream<double>(4)); }),
            "top_k_stream: a stream of k = 4 cannot be merged into one of k = 3");
  EXPECT_EQ(failure_of([&] {
              top_k_stream<double>(3).merge(top_k_stream<double>(3, {.order = smallest}));
            }),
            "top_k_stream: the streams to merge have different options");
  EXPECT_EQ(failure_of([&] { top_k(cpu{-1}, v, 1); }), "cpu: threads = -1 is negative");
}

// Runs one call, compares it with a stable sort, and says how often `which` was taken meanwhile.
template <class T>
std::uint64_t times_taken(path which, std::vector<T> const& in, std::uint64_t k,
                          top_k_options options = {}) {
  std::uint64_t const before = path_count(which);
  auto const got = top_k(cpu{1}, in, k, options);
  expect_best<T>(in, ranked<T>(in, options), k, options, got, "path");
  return path_count(which) - before;
}

TEST(top_k_paths, a_small_array_takes_the_direct_one) {
  EXPECT_EQ(times_taken(path::top_k_direct, random_floats(100), 10), 1);
}

TEST(top_k_paths, few_of_many_are_filtered_in_one_read) {
  EXPECT_EQ(times_taken(path::top_k_filter, random_floats(100'000), 10), 1);
}

TEST(top_k_paths, half_of_many_take_a_band) {
  EXPECT_EQ(times_taken(path::top_k_band, random_floats(1 << 20), 1 << 19), 1);
}

TEST(top_k_paths, common_values_are_counted_not_kept) {
  EXPECT_EQ(times_taken(path::top_k_ties, std::vector<float>(200'000, 1.0f), 10), 1);
  source random(9);
  std::vector<std::int32_t> v(500'000);
  for (auto& x : v) x = std::int32_t(random() % 3);
  for (std::size_t k : {std::size_t(10), v.size() / 3, v.size() / 2, v.size() - 1})
    EXPECT_EQ(times_taken(path::top_k_ties, v, k), 1) << k;
}

TEST(top_k_paths, a_misleading_sample_is_found_out) {
  auto const few = misleading(1 << 18, 4), many = misleading(1 << 19, 16);
  EXPECT_EQ(times_taken(path::top_k_filter_retry, few, 5000), 1);
  EXPECT_EQ(times_taken(path::top_k_radix, few, 5000), 1);
  EXPECT_EQ(times_taken(path::top_k_radix_gather, few, 5000), 1);
  EXPECT_EQ(times_taken(path::top_k_filter_retry, many, 1 << 18), 1);
}

TEST(top_k_paths, histograms_alone_end_in_a_common_value) {
  auto v = misleading(1 << 18, 4);
  for (float& x : v) x = x < 1e9f ? 5.0f : x;
  EXPECT_EQ(times_taken(path::top_k_radix, v, 5000), 1);
}

TEST(top_k_paths, a_sample_that_expects_too_few_runs_out_of_room) {
  std::size_t const n = 1 << 19;
  auto v = random_floats(n);
  std::uint64_t const samples = detail::sample_size(n, 4);
  for (float& x : v) x += 1e9f;
  detail::strata const places(n, samples);
  for (std::uint64_t i = 0; i < samples; ++i) v[places.sample(i)] = float(i);
  EXPECT_EQ(times_taken(path::top_k_filter_retry, v, 100), 1);
}

TEST(top_k_paths, repeats_are_dropped_and_different_values_merged) {
  std::vector<float> v(200'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = float(i % 1000);
  EXPECT_GE(times_taken(path::top_k_seen, v, 1000, {.distinct = true}), v.size() / 2);
  EXPECT_GE(
      times_taken(path::top_k_distinct_merge, random_floats(300'000), 100'000, {.distinct = true}),
      2);
}

TEST(top_k_paths, streams_compact_and_split_over_threads) {
  auto const v = random_floats(300'000);
  for (bool distinct : {false, true})
    for (std::uint64_t k : {10, 150'000}) {
      std::uint64_t const compact = path_count(path::top_k_stream_compact),
                          merge = path_count(path::top_k_distinct_merge),
                          split = path_count(path::top_k_parallel);
      top_k_options const options = {.distinct = distinct};
      top_k_stream<float> stream(k, options);
      stream.add(cpu{3}, v);
      expect_best<float>(v, ranked<float>(v, options), k, options, std::move(stream).result(),
                         "stream");
      EXPECT_EQ(path_count(path::top_k_stream_compact) > compact, !distinct);
      EXPECT_EQ(path_count(path::top_k_distinct_merge) > merge, distinct);
      EXPECT_EQ(path_count(path::top_k_parallel) - split, k == 10 ? 1 : 0);
    }
}

}  // namespace
}  // namespace tally
