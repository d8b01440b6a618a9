// SPDX-License-Identifier: Apache-2.0
//
// The bits of random calls, a line each: of every aggregate, element type, scan and top-k, on
// inputs of many kinds and sizes, at once and in pieces. Built from two versions of the library, it
// shows whether one gives other bits than the other:
//
//   tally_record [COUNT [SEED]] > FILE        COUNT calls (10000), the same for the same SEED (1)
//
// It uses what users may use, and nothing else of the library.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tally/tally.hpp"

namespace {

using namespace tally;
using std::uint64_t;
using generator = std::mt19937_64;

// FNV-1a, of the bits of everything that a call gave.
struct digest {
  uint64_t value = 14695981039346656037u;

  void bits(uint64_t x) {
    for (int i = 0; i < 8; ++i, x >>= 8) value = (value ^ (x & 255)) * 1099511628211u;
  }
  template <element T>
  void take(T x) {
    bits(uint64_t(to_bits(x)));
  }
  template <class T>
  void take(std::vector<T> const& all) {
    for (T const x : all) take(x);
  }
  template <element T>
  void take(min_max::values<T> const& ends) {
    take(ends.minimum), take(ends.maximum);
  }
  template <element T>
  void take(description<T> const& d) {
    take(d.count), take(d.nan_count), take(d.sum), take(d.mean), take(d.standard_deviation);
    take(d.minimum), take(d.maximum), take(d.minimum_index), take(d.maximum_index);
  }
};

uint64_t below(generator& random, uint64_t n) { return random() % n; }

// From nothing to some tiles of each of several threads.
std::size_t random_size(generator& random) {
  auto const size = std::size_t(below(random, uint64_t(2) << below(random, 18)));
  return below(random, 8) == 0 ? (size + 511) / 512 * 512 + below(random, 3) : size;
}

template <element T>
T random_element(generator& random, int kind) {
  std::normal_distribution<double> normal;
  if constexpr (floating<T>) {
    auto const sign = below(random, 2) ? format<T>::sign : bits_of<T>{};
    switch (kind) {
      case 0: return convert<T>(normal(random));
      case 1:
        for (;;) {
          T const x = from_bits<T>(bits_of<T>(random()));
          if (is_finite(x)) return x;
        }
      case 2: return convert<T>(std::ldexp(normal(random), int(below(random, 80)) - 40));
      case 3: return T{1};
      case 4: return convert<T>(double(below(random, 7)) - 3);
      case 5: return from_bits<T>(bits_of<T>(below(random, 9)) | sign);
      case 6: return below(random, 100) ? convert<T>(normal(random)) : quiet_nan<T>();
      default: return below(random, 3000) ? convert<T>(normal(random)) : infinity<T>(sign);
    }
  } else {
    return kind < 4 ? T(random()) : kind < 6 ? T(below(random, 3)) : T(1);
  }
}

template <element T>
std::vector<T> random_input(generator& random, std::size_t n) {
  int const kind = int(below(random, 8)), order = int(below(random, 6));
  std::vector<T> x(n);
  for (auto&& e : x) e = random_element<T>(random, kind);
  auto const less = [](T a, T b) { return order_key(a) < order_key(b); };
  if (order == 0) std::sort(x.begin(), x.end(), less);
  if (order == 1) std::sort(x.rbegin(), x.rend(), less);
  return x;
}

// Neither any order nor any grouping is right but the array's own: the last, of all that are odd.
struct last_odd {
  template <class T>
  T operator()(T a, T b) const {
    return to_bits(b) & 1 ? b : a;
  }
};

template <element T>
class calls {
 public:
  calls(generator& random, digest& out)
      : random_(random),
        out_(out),
        where_{int(1 + below(random, 4))},
        nan_(below(random, 2) ? skip : propagate) {
    std::size_t const n = random_size(random), offset = std::size_t(below(random, 9));
    memory_ = random_input<T>(random, offset + n);
    copy_ = std::make_unique<T[]>(offset + n);
    std::copy(memory_.begin(), memory_.end(), copy_.get());
    x_ = {copy_.get() + offset, n};
  }

  std::string one() {
    switch (below(random_, 26)) {
      case 0: return reduced("sum", sum{});
      case 1: return reduced("fast_sum", fast_sum{});
      case 2: return reduced("mean", mean{});
      case 3: return reduced("variance", variance{below(random_, 2)});
      case 4: return reduced("standard_deviation", standard_deviation{below(random_, 2)});
      case 5: return reduced("sum_of_squares", sum_of_squares{});
      case 6: return reduced("norm", norm{});
      case 7: return reduced("product", product{});
      case 8: return reduced("min_max", min_max{});
      case 9: return reduced("arg_minimum", arg_minimum{});
      case 10: return reduced("arg_maximum", arg_maximum{});
      case 11: return reduced("describe", describe{below(random_, 2)});
      case 12: return reduced("count_nonzero", count_nonzero{});
      case 13: return reduced("all_of", all_of{});
      case 14: return bitwise_or_rounded();
      case 15: return dot_product();
      case 16: return together();
      case 17: return reduced("last_odd", last_odd{});
      case 18: return top();
      case 19: return scanned<T>("scan minimum", minimum{});
      case 20: return scanned<T>("scan fast_sum", fast_sum{});
      case 21: return scanned<T>("scan last_odd", last_odd{});
      case 22:
        if constexpr (floating<T>) return scanned<double>("scan sum to double", sum{});
      case 23:
        if constexpr (sizeof(T) == 2 && floating<T>)
          return scanned<float>("scan sum to float", sum{});
      case 24:
        if constexpr (integer<T>) return scanned<widest<T>>("scan sum to widest", sum{});
      default: return scanned<T>("scan sum", sum{});
    }
  }

