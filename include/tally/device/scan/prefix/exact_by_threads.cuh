// SPDX-License-Identifier: Apache-2.0
//
// Exact prefix sums of rows that threads have by themselves, whole or in chunks: what a chunk comes
// to, what is before each, and the results.
#pragma once

#include "tally/definition/sum.hpp"
#include "tally/device/scan/prefix/plain.cuh"
#include "tally/device/sum/warp_number.cuh"
#include "tally/exact/float_format.hpp"

namespace tally::device {

// Which values were there that are not finite.
struct special_values {
  static constexpr unsigned nan = 1, positive_infinity = 2, negative_infinity = 4;

  template <floating T>
  static __device__ unsigned of(T x) {
    return is_finite(x)                          ? 0
           : is_nan(x)                           ? nan
           : (to_bits(x) & format<T>::sign) != 0 ? negative_infinity
                                                 : positive_infinity;
  }
  // The sum where some were there.
  template <floating R>
  static __device__ R sum(unsigned seen) {
    unsigned const both = positive_infinity | negative_infinity;
    if (seen & nan || (seen & both) == both) return quiet_nan<R>();
    return infinity<R>((seen & negative_infinity) != 0);
  }
};

// The digits of a number that has been carried, in 32 bits and a sign; returns what they do not
// hold.
template <class Number>
TALLY_HD std::int64_t put_digits(Number const& sum, std::int32_t* to) {
  std::int64_t over = 0;
  TALLY_ROLL
  for (int i = 0; i < Number::digits; ++i) {
    std::int64_t const digit = sum.digit[i] + over;
    to[i] = std::int32_t(digit);
    over = (digit - to[i]) >> 32;
  }
  return over;
}

// What comes before the first element: a sum of two doubles, or of digits of 32 bits with signs; or
// what was there that is not finite.
template <class Number>
struct sum_before {
  double head = 0, rest = 0;
  unsigned seen = 0;
  bool is_long = false;
  std::int32_t digits[Number::digits] = {};
};

template <class Number, floating T>
sum_before<Number> sum_before_of(detail::exact_total<Number, T> const& s) {
  sum_before<Number> out;
  out.seen = (s.nan ? special_values::nan : 0) |
             (s.positive_infinity ? special_values::positive_infinity : 0) |
             (s.negative_infinity ? special_values::negative_infinity : 0);
  if (out.seen) return out;
  auto left = s.finite;
  auto const take = [&] {
    double const x = left.template round<double>();
    if (is_finite(x)) left.add(-x);
    return x;
  };
  bool negative;
  out.head = take();
  if (is_finite(out.head)) out.rest = take();
  if (is_finite(out.head) && left.magnitude(negative).bit_length() == 0) return out;
  out = {};
  out.is_long = true;
  left = s.finite;
  left.carry();
  if (put_digits(left, out.digits) != 0) throw error("scan: what comes before it is out of range");
  return out;
}

template <floating In, floating Out, class Number>
struct exact_by_threads {
  // What a chunk comes to, and what is before one. If it is long, its digits are exact, and `sum`
  // says where it lies.
  struct alignas(16) chunk {
    long_interval sum;
    unsigned seen, is_long;
  };
  static constexpr int chunk_digits = Number::digits;
  static constexpr bool rereads = true;  // elements, for the results in doubt

  bool skips_nan;
  sum_before<Number> first;

  __device__ chunk first_chunk() const {
    if (first.is_long) return {{0, -infinity<double>(), infinity<double>()}, first.seen, true};
    return {{first.head, first.rest, first.rest}, first.seen, false};
  }
  __device__ std::int32_t const* first_digits() const { return first.digits; }

  template <class Row>
  __device__ void add_up_by_thread(Row const& row, chunk& all, std::int32_t* digits) const {
    part sum{};
    finite_check<In> finite;
    each_few(row, [&](auto const& few) {
#pragma unroll
      for (In const x : few) sum.add(x), finite.look_at(x);
    });
    auto const whole = lengthened(sum).normalised();
    if (finite.all_finite() && whole.is_exact())
      all = {whole, 0, false};
    else
      add_up_any(row, all, digits);
  }

  // Puts what is before each chunk of row r where its total was; by `width` threads a row.
  template <class Chunks>
  __device__ void carry_through(Chunks const& chunks, std::uint32_t r, unsigned width) const {
    auto const row = chunks.row(r);
    unsigned const each = (row.number + width - 1) / width, begin = threadIdx.x % width * each;
    unsigned const end = min(begin + each, row.number);
    auto const from_first = [&](chunk now, auto visit) {
      row.each(begin, end, chunk{}, [&](chunk& at, chunk const& total) {
        visit(at, now);
        now = join(now, total);
      });
      return now;
    };
    auto const mine = from_first({}, [](chunk&, chunk const&) {});
    auto const before = join(first_chunk(), before_in_group(mine, chunk{}, joiner{}, width));
    bool settled = true;
    from_first(before, [&](chunk&, chunk const& now) {
      settled = settled && (now.seen != 0 || (!now.is_long && now.sum.normalised().is_exact()));
    });
    if (width > unsigned(warp_size) ? __syncthreads_or(!settled) : __any_sync(~0u, !settled))
      return carry_digits(chunks, r, width);
    from_first(before,
               [](chunk& to, chunk const& now) { to = {now.sum.normalised(), now.seen, false}; });
  }

