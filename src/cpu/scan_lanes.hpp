// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums of short rows that lie side by side, and of columns, as many at a time as a vector
// has lanes: each lane has the running sum of one. Rows become lanes, and results rows again, in
// registers.
#pragma once

#include <algorithm>
#include <cstring>

#include "tally/cpu/instruction_set.hpp"
#include "tally/cpu/running_scan.hpp"
#include "tally/cpu/stream_store.hpp"
#include "tally/cpu/tile/simd.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::detail {

// The running sums of Lanes rows.
template <class In, class Out, int Lanes>
struct lane_sums;
template <integer In, integer Out, int Lanes>
struct lane_sums<In, Out, Lanes> {
  using words = vec<bits_of<Out>, Lanes>;
  words sum;

  TALLY_CPU_FN explicit lane_sums(Out init = {}) : sum(words{} + bits_of<Out>(init)) {}
  TALLY_CPU_FN void add(vec<In, Lanes> x) { sum += __builtin_convertvector(x, words); }
  TALLY_CPU_FN vec<Out, Lanes> results() const { return cast<vec<Out, Lanes>>(sum); }
  TALLY_CPU_FN void certain(bool* done) const { std::fill_n(done, Lanes, true); }
};
// Sums in doubles as long as no addition has an error.
template <int Lanes>
struct exact_lanes {
  using doubles = vec<double, Lanes>;
  using bits = vec<std::uint64_t, Lanes>;
  doubles sum;
  bits doubts{};

  TALLY_CPU_FN explicit exact_lanes(double init) : sum(doubles{} + init) {}  // a zero is +0
  // An addition has no error where the sum less one operand is the other one, whichever is the
  // larger: less that one, the difference is exact. (Zeros may differ by their signs, others not.)
  TALLY_CPU_FN void add(doubles y) {
    doubles const now = sum + y;
    doubts |= cast<bits>(now - sum) ^ cast<bits>(y);
    doubts |= cast<bits>(now - y) ^ cast<bits>(sum);
    sum = now;
  }
  TALLY_CPU_FN void certain(bool* done) const {
    std::fill_n(done, Lanes, true);
    if (any(doubts << 1))
      for (int k = 0; k < Lanes; ++k) done[k] = doubts[k] << 1 == 0;
  }
};
template <floating Out, int Lanes>
struct lane_sums<float, Out, Lanes> : exact_lanes<Lanes> {
  TALLY_CPU_FN explicit lane_sums(Out init = {}) : exact_lanes<Lanes>(double(init)) {}
  TALLY_CPU_FN void add(vec<float, Lanes> x) { exact_lanes<Lanes>::add(to_doubles<Lanes>(x)); }
  TALLY_CPU_FN vec<Out, Lanes> results() const {
    return __builtin_convertvector(this->sum, vec<Out, Lanes>);
  }
};
// The sum in doubles, and the exact one of its additions' errors (Knuth's two-sum).
template <int Lanes>
struct lane_sums<double, double, Lanes> {
  using doubles = vec<double, Lanes>;
  doubles sum;
  exact_lanes<Lanes> rest;

  TALLY_CPU_FN explicit lane_sums(double init = 0) : sum(doubles{} + init), rest(0) {}
  TALLY_CPU_FN void add(doubles y) {
    doubles const now = sum + y, moved = now - sum;
    rest.add((sum - (now - moved)) + (y - moved));
    sum = now;
  }
  TALLY_CPU_FN doubles results() const { return sum + rest.sum; }
  TALLY_CPU_FN void certain(bool* done) const { rest.certain(done); }
};

template <class T>
inline constexpr int piece = 16 / sizeof(T);  // elements, which instructions put side by side

// The lanes of a and then those of b.
template <class T, int Lanes, int... I>
TALLY_CPU_FN vec<T, 2 * Lanes> joined(vec<T, Lanes> a, vec<T, Lanes> b,
                                      std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, I...);
}
// From each piece of a and of b the lanes of its first or second half, in turn.
template <int Half, class T, int Lanes, int... I>
TALLY_CPU_FN vec<T, Lanes> in_turn(vec<T, Lanes> a, vec<T, Lanes> b,
                                   std::integer_sequence<int, I...>) {
  constexpr int n = piece<T>;
  return __builtin_shufflevector(a, b, (I % 2 * Lanes + I / n * n + Half * n / 2 + I % n / 2)...);
}
// Lane i of the piece j of vector k becomes lane k of the piece j of vector i.
template <class T, int Lanes>
TALLY_CPU_FN void turn_pieces(vec<T, Lanes>* v) {
  constexpr int n = piece<T>;
  constexpr std::make_integer_sequence<int, Lanes> all;
  TALLY_CPU_UNROLL
  for (int done = 1; done < n; done *= 2) {
    vec<T, Lanes> next[n];
    TALLY_CPU_UNROLL
    for (int i = 0; i < n / 2; ++i) {
      next[2 * i] = in_turn<0, T, Lanes>(v[i], v[i + n / 2], all);
      next[2 * i + 1] = in_turn<1, T, Lanes>(v[i], v[i + n / 2], all);
    }
    TALLY_CPU_UNROLL
    for (int i = 0; i < n; ++i) v[i] = next[i];
  }
}