 private:
  generator& random_;
  digest& out_;
  cpu where_;
  nan_policy nan_;
  std::vector<T> memory_;
  std::unique_ptr<T[]> copy_;  // a vector of bool is none
  std::span<T const> x_;

  std::size_t cut() { return std::size_t(below(random_, x_.size() + 1)); }

  template <class Op>
  std::string reduced(char const* name, Op const& op) {
    reduce_options const options{nan_};
    if (below(random_, 2)) {
      out_.take(reduce(where_, x_, op, options));
      return name;
    }
    std::size_t const middle = cut();
    reducer<T, Op> left(op, options), right(op, options, middle);
    right.add(where_, x_.subspan(middle));
    left.add(where_, x_.first(middle));
    left.append(right);
    out_.take(left.result());
    return std::string(name) + " in pieces";
  }
  std::string bitwise_or_rounded() {
    if constexpr (integer<T>) {
      out_.take(reduce(where_, x_, bit_and{}));
      out_.take(reduce(where_, x_, bit_or{}));
      return reduced("bit_xor", bit_xor{});
    } else {
      return below(random_, 2) ? reduced("sum as double", sum{}.as<double>())
                               : reduced("mean as float", mean{}.as<float>());
    }
  }
  std::string dot_product() {
    std::vector<T> other = random_input<T>(random_, x_.size());
    auto const y = std::make_unique<T[]>(x_.size());
    std::copy(other.begin(), other.end(), y.get());
    out_.take(reduce(where_, zip(x_, std::span<T const>(y.get(), x_.size())), dot{}, {nan_}));
    return "dot";
  }
  std::string together() {
    auto const found = reduce(
        where_, x_, all_together(sum{}, variance{}, min_max{}, fast_sum{}, arg_maximum{}), {nan_});
    out_.take(get<0>(found)), out_.take(get<1>(found)), out_.take(get<2>(found));
    out_.take(get<3>(found)), out_.take(get<4>(found));
    return "all_together";
  }
  std::string top() {
    auto const k = below(random_, x_.size() + 1);
    auto const best = top_k(where_, x_, k,
                            {.order = below(random_, 2) ? largest : smallest,
                             .sorted = below(random_, 2) == 0,
                             .distinct = below(random_, 3) == 0});
    out_.take(best.values), out_.take(best.indices);
    return "top_k";
  }

  template <class Out, class Op>
  std::string scanned(char const* name, Op const& op) {
    if constexpr (std::is_same_v<Op, last_odd> && std::is_same_v<T, bool>) {
      return scanned<Out>("scan sum", sum{});
    } else {
      std::size_t const n = x_.size();
      auto const out = std::make_unique<Out[]>(n);
      std::span<Out> const to(out.get(), n);
      scan_options<Out> options;
      options.nan = nan_;
      options.reverse = below(random_, 4) == 0;
      bool const exclusive = below(random_, 3) == 0;
      if (exclusive || below(random_, 2)) options.init = random_element<Out>(random_, 4);
      if (below(random_, 2) && !options.reverse) {
        in_chunks(op, options, exclusive, to);
      } else if (exclusive) {
        exclusive_scan(where_, x_, to, op, options);
      } else {
        inclusive_scan(where_, x_, to, op, options);
      }
      for (Out const y : to) out_.take(y);
      return name;
    }
  }
  template <class Out, class Op>
  void in_chunks(Op const& op, scan_options<Out> const& options, bool exclusive,
                 std::span<Out> to) {
    scanner<T, Out, Op> stream(op, options);
    std::size_t const middle = cut();
    auto const next = [&](std::span<T const> in, std::span<Out> out) {
      exclusive ? stream.exclusive(where_, in, out) : stream.inclusive(where_, in, out);
    };
    next(x_.first(middle), to.first(middle));
    next(x_.subspan(middle), to.subspan(middle));
  }
};

void record(uint64_t number, uint64_t seed) {
  std::seed_seq sequence{seed, number};
  generator random(sequence);
  visit(dtype(below(random, 13)), [&]<class T>(std::type_identity<T> type) {
    digest out;
    std::string what;
    try {
      what = calls<T>(random, out).one();
    } catch (error const& e) {
      what = e.what();
    }
    std::printf("%llu %s %s %016llx\n", static_cast<unsigned long long>(number),
                std::string(name(dtype_of<typename decltype(type)::type>)).c_str(), what.c_str(),
                static_cast<unsigned long long>(out.value));
  });
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t const count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000;
  uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  for (uint64_t i = 0; i < count; ++i) record(i, seed);
}
