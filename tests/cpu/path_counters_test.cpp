// SPDX-License-Identifier: Apache-2.0
//
// A path that nothing here takes fails: whoever adds one gives it an input.
#include "tally/cpu/path_counters.hpp"

#include <gtest/gtest.h>

#include "cpu/top_k_inputs.hpp"
#include "tally/cpu/instruction_set.hpp"
#include "tally/devices.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using detail::path;
using detail::path_count;
using top_k_inputs::misleading;
using top_k_inputs::random_floats;

// Sums, squares, dot products and prefix sums of tiles that all hold the same few values.
template <class T>
void add_up(std::vector<T> const& values, std::size_t n = 20 * 512) {
  std::vector<T> x(n), out(n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = values[i % 512 % values.size()];
  reduce(cpu{1}, x, sum{});
  reduce(cpu{1}, x, variance{});
  reduce(cpu{1}, zip(x, x), dot{});
  inclusive_scan(cpu{1}, x, out, sum{});
}

void add_up_in_every_way() {
  add_up<float>({1.5, -2.25, 3, 0});
  add_up<float>({0x1p60, 1 + 0x1p-7, 0x1p-60});
  add_up<double>({1, 0x1p-60, 0x1p-79});
  add_up<double>({1, 0x1p-120});
  add_up<float>({1, infinity<float>()});
  add_up<double>({0x1p500, -0x1p500, 0x1p-500});
  add_up<double>({0x1p500, 0x1p-500}, 100);  // so few that no table pays
}

void select_in_every_way() {
  top_k(cpu{1}, random_floats(100), 10);
  top_k(cpu{1}, random_floats(100), 20);
  top_k(cpu{1}, random_floats(100'000), 100);
  top_k(cpu{1}, random_floats(1 << 20), 1 << 19);
  top_k(cpu{1}, std::vector<float>(200'000, 1.0f), 100);
  top_k(cpu{1}, misleading(1 << 18, 4), 5000);
  std::vector<float> repeats(200'000);
  for (std::size_t i = 0; i < repeats.size(); ++i) repeats[i] = float(i % 1000);
  top_k(cpu{1}, repeats, 1000, {.distinct = true});
  top_k(cpu{1}, random_floats(300'000), 100'000, {.distinct = true});
  selector<float> stream(10);
  stream.add(cpu{3}, random_floats(300'000));
}

TEST(path_counters, every_path_is_taken) {
  auto const end = unsigned(path::count_);
  bool const has_avx512 = detail::best_instruction_set() == detail::instruction_set::avx512;
  std::vector<std::uint64_t> before;
  for (unsigned i = 0; i < end; ++i) before.push_back(path_count(path(i)));
  add_up_in_every_way();
  select_in_every_way();
  for (unsigned i = 0; i < end; ++i) {
    if (path(i) == path::scan_integers && !has_avx512) continue;
    EXPECT_GT(path_count(path(i)), before[i]) << "path number " << i;
  }
}

TEST(path_counters, are_told_once) {
  explain_cpu();
  EXPECT_EQ(explain_cpu(), "");
  top_k(cpu{1}, random_floats(100), 10);
  for (int n : {100, 200, 100'000}) top_k(cpu{1}, random_floats(std::size_t(n)), 99);
  EXPECT_EQ(explain_cpu(),
            "1 x selection of few, by insertion; "
            "2 x selection of few elements, by histograms alone; "
            "1 x selection in one read, which keeps what can be among the best");
}

}  // namespace