  // All of a row's results by the calling thread; returns what it comes to.
  template <class Row>
  __device__ Out scan_by_thread(Row const& row, chunk const& before,
                                std::int32_t const* digits) const {
    if (before.seen != 0) return scan_digits(row, before, digits, 0);
    // From the first result in doubt on a longer way is taken, for which the elements before it are
    // read again.
    std::uint64_t done = 0;
    Out total{};
    if (scan_with(first_way(before.sum, part{}), row, done, total)) return total;
    return scan_in_doubt(row, before, digits, done);
  }

 protected:
  static constexpr bool is_double = std::is_same_v<In, double>;
  // What a few elements are added up in.
  using part = std::conditional_t<is_double, long_interval, interval>;

  static __device__ void add_element(Number& sum, In x) {
    auto const p = take_apart(x);
    if (p.significand != 0) sum.add(p.negative, p.significand, p.exponent);
  }

 private:
  using number = warp_number<Number>;

  static __device__ chunk join(chunk const& a, chunk const& b) {
    return {a.sum + b.sum, a.seen | b.seen, a.is_long | b.is_long};
  }
  struct joiner {
    __device__ chunk operator()(chunk const& a, chunk const& b) const { return join(a, b); }
  };

  // Calls visit() with some of the row's elements after others.
  template <class Row, class Visit>
  __device__ void each_few(Row const& row, Visit visit) const {
    row.each_few([&](std::uint64_t, In(&x)[Row::at_once]) {
      if (skips_nan) replace_nan(x);
      visit(x);
      return true;
    });
  }
  template <unsigned Count>
  static __device__ void replace_nan(In (&x)[Count]) {
#pragma unroll
    for (In& one : x)
      if (is_nan(one)) one = In{};
  }

  // Where one sum in the format of intervals is not enough.
  template <class Row>
  __device__ __noinline__ void add_up_any(Row row, chunk& all, std::int32_t* digits) const {
    unsigned seen = 0;
    long_interval sum{};
    each_few(row, [&](auto const& few) {
#pragma unroll
      for (In const x : few) seen |= special_values::of(x), sum.add(x);
    });
    sum = sum.normalised();
    bool const is_long = seen == 0 && !sum.is_exact();
    all = {seen != 0 ? long_interval{} : sum, seen, is_long};
    if (is_long) put_digits(all_digits(row), digits);
  }
  template <class Row>
  __device__ Number all_digits(Row const& row) const {
    Number sum{};
    if constexpr (is_double) {
      each_few(row, [&](auto const& few) {
        TALLY_ROLL
        for (unsigned k = 0; k < Row::at_once; ++k) add_element(sum, few[k]);
      });
    } else {
      thread_digits<Number, In> digits;
      static_assert(Row::at_once <= digits.most);
      each_few(row, [&](auto const& few) {
#pragma unroll
        for (In const x : few) digits.add(x);
        digits.carry();
      });
      digits.each([&](int i, std::int64_t digit) { sum.digit[i] = digit; });
    }
    sum.carry();
    return sum;
  }

  // As carry_through(), where two doubles do not hold a sum. Each warp has a row, or some of its
  // chunks. Where a row has several warps, each first adds up its chunks; then each goes through
  // them with what is before.
  struct long_carry {
    number sum{};
    unsigned seen = 0;

