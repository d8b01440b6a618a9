// SPDX-License-Identifier: Apache-2.0
//
// Random reductions.
#include "recording/calls.hpp"

namespace recording {
namespace {

template <element T, class Place>
class reduction {
 public:
  explicit reduction(given<T, Place>& g) : g_(g) {}

  void one(uint64_t which) {
    switch (which) {
      case 0: return reduced("sum", sum{});
      case 1: return reduced("fast_sum", fast_sum{});
      case 2: return reduced("mean", mean{});
      case 3: return reduced("variance", variance{below(g_.random, 2)});
      case 4: return reduced("standard_deviation", standard_deviation{below(g_.random, 2)});
      case 5: return reduced("sum_of_squares", sum_of_squares{});
      case 6: return reduced("norm", norm{});
      case 7: return reduced("product", product{});
      case 8: return reduced("min_max", min_max{});
      case 9: return reduced("peak_to_peak", peak_to_peak{});
      case 10: return reduced("arg_minimum", arg_minimum{});
      case 11: return reduced("arg_maximum", arg_maximum{});
      case 12: return reduced("describe", describe{below(g_.random, 2)});
      case 13: return reduced("count_nonzero", count_nonzero{});
      case 14: return reduced("all_of", all_of{});
      case 15: return reduced("any_of", any_of{});
      case 16: return bitwise_or_rounded();
      case 17: return of_pairs("dot", dot{});
      case 18: return state();
      case 19: return of_pairs("dot_state", dot_state{});
      case 20: return computed("sum of absolute", absolute{}, sum{});
      case 21: return computed("maximum of square", square{}, maximum{});
      case 22: return together();
      case 23: return reduced("minimum", minimum{});
      case 24: return reduced("maximum", maximum{});
      default: return reduced("last_odd", last_odd{});
    }
  }

 private:
  given<T, Place>& g_;

  // An asynchronous call cannot say that nothing counts.
  bool some_count() const {
    if (g_.nan == propagate || g_.x.empty()) return true;
    auto const x = g_.host.all();
    return !std::all_of(x.begin(), x.end(), [](T e) { return is_nan(e); });
  }

  template <class Op>
  void reduced(char const* name, Op const& op) {
    g_.is(name, on_gpu::can_reduce<Op, array_input<T>> ? mark::none : mark::cores);
    if constexpr (Place::template can_reduce<Op, array_input<T>>) {
      if (g_.flip() || !some_count()) {
        g_.out.bits.take(g_.place.reduce(g_.x, op, {g_.nan}));
      } else {
        g_.out.what += " otherwise";
        g_.out.bits.take(g_.place.reduce_otherwise(g_.x, op, {g_.nan}, g_.middle()));
      }
    }
  }
  void bitwise_or_rounded() {
    if constexpr (integer<T>) {
      g_.out.bits.take(reduce(g_.place.where(), g_.x, bit_and{}));
      g_.out.bits.take(reduce(g_.place.where(), g_.x, bit_or{}));
      reduced("bit_xor", bit_xor{});
    } else {
      g_.flip() ? reduced("sum as double", sum{}.as<double>())
                : reduced("mean as float", mean{}.as<float>());
    }
  }
  void state() {
    if constexpr (floating<T>)
      if (g_.flip()) return reduced("sum_state", sum_state{});
    g_.is("moments_state");
    byte_writer bytes;
    moments<T, true>::write(bytes, reduce(g_.place.where(), g_.x, moments_state{}, {g_.nan}));
    for (std::byte const b : bytes.take()) g_.out.bits.bits(uint64_t(b));
  }
  template <class Op>
  void of_pairs(char const* name, Op const& op) {
    if constexpr (integer<T> && std::is_same_v<Op, dot_state>) {
      of_pairs("dot", dot{});
    } else {
      g_.is(name);
      auto const other = random_input<T>(g_.random, g_.x.size());
      array<Place, T> y(g_.place, other.all(), g_.offset());
      auto const pairs = zip(g_.x, std::span<T const>(y.all()));
      g_.out.bits.take(reduce(g_.place.where(), pairs, op, {g_.nan}));
    }
  }
  template <class F, class Op>
  void computed(char const* name, F const& f, Op const& op) {
    if constexpr (floating<T> || (std::is_signed_v<T> && !std::is_same_v<T, bool>)) {
      g_.is(name);
      g_.out.bits.take(reduce(g_.place.where(), transform(g_.x, f), op, {g_.nan}));
    } else {
      reduced("sum", sum{});
    }
  }
  // A GPU does not say which of them has no answer.
  void together() {
    if (g_.x.empty() || !some_count()) return reduced("sum", sum{});
    g_.is("all_together");
    auto const found = g_.place.reduce_several(g_.x, {g_.nan});
    g_.out.bits.take(get<0>(found)), g_.out.bits.take(get<1>(found));
    g_.out.bits.take(get<2>(found)), g_.out.bits.take(get<3>(found));
    g_.out.bits.take(get<4>(found));
  }
};

}  // namespace

template <element T, class Place>
void random_reduction(given<T, Place>& g) {
  reduction<T, Place>(g).one(below(g.random, reductions));
}
#define X(_, T) RECORDING_OF(random_reduction, T)
TALLY_EACH_element(X, _)
#undef X

}  // namespace recording