// A piece of every piece<T>-th row; rows begin `stride` apart.
template <class T, int Lanes>
TALLY_CPU_FN vec<T, Lanes> load_pieces(T const* from, std::int64_t stride) {
  if constexpr (Lanes == piece<T>)
    return load<vec<T, Lanes>>(from);
  else
    return joined<T, Lanes / 2>(load_pieces<T, Lanes / 2>(from, stride),
                                load_pieces<T, Lanes / 2>(from + Lanes / 2 * stride, stride),
                                std::make_integer_sequence<int, Lanes>{});
}
template <class T, int Lanes>
TALLY_CPU_FN void store_pieces(vec<T, Lanes> v, T* to, std::int64_t stride, int count) {
  if constexpr (Lanes == piece<T>) {
    store_some(v, to, count);
  } else {
    store_pieces<T, Lanes / 2>(half_of<0, T, Lanes>(v), to, stride, count);
    store_pieces<T, Lanes / 2>(half_of<1, T, Lanes>(v), to + Lanes / 2 * stride, stride, count);
  }
}
// x[k] has the element k of each row.
template <class T, int Lanes, int Columns>
TALLY_CPU_FN void load_columns(T const* from, std::int64_t stride, vec<T, Lanes> (&x)[Columns]) {
  TALLY_CPU_UNROLL
  for (int k = 0; k < Columns; ++k)
    x[k] = load_pieces<T, Lanes>(from + k / piece<T> * piece<T> + k % piece<T> * stride, stride);
  TALLY_CPU_UNROLL
  for (int k = 0; k < Columns; k += piece<T>) turn_pieces<T, Lanes>(x + k);
}
// So many of the columns, as far as there are.
template <class T, int Lanes, int Columns>
TALLY_CPU_FN void store_columns(vec<T, Lanes> (&x)[Columns], T* to, std::int64_t stride,
                                int count) {
  TALLY_CPU_UNROLL
  for (int k = 0; k < Columns; k += piece<T>) turn_pieces<T, Lanes>(x + k);
  TALLY_CPU_UNROLL
  for (int k = 0; k < Columns; ++k)
    store_pieces<T, Lanes>(x[k], to + k / piece<T> * piece<T> + k % piece<T> * stride, stride,
                           count - k / piece<T> * piece<T>);
}

// Scans Lanes rows; their results follow one another.
template <class In, class Out, int Lanes>
TALLY_CPU_FN void scan_lanes(short_row_scan<In, Out> const& call, In const* from, Out* results,
                             lane_sums<In, Out, Lanes>& sums) {
  constexpr int columns = std::max(piece<In>, piece<Out>), ahead = 8192;  // bytes
  int const n = int(call.in.length);
  for (int k = 0; k < n; k += columns) {
    // A little at a time, so that memory is busy throughout.
    for (int j = 0; j < int(Lanes * columns * sizeof(In)); j += line_bytes)
      __builtin_prefetch(reinterpret_cast<char const*>(from + Lanes * k) + ahead + j);
    int const count = std::min(columns, n - k);
    vec<In, Lanes> x[columns];
    vec<Out, Lanes> y[columns];
    if (count == columns) {
      load_columns<In, Lanes>(from + k, call.in.stride, x);
    } else {
      In last[Lanes][columns] = {};
      for (int r = 0; r < Lanes; ++r) std::copy_n(from + r * call.in.stride + k, count, last[r]);
      load_columns<In, Lanes>(last[0], columns, x);
    }
    TALLY_CPU_UNROLL
    for (int i = 0; i < columns; ++i) {
      if (call.shape.exclusive) y[i] = sums.results();
      sums.add(x[i]);
      if (!call.shape.exclusive) y[i] = sums.results();
    }
    store_columns<Out, Lanes>(y, results + k, n, count);
  }
}

// Writes the results of rows [first, first + count) that are done, past the caches if `large`.
template <class In, class Out>
void put_rows(short_row_scan<In, Out> const& call, Out const* results, std::uint64_t first,
              std::uint64_t count, bool const* done, bool large) {
  std::uint64_t const n = call.in.length;
  bool const together = call.out.stride == std::int64_t(n) &&
                        std::all_of(done, done + count, [](bool b) { return b; });
  std::uint64_t const some = together ? count : 1;
  for (std::uint64_t k = 0; k < count; k += some) {
    if (!done[k]) continue;
    auto* const to = reinterpret_cast<std::byte*>(call.out.data + call.out.begin(first + k));
    auto const* const from = reinterpret_cast<std::byte const*>(results + k * n);
    std::size_t const bytes = some * n * sizeof(Out);
    large ? stream_copy(to, from, bytes) : void(std::memcpy(to, from, bytes));
  }
}