    template <class Row>
    __device__ void add(Row const& row, std::uint32_t i) {
      if (!row.has_total(i)) return;
      chunk const total = row.sum(i);
      if (total.seen != 0)
        seen |= total.seen;
      else if (total.is_long)
        sum.add_digits([&](int k) { return row.digits_of(i)[k]; });
      else
        sum.add(total.sum);
      sum.carry();
    }
    template <class Row>
    __device__ void put(Row const& row, std::uint32_t i) {
      while (__any_sync(~0u, !sum.is_narrow())) sum.carry();  // a Number has room above any sum
      auto const bounds = sum.bounds();
      bool const is_long = seen == 0 && !bounds.is_exact();
      if (is_long)
        sum.each_digit([&](int k, std::int64_t x) { row.digits_of(i)[k] = std::int32_t(x); });
      if (threadIdx.x % warp_size == 0)
        row.sum(i) = {seen != 0 ? long_interval{} : bounds, seen, is_long};
    }
  };
  template <class Chunks>
  __device__ __noinline__ void carry_digits(Chunks chunks, std::uint32_t r, unsigned width) const {
    __shared__ std::int64_t totals[warp_size][Number::digits];
    __shared__ unsigned seen[warp_size];
    constexpr unsigned all_lanes = warp_size;
    unsigned const warp = threadIdx.x / all_lanes, lane = threadIdx.x % all_lanes;
    if (width <= all_lanes) {
      for (unsigned k = 0; k < all_lanes; k += width) {
        auto const row = chunks.row(warp::broadcast(r, int(k)));
        carry_through_some(row, 0, row.number, before_all());
      }
      return;
    }
    auto const row = chunks.row(r);
    unsigned const each = (row.number + width / all_lanes - 1) / (width / all_lanes);
    unsigned const first = min(warp * each, row.number), end = min(first + each, row.number);
    long_carry mine;
    for (unsigned i = first; i < end; ++i) mine.add(row, i);
    mine.sum.each_digit([&](int i, std::int64_t x) { totals[warp][i] = x; });
    if (lane == 0) seen[warp] = mine.seen;
    __syncthreads();
    auto before = before_all();
    for (unsigned w = 0; w < warp; ++w) {
      before.sum.add_digits([&](int i) { return totals[w][i]; });
      before.seen |= seen[w];
    }
    before.sum.carry();
    carry_through_some(row, first, end, before);
  }
  __device__ long_carry before_all() const {
    long_carry c;
    c.seen = first.seen;
    if (first.is_long)
      c.sum.add_digits([&](int i) { return first.digits[i]; });
    else
      c.sum.add(first.head), c.sum.add(first.rest);
    c.sum.carry();
    return c;
  }
  template <class Row>
  static __device__ void carry_through_some(Row const& row, unsigned from, unsigned end,
                                            long_carry before) {
    for (unsigned i = from; i < end; ++i) {
      auto next = before;
      next.add(row, i);
      __syncwarp();
      before.put(row, i);
      before = next;
    }
  }

  // Puts out the results from one on, and what all comes to; or until one is in doubt, and returns
  // false.
  template <class Sum, class Row>
  __device__ bool scan_with(Sum sum, Row const& row, std::uint64_t& from, Out& total) const {
    finite_check<In> finite;
    bool in_doubt = false;
    row.each_few([&](std::uint64_t position, In(&x)[Row::at_once]) {
      Out out[Row::at_once];
      if (skips_nan) replace_nan(x);
#pragma unroll
      for (unsigned k = 0; k < Row::at_once; ++k) {
        if (row.exclusive) out[k] = sum.template round<Out, In>(in_doubt);
        sum.add(x[k]), finite.look_at(x[k]);
        if (!row.exclusive) out[k] = sum.template round<Out, In>(in_doubt);
      }
      bool const is_done = position < from;  // before this way was taken
      in_doubt = !is_done && (in_doubt || sum.has_lost() || !finite.all_finite());
      if (is_done) return true;
      from = position;
      if (!in_doubt) row.write(position, out);
      return !in_doubt;
    });
    if (in_doubt) return false;
    from = row.size;
    total = sum.template round<Out, In>(in_doubt);
    return !in_doubt && !sum.has_lost();
  }
  // (Sums of few bits are exact in a double. Of floats mostly, too, but hardly all of a warp's.)
  using first_way = std::conditional_t<
      sizeof(In) == 2, exact_or_nothing,
      std::conditional_t<std::is_same_v<Out, double>, rounded_long_interval, rounded_interval>>;
  template <class Row>
  __device__ __noinline__ Out scan_in_doubt(Row row, chunk before, std::int32_t const* digits,
                                            std::uint64_t from) const {
    Out total{};
    if constexpr (!std::is_same_v<Out, double> && !std::is_same_v<first_way, rounded_interval>)
      if (scan_with(rounded_interval(before.sum, part{}), row, from, total)) return total;
    if (scan_with(rounded_long_interval(before.sum, part{}), row, from, total)) return total;
    return scan_digits(row, before, digits, from);
  }
  template <class Row>
  __device__ __noinline__ Out scan_digits(Row row, chunk before, std::int32_t const* digits,
                                          std::uint64_t from) const {
    Number sum{};
    unsigned seen = before.seen;
    if (before.is_long)
      for (int i = 0; i < Number::digits; ++i) sum.digit[i] = digits[i];
    else
      sum.add(before.sum.head), sum.add(before.sum.least);
    auto const now = [&] {
      return seen != 0 ? special_values::sum<Out>(seen) : sum.template round<Out>();
    };
    bool const stays = seen != 0 && is_nan(special_values::sum<Out>(seen));
#pragma unroll 1
    for (std::uint64_t i = 0; i < row.size; ++i) {
      In x = stays ? In{} : row.element(i);
      if (skips_nan && is_nan(x)) x = In{};
      if (i >= from && row.exclusive) row.put(i, now());
      seen |= special_values::of(x);
      if (seen == 0) add_element(sum, x);
      if (i >= from && !row.exclusive) row.put(i, now());
    }
    return now();
  }
};

}  // namespace tally::device
