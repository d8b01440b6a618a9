// SPDX-License-Identifier: Apache-2.0
//
// Random scans.
#include "recording/calls.hpp"

namespace recording {
namespace {

template <element T, class Place>
class scanning {
 public:
  explicit scanning(given<T, Place>& g) : g_(g) {}

  void one(uint64_t which) {
    switch (which) {
      case 0: return scanned<T>("minimum", minimum{});
      case 1: return scanned<T>("maximum", maximum{});
      case 2: return scanned_fast();
      case 3: return scanned_last_odd();
      case 4:
        if constexpr (floating<T>) return scanned<double>("sum to double", sum{});
      case 5:
        if constexpr (sizeof(T) == 2 && floating<T>) return scanned<float>("sum to float", sum{});
      case 6:
        if constexpr (integer<T>) return scanned<widest<T>>("sum to widest", sum{});
      default: return scanned<T>("sum", sum{});
    }
  }

 private:
  given<T, Place>& g_;

  void scanned_fast() {
    if constexpr (floating<T>) {
      scanned<T>("fast_sum", fast_sum{});
      g_.out.mark = mark::ordered;
    } else {
      scanned<T>("sum", sum{});
    }
  }
  void scanned_last_odd() {
    if constexpr (std::is_same_v<T, bool>)
      scanned<T>("sum", sum{});
    else
      scanned<T>("last_odd", last_odd{});
  }
  template <class Out, class Op>
  void scanned(char const* name, Op const& op) {
    bool const both_can = on_gpu::can_scan<Op, array_input<T>, Out>;
    g_.is(std::string("scan ") + name, both_can ? mark::none : mark::cores);
    if constexpr (Place::template can_scan<Op, array_input<T>, Out>) {
      scan_options<Out> options;
      options.nan = g_.nan;
      options.reverse = below(g_.random, 4) == 0;
      bool const exclusive = below(g_.random, 3) == 0;
      if (exclusive || g_.flip()) options.init = random_element<Out>(g_.random, 4);
      if constexpr (std::is_same_v<T, Out>)
        if (below(g_.random, 4) == 0) return scanned_in_place(op, options, exclusive);
      scanned_apart(op, options, exclusive);
    }
  }
  template <class Out, class Op>
  void scanned_apart(Op const& op, scan_options<Out> options, bool exclusive) {
    std::size_t const n = g_.x.size();
    array<Place, Out> out(g_.place, n, g_.offset()), total(g_.place, 1);
    if (n > 0 && g_.flip()) options.total = total.data();
    if (g_.flip()) {
      g_.place.scan(g_.x, out.all(), op, options, exclusive);
    } else {
      g_.out.what += " otherwise";
      g_.place.scan_otherwise(g_.x, out.all(), op, options, exclusive, g_.middle());
    }
    g_.take(out, n);
    if (options.total) g_.take(total, 1);
  }
  template <class Op>
  void scanned_in_place(Op const& op, scan_options<T> const& options, bool exclusive) {
    g_.out.what += " in place";
    array<Place, T> both(g_.place, g_.host.all(), g_.offset());
    g_.place.scan(std::span<T const>(both.all()), both.all(), op, options, exclusive);
    g_.take(both, g_.x.size());
  }
};

}  // namespace

template <element T, class Place>
void random_scan(given<T, Place>& g) {
  scanning<T, Place>(g).one(below(g.random, scans));
}
#define X(_, T) RECORDING_OF(random_scan, T)
TALLY_EACH_element(X, _)
#undef X

}  // namespace recording
