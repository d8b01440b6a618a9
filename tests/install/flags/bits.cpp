// SPDX-License-Identifier: Apache-2.0
//
// The bits of many calls, a line each: the same for every compiler and all flags that a user's
// source may have.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tally/tally.hpp>
#include <vector>

namespace {

using namespace tally;

template <class R>
void print(char const* name, R const& result) {
  unsigned char bytes[sizeof(R)];
  std::memcpy(bytes, &result, sizeof bytes);
  std::printf("%s ", name);
  for (unsigned char const b : bytes) std::printf("%02x", b);
  std::puts("");
}

template <class T>
void print(char const* name, std::vector<T> const& all) {
  std::uint64_t digest = 14695981039346656037u;
  for (T const x : all) digest = (digest ^ std::uint64_t(to_bits(x))) * 1099511628211u;
  print(name, digest);
}

// Of many magnitudes, which cancel: what is not exact shows.
template <class T>
std::vector<T> values(std::size_t n) {
  std::vector<T> out(n);
  std::uint64_t state = n;
  for (T& x : out) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::uint64_t const random = state >> 16;
    if constexpr (floating<T>) {
      std::uint64_t const sign = random >> 47 << 63, exponent = 1013 + random % 20;
      x = convert<T>(from_bits<double>(sign | exponent << 52 | (random << 5 & ~0ull >> 12)));
    } else {
      x = T(random);
    }
  }
  return out;
}

template <class T>
void calls(char const* type) {
  std::printf("%s\n", type);
  cpu const here{.threads = 2};
  for (std::size_t const n : {0, 1, 3, 1000, 100'003}) {
    auto const x = values<T>(n), y = values<T>(n + 1);
    std::span<T const> const other(y.data(), n);
    print("sum", reduce(here, x, sum{}));
    print("fast_sum", reduce(here, x, fast_sum{}));
    print("product", reduce(here, x, product{}));
    print("count_nonzero", reduce(here, x, count_nonzero{}));
    print("sum_of_squares", reduce(here, x, sum_of_squares{}));
    print("norm", reduce(here, x, norm{}));
    print("dot", reduce(here, zip(x, other), dot{}));
    print("sum of squares", reduce(here, transform(x, square{}), sum{}));
    std::vector<T> scanned(n);
    inclusive_scan(here, x, scanned, sum{});
    print("scan", scanned);
    auto const best = top_k(here, x, n / 3);
    print("top_k", best.values);
    print("indices", best.indices);
    if (n == 0) continue;
    auto const [total, middle, spread, ends, first] =
        reduce(here, x, all_together(sum{}, mean{}, variance{1}, min_max{}, arg_minimum{}));
    print("total", total), print("mean", middle), print("variance", spread);
    print("minimum", ends.minimum), print("maximum", ends.maximum), print("first", first);
    print("deviation", reduce(here, x, describe{}).standard_deviation);
    reducer<T, sum> parts;
    parts.add(here, std::span<T const>(x).first(n / 2));
    parts.add(here, std::span<T const>(x).subspan(n / 2));
    print("in parts", parts.result());
    if constexpr (floating<T>) {
      print("state", reduce(here, x, sum_state{}).template result<double>());
      print("as double", reduce(here, x, mean{}.template as<double>()));
      print("as float16", reduce(here, x, sum{}.template as<float16>()));
    }
  }
}

}  // namespace

int main() {
  calls<float>("float32");
  calls<double>("float64");
  calls<float16>("float16");
  calls<bfloat16>("bfloat16");
  calls<std::int32_t>("int32");
  calls<std::uint8_t>("uint8");
}