// Scans rows by groups of Lanes, and says before which row it ends: what is left is no group.
template <int Lanes, class In, class Out>
TALLY_CPU_FN std::uint64_t scan_groups(short_row_scan<In, Out> const& call, std::uint64_t first,
                                       std::uint64_t end, bool* done) {
  constexpr std::uint64_t room = 4096, caches = std::uint64_t(1) << 25;  // bytes
  static_assert(room >= Lanes * longest_short_row);
  std::uint64_t const n = call.in.length;
  bool const large = call.in.count * n * sizeof(Out) > caches &&
                     static_cast<void const*>(call.in.data) != call.out.data;
  Out results[room];
  while (end - first >= Lanes) {
    std::uint64_t const rows = std::min(room / n, end - first) / Lanes * Lanes;
    for (std::uint64_t g = 0; g < rows; g += Lanes) {
      lane_sums<In, Out, Lanes> sums(call.init);
      scan_lanes(call, call.in.data + std::int64_t(first + g) * call.in.stride, results + g * n,
                 sums);
      sums.certain(done + g);
      auto const totals = sums.results();
      for (std::uint64_t k = 0; call.totals && k < Lanes; ++k)
        if (done[g + k]) call.totals[first + g + k] = totals[k];
    }
    put_rows(call, results, first, rows, done, large);
    first += rows, done += rows;
  }
  if (large) stream_fence();
  return first;
}

// Scans steps [begin, end) of Lanes columns, of which the first is column c.
template <int Lanes, class In, class Out>
TALLY_CPU_FN void scan_steps(short_row_scan<In, Out> const& call, std::uint64_t c,
                             std::uint64_t begin, std::uint64_t end,
                             lane_sums<In, Out, Lanes>& all) {
  bool const reverse = call.shape.reverse, exclusive = call.shape.exclusive;
  auto const first = std::int64_t(reverse ? call.in.length - 1 - begin : begin);
  In const* from = call.in.data + call.in.begin(c) + first * call.in.step;
  Out* to = call.out.data + call.out.begin(c) + first * call.out.step;
  std::int64_t const in_step = reverse ? -call.in.step : call.in.step;
  std::int64_t const out_step = reverse ? -call.out.step : call.out.step;
  auto sums = all;
  for (std::uint64_t i = begin; i < end; ++i, from += in_step, to += out_step) {
    auto const before = sums.results();
    sums.add(load<vec<In, Lanes>>(from));
    store_some(exclusive ? before : sums.results(), to, Lanes);
  }
  all = sums;
}

// Scans columns, whose results lie apart from them, a few lines of memory at a time. The last lanes
// may have columns once more.
template <int Lanes, class In, class Out>
TALLY_CPU_FN void scan_columns(short_row_scan<In, Out> const& call, std::uint64_t first,
                               std::uint64_t end, bool* done) {
  constexpr std::uint64_t groups = 32, steps = 16;
  std::uint64_t const n = call.in.length;
  for (std::uint64_t begin = first; begin < end; begin += groups * Lanes) {
    std::uint64_t const some = std::min(groups, (end - begin + Lanes - 1) / Lanes);
    auto const column = [&](std::uint64_t g) { return std::min(begin + g * Lanes, end - Lanes); };
    lane_sums<In, Out, Lanes> sums[groups];
    std::fill_n(sums, some, lane_sums<In, Out, Lanes>(call.init));
    for (std::uint64_t i = 0; i < n; i += steps)
      for (std::uint64_t g = 0; g < some; ++g)
        scan_steps(call, column(g), i, std::min(n, i + steps), sums[g]);
    for (std::uint64_t g = 0; g < some; ++g) {
      std::uint64_t const c = column(g);
      sums[g].certain(done + (c - first));
      if (call.totals) store_some(sums[g].results(), call.totals + c, Lanes);
    }
  }
}

// How many lanes vectors of so many bytes have; 0 where the rows' pieces are more than these, or
// elements are such that lanes do not know.
template <class In, class Out>
constexpr int scan_lane_count(int bytes) {
  int const lanes = std::min(8, bytes / int(floating<Out> ? sizeof(double) : sizeof(Out)));
  int const narrowest = floating<Out> ? 4 : 2;
  bool const wide = sizeof(In) >= narrowest && sizeof(Out) >= narrowest;
  return wide && lanes >= std::max(piece<In>, piece<Out>) ? lanes : 0;
}

// Scans rows [first, end) as far as they are groups for lanes, and says before which one it ends.
template <class In, class Out>
std::uint64_t scan_rows_by_lanes(short_row_scan<In, Out> const& call, std::uint64_t first,
                                 std::uint64_t end, bool* done) {
  auto const side_by_side = [](row_layout const& rows) {
    return !rows.starts && !rows.lengths && !rows.inner && !rows.is_apart();
  };
  bool const columns = are_columns_to_scan(call.in, call.out);
  bool const rows = side_by_side(call.in) && side_by_side(call.out) && call.in.length > 0 &&
                    call.in.length <= longest_short_row && !call.shape.reverse;
  if (call.nan != skip && (columns || rows))
    run_vectorised([&](auto width) __attribute__((always_inline)) {
      if constexpr (constexpr int lanes = scan_lane_count<In, Out>(width); lanes > 0) {
        if (rows)
          first = scan_groups<lanes>(call, first, end, done);
        else if (end - first >= lanes)
          scan_columns<lanes>(call, first, end, done), first = end;
      }
    });
  return first;
}

}  // namespace tally::detail
