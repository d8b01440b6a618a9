// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/agent/plain.cuh"

#include "support/device_reduce.cuh"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/logic.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"

namespace {

using namespace support;
using namespace tally;

// Elements of 8 bytes that a block reads at once, where there are few: not more for a
// multiprocessor than that.
constexpr std::size_t tile = 2048;

// Element by element, from the left.
template <class A>
typename A::result fold(A const& a, std::vector<typename A::element> const& in,
                        nan_policy nan = propagate) {
  auto s = a.identity();
  for (std::size_t i = 0; i < in.size(); ++i)
    if (nan == propagate || !is_nan(in[i])) s = a.combine(s, a.lift(in[i], i));
  return a.lower(s);
}

template <class A>
void expect_fold(A const& a, std::vector<typename A::element> const& in, test_call& call,
                 std::string const& what, int offset = 0, nan_policy nan = propagate) {
  auto const got = run_on_device(a, in, call, nan, offset).result;
  auto const want = fold(a, in, nan);
  EXPECT_EQ(memcmp(&got, &want, sizeof want), 0) << typeid(a).name() << ": " << what;
}

// States of 3, 16 and 40 bytes, of which each part is folded in another way; none of them is what a
// zero among the elements, or a fold once too often, would leave.
template <class Word, int Words>
struct parts_of {
  Word word[Words];
};
template <class Word, int Words>
struct many_folds {
  using element = std::uint64_t;
  using state = parts_of<Word, Words>;
  using result = state;
  static constexpr bool any_order = true;
  TALLY_FN state identity() const {
    state s{};
    for (int k = 1; k < Words; k += 3) s.word[k] = Word(~Word(0));
    return s;
  }
  TALLY_FN state lift(element x, std::uint64_t i) const {
    state s;
    for (int k = 0; k < Words; ++k) s.word[k] = Word(k % 3 == 0 ? x * (k + 1) + i : x >> k | 1);
    return s;
  }
  TALLY_FN state combine(state const& a, state const& b) const {
    state s;
    for (int k = 0; k < Words; ++k) {
      Word const x = a.word[k], y = b.word[k];
      s.word[k] = k % 3 == 0 ? Word(x + y) : k % 3 == 1 ? (x < y ? x : y) : (x < y ? y : x);
    }
    return s;
  }
  TALLY_FN result lower(state const& s) const { return s; }
};

std::vector<std::uint64_t> any_words(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<std::uint64_t> out(n);
  for (auto& x : out) x = random() | 7;
  return out;
}

TEST(folds_on_a_device, are_of_states_of_every_size_in_many_blocks) {
  test_call few(4), many(42);  // multiprocessors
  for (std::size_t const n : {std::size_t(1), std::size_t(77), tile + 1, 3 * tile + 700}) {
    expect_fold(many_folds<std::uint8_t, 3>{}, any_words(n), few, "3 bytes");
    expect_fold(many_folds<std::uint64_t, 2>{}, any_words(n), few, "16 bytes");
    expect_fold(many_folds<std::uint64_t, 5>{}, any_words(n), few, "40 bytes");
    expect_fold(many_folds<std::uint64_t, 9>{}, any_words(n), few, "72 bytes");
  }
  auto const in = any_words(42 * tile - 5);  // 42 blocks
  expect_fold(many_folds<std::uint8_t, 3>{}, in, many, "3 bytes");
  expect_fold(many_folds<std::uint64_t, 2>{}, in, many, "16 bytes");
  expect_fold(many_folds<std::uint64_t, 5>{}, in, many, "40 bytes");
}

TEST(folds_on_a_device, find_what_any_of_many_blocks_has) {
  test_call call(42);
  constexpr std::size_t blocks = 42;
  for (std::size_t const at :
       {std::size_t(0), std::size_t(31), std::size_t(32), std::size_t(33), blocks - 1}) {
    std::vector<double> in(blocks * tile, 2.0);
    in[at * tile + 40 * at] = 1;
    in[(blocks - 1 - at) * tile + 7] = 3;
    auto const what = "in block " + std::to_string(at);
    expect_fold(min_max{}.on<double>(), in, call, what);
    expect_fold(arg_minimum{}.on<double>(), in, call, what);
  }
}

// Two equal elements that are the best, everywhere in a thread, a warp, a block and its vectors,
// and in other blocks, beside the vectors, too: the first is found.
template <class T>
void expect_the_first() {
  test_call call(4);
  constexpr std::size_t each = 16 / sizeof(T), threads = 256;
  constexpr std::size_t warp = each * warp_size, vector = each * threads, block = 4 * vector;
  std::vector<T> const others(2 * block + each + 1, T(2));
  T const zero{}, negative_zero = T(-zero);
  for (std::size_t const first : {std::size_t(0), each + 1, block + vector - 1})
    for (std::size_t const further :
         {std::size_t(1), std::size_t(2), each - 1, each, each + 1, warp - each, warp, warp + 1,
          vector - 1, vector, 2 * vector + each, block - first % each, block,
          others.size() - 1 - first}) {
      if (further == 0 || first + further >= others.size()) continue;
      auto in = others;
      in[first] = further % 2 ? zero : negative_zero;
      in[first + further] = further % 2 ? negative_zero : zero;
      auto const what = std::to_string(first) + " and " + std::to_string(first + further);
      expect_fold(arg_minimum{}.on<T>(), in, call, what, int(first % 3));
      for (T& x : in) x = T(-x);
      expect_fold(arg_maximum{}.on<T>(), in, call, what);
    }
}
TEST(folds_on_a_device, find_the_first_of_two_equal_elements) {
  expect_the_first<float>();
  expect_the_first<std::int16_t>();
}

// What is skipped leaves whole blocks, warps and threads with nothing: no element of theirs, no
// zero in its place.
template <class T>
void expect_what_is_not_skipped() {
  test_call call(4);
  constexpr std::size_t each = 16 / sizeof(T), warp = each * warp_size;
  constexpr std::size_t block = 4 * 8 * warp, size = 3 * block - 1233;
  T const nan = quiet_nan<T>();
  std::vector<std::vector<T>> inputs;
  for (T const sign : {T(1), T(-1)}) {
    auto const put = [&](auto counts) {
      std::vector<T> in(size, nan);
      for (std::size_t i = 0; i < size; ++i)
        if (counts(i)) in[i] = sign * T(3 + i * 7919 % 1001);
      inputs.push_back(in);
    };
    put([](std::size_t i) { return i / block != 0; });
    put([](std::size_t i) { return i / block == 1; });
    put([](std::size_t i) { return i / block == 2 && i % (8 * warp) / warp == 5; });  // a warp
    put([](std::size_t i) { return i == block + 1000; });
    put([](std::size_t i) { return i + 2 >= size; });
    put([](std::size_t i) { return i % 32 == 17; });
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto const all = [&](auto const&... op) {
      (expect_fold(op.template on<T>(), inputs[i], call, "input " + std::to_string(i), 0, skip),
       ...);
    };
    all(minimum{}, maximum{}, arg_minimum{}, arg_maximum{}, min_max{}, count_nonzero{}, all_of{});
    if constexpr (sizeof(T) < 8) all(sum{}, mean{}, tally::norm{});
  }
}
TEST(folds_on_a_device, skip_all_that_a_block_or_a_warp_has) {
  expect_what_is_not_skipped<float>();
  expect_what_is_not_skipped<double>();
}

// Infinities are elements; nothing is not an infinity.
TEST(folds_on_a_device, find_infinities_where_there_is_nothing_else) {
  test_call call(2);
  for (std::size_t const n : {std::size_t(1), std::size_t(4), std::size_t(1000), std::size_t(9000)})
    for (bool const negative : {false, true}) {
      std::vector<float> const in(n, infinity<float>(negative));
      auto const all = [&](auto const&... op) {
        (expect_fold(op.template on<float>(), in, call, std::to_string(n), 1), ...);
        (expect_fold(op.template on<float>(), in, call, std::to_string(n), 1, skip), ...);
      };
      all(minimum{}, maximum{}, arg_minimum{}, arg_maximum{}, min_max{});
    }
}

}  // namespace
