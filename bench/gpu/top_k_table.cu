// SPDX-License-Identifier: Apache-2.0
//
// A cell of T4's table: bench-top_k_table K THREADS WHO SECONDS. WHO selects the K greatest of the
// page's 10,000,000 ints, different ones as the page does, or with the equal ones: so often as
// SECONDS allow, once at least. Prints a line of JSON with the milliseconds of each run and whether
// each answer was right, compared with a sort of everything; ends with status 1 if one was not.
// top_k_table.py makes the table.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ladder/data.hpp"
#include "ladder/top_k/insertion.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/tally.hpp"

namespace {

using namespace ladder;
using tally::device_array;

constexpr std::size_t n = 10'000'000;

std::vector<int> page_numbers() {
  auto const bytes = make_input(data::page, element::int32, n);
  auto const* const first = reinterpret_cast<int const*>(bytes.data());
  return {first, first + n};
}

// The page's way on one core, right where it was not: no element is a sentinel.
std::vector<int> by_insertion(std::vector<int> const& in, std::size_t k) {
  std::vector<int> best;
  for (int const x : in) {
    if (std::ranges::find(best, x) != best.end()) continue;
    if (best.size() == k && x < best.back()) continue;
    if (best.size() == k) best.pop_back();
    best.insert(std::ranges::upper_bound(best, x, std::greater{}), x);
  }
  return best;
}

std::vector<int> by_sorting(std::vector<int> in, std::size_t k, bool distinct) {
  std::ranges::sort(in, std::greater{});
  if (distinct) in.erase(std::unique(in.begin(), in.end()), in.end());
  in.resize(std::min(k, in.size()));
  return in;
}

// The page's two launches of blocks of so many threads, an element a thread, on device memory.
class page_kernel {
 public:
  page_kernel(device_array<int> const& in, std::size_t k, unsigned threads) {
    p_.op = operation::maximum, p_.type = element::int32;
    p_.n = n, p_.k = k, p_.distinct = true;
    p_.grid = unsigned((n + threads - 1) / threads), p_.block = threads;
    out_ = device_array<std::byte>(top_k::out_bytes({.indices = false}, p_));
    scratch_ = device_array<std::byte>(top_k::lists_scratch::bytes(p_, p_.grid + 1));
    scratch_.fill_bytes(0);
    p_.in = in.data(), p_.out = out_.data(), p_.scratch = scratch_.data();
  }
  std::vector<int> operator()() const {
    top_k::enqueue_insertion(p_, top_k::all_elements{});
    tally::check(cudaDeviceSynchronize());
    auto const bytes = out_.to_host();
    auto const* const first = reinterpret_cast<int const*>(bytes.data() + 8);
    return {first, first + p_.k};
  }

 private:
  problem p_;
  device_array<std::byte> out_, scratch_;
};

struct cell {
  std::vector<double> ms;
  bool right = true;
};

cell run(double seconds, std::vector<int> const& want, std::function<std::vector<int>()> select) {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t most_runs = 20;
  cell made;
  auto const begin = clock::now();
  do {
    auto const start = clock::now();
    auto const found = select();
    made.ms.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
    made.right = made.right && found == want;
  } while (made.ms.size() < most_runs &&
           std::chrono::duration<double>(clock::now() - begin).count() < seconds);
  return made;
}

cell cell_of(std::string const& who, std::size_t k, unsigned threads, double seconds) {
  auto const in = page_numbers();
  bool const distinct = who != "tally-gpu";
  auto const want = by_sorting(in, k, distinct);
  if (who == "insertion-cpu") return run(seconds, want, [&] { return by_insertion(in, k); });
  if (who == "tally-cpu") {
    tally::top_k_options const options{.distinct = true};
    return run(seconds, want, [&] { return tally::top_k(tally::cpu{}, in, k, options).values; });
  }
  device_array<int> const on_device{std::span(in)};
  if (who == "page-gpu") {
    page_kernel const page(on_device, k, threads);
    return run(seconds, want, [&] { return page(); });
  }
  if (who != "tally-gpu") throw tally::error(who + ": no such column");
  tally::gpu gpu;
  std::span<int const> const x(on_device.data(), n);
  return run(seconds, want, [&] { return tally::top_k(gpu, x, k).values; });
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) throw tally::error("usage: bench-top_k_table K THREADS WHO SECONDS");
  std::string const who = argv[3];
  auto const made = cell_of(who, std::strtoull(argv[1], nullptr, 10),
                            unsigned(std::strtoul(argv[2], nullptr, 10)), std::atof(argv[4]));
  std::printf("{\"k\": %s, \"threads\": %s, \"who\": \"%s\", \"right\": %s, \"ms\": [", argv[1],
              argv[2], who.c_str(), made.right ? "true" : "false");
  for (std::size_t i = 0; i < made.ms.size(); ++i) std::printf("%s%.4g", i ? ", " : "", made.ms[i]);
  std::printf("]}\n");
  return made.right ? 0 : 1;
} catch (std::exception const& failure) {
  std::fprintf(stderr, "bench-top_k_table: %s\n", failure.what());
  return 2;
}
