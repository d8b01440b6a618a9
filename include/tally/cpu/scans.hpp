// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans by cores: of what the library holds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tally/compiled.hpp"
#include "tally/cpu/elements.hpp"
#include "tally/cpu/rows.hpp"
#include "tally/cpu/running_scan.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/known_elements.hpp"
#include "tally/options.hpp"

namespace tally {

namespace detail {

// How a scan by `Op`, an operator or an aggregate of the user's own, is compiled where it is used:
// cpu_operators.hpp defines it.
template <class Op, class In, class Out>
struct scan_compiled_here;

// Sums of integers modulo 2^64, of which another integer type has the low bits.
template <integer In, integer Out>
class converted_sums final : public running_scan<In, Out> {
 public:
  bool has_start() const override { return true; }
  void start(Out const& init) override { sums_->start(wide(init)); }
  void scan(cpu where, In const* in, Out* out, std::uint64_t n, std::uint64_t first,
            scan_shape shape, nan_policy nan) override {
    constexpr std::uint64_t at_once = 1 << 16;
    std::vector<wide> sums(std::size_t(n < at_once ? n : at_once));
    for (std::uint64_t done = 0; done < n;) {
      auto const left = n - done, count = left < at_once ? left : at_once;
      auto const at = shape.reverse ? left - count : done;
      sums_->scan(where, in + at, sums.data(), count, first + at, shape, nan);
      for (std::uint64_t i = 0; i < count; ++i) out[at + i] = Out(sums[std::size_t(i)]);
      done += count;
    }
  }
  void skip(cpu where, In const* in, std::uint64_t n, std::uint64_t first, bool reverse,
            nan_policy nan) override {
    sums_->skip(where, in, n, first, reverse, nan);
  }
  void append(running_scan<In, Out> const& next, bool reverse) override {
    sums_->append(*static_cast<converted_sums const&>(next).sums_, reverse);
  }
  Out total() const override { return Out(sums_->total()); }

  void* known() override { return sums_->known(); }
  std::size_t known_bytes() const override { return sums_->known_bytes(); }
  void pack(byte_writer& out) const override { sums_->pack(out); }
  void unpack(byte_reader& in) override { sums_->unpack(in); }

 private:
  using wide = widest<In>;
  owner<running_scan<In, wide>> sums_ = start_compiled_scan<sum, In, wide>({});
};

template <class Op, class In, class Out>
inline constexpr bool sums_integers = false;
template <integer In, integer Out>
inline constexpr bool sums_integers<sum, In, Out> = true;
template <integer In, integer Out>
inline constexpr bool sums_integers<fast_sum, In, Out> = true;

template <class In, class Out, class Op>
owner<running_scan<In, Out>> start_scan(Op const& op) {
  if constexpr (held_scan<Op, In, Out>) {
    return start_compiled_scan<Op, In, Out>(op);
  } else if constexpr (sums_integers<Op, In, Out>) {
    if constexpr (held_scan<sum, In, Out>)
      return start_compiled_scan<sum, In, Out>({});
    else
      return make_owner<converted_sums<In, Out>>();
  } else {
    static_assert(
        requires { sizeof(scan_compiled_here<Op, In, Out>); },
        "include <tally/cpu_operators.hpp> for an operator or an aggregate of one's own");
    return scan_compiled_here<Op, In, Out>::start(op);
  }
}

// Throws unless `out` can take a scan of `in`: of one size, and apart or the same array.
template <class In, class Out>
void require_scannable(char const* call, std::span<In const> in, std::span<Out> out) {
  require_aligned(call, "in", in);
  auto const in_begin = reinterpret_cast<std::uintptr_t>(in.data()),
             out_begin = reinterpret_cast<std::uintptr_t>(out.data());
  bool const apart =
      in_begin + in.size_bytes() <= out_begin || out_begin + out.size_bytes() <= in_begin;
  if (!apart && !(in_begin == out_begin && sizeof(In) == sizeof(Out)))
    throw error(std::string(call) + ": out overlaps in without being the same array");
}

// Throws unless `out` has room for n results.
template <class Out>
void require_results(char const* call, std::uint64_t n, std::span<Out> out) {
  require_as_many(call, n, out.size());
  require_aligned(call, "out", out);
}
// An exclusive scan begins with something.
inline void require_start(bool has_start) {
  if (!has_start) throw error("exclusive_scan: init is missing, and the operator has no identity");
}

}  // namespace detail

template <class In, class Out, class Op>
class scan_carry;  // scan_carry.hpp

namespace detail {

// Where a scan in instalments is.
template <class In, class Out>
struct scan_position {
  bool reverse;
  nan_policy nan;
  std::uint64_t next;
  owner<running_scan<In, Out>> before;

  void require(char const* call, std::uint64_t n, std::span<Out> out, bool exclusive) const {
    require_start(!exclusive || n == 0 || before->has_start());
    require_results(call, n, out);
  }
  // Calls scan(index of the first) for the n elements that follow, and goes on behind them.
  template <class F>
  void go(std::uint64_t n, F const& scan) {
    std::uint64_t const begin = reverse ? next - n : next;
    scan(begin);
    next = reverse ? begin : begin + n;
  }
};

// Scans in instalments by what `Where` is.
template <class Where>
struct scanners_on;
template <>
struct scanners_on<cpu> {
  template <readable X, class In, class Out, class Op>
  static void scan(cpu where, char const* call, X const& in, std::span<Out> out, Op const&,
                   scan_position<In, Out>& at, bool exclusive) {
    static_assert(readable_here<X>, "a scan: cores do not see the elements of this array");
    auto const run = [&](std::span<In const> part, std::span<Out> to) {
      at.go(part.size(), [&](std::uint64_t first) {
        at.before->scan(where, part.data(), to.data(), part.size(), first, {exclusive, at.reverse},
                        at.nan);
      });
    };
    if constexpr (input<X>) {
      at.require(call, in.size(), out, exclusive);
      for_computed(where, in, at.reverse, [&](std::span<In const> part, std::uint64_t first) {
        run(part, out.subspan(std::size_t(first), part.size()));
      });
    } else {
      std::span<In const> const x = span_of(call, "in", in);
      at.require(call, x.size(), out, exclusive);
      require_scannable(call, x, out);
      run(x, out);
    }
  }
  // The elements of `in` follow, without results.
  template <readable X, class In, class Out, class Op>
  static void skip(cpu where, char const* call, X const& in, Op const&,
                   scan_position<In, Out>& at) {
    static_assert(readable_here<X>, "a scan: cores do not see the elements of this array");
    auto const run = [&](std::span<In const> part, std::uint64_t) {
      at.go(part.size(), [&](std::uint64_t first) {
        at.before->skip(where, part.data(), part.size(), first, at.reverse, at.nan);
      });
    };
    if constexpr (input<X>) {
      for_computed(where, in, at.reverse, run);
    } else {
      std::span<In const> const x = span_of(call, "in", in);
      require_aligned(call, "in", x);
      run(x, 0);
    }
  }
};

}  // namespace detail

// A scan in instalments; `reverse`: the chunks come from last to first.
//
//   tally::scanner<float, float, tally::sum> running;
//   while (...) running.inclusive(here, chunk, out);
//
// With sum{}, integers or any other any-order aggregate, the outputs are those of a single call
// over the whole array, bit for bit, wherever each chunk is. On a gpu, which takes operators on
// elements and what has a name, a call waits for the stream.
template <class In, class Out, class Op>
class scanner {
 public:
  using carry_type = scan_carry<In, Out, Op>;

  // `first` is the index of the first element to come or, in reverse, one past it: for aggregates
  // whose lift looks at the index.
  explicit scanner(Op const& op = {}, scan_options<Out> const& options = {},
                   std::uint64_t first = 0)
      : op_(op), at_{options.reverse, options.nan, first, detail::start_scan<In, Out>(op)} {
    if (options.init) at_.before->start(*options.init);
  }
  // Goes on where another one was, here or elsewhere.
  explicit scanner(carry_type const& carry, Op const& op = {}, nan_policy nan = propagate)
      : op_(op), at_{carry.reverse(), nan, carry.next(), detail::start_scan<In, Out>(op)} {
    carry.put_into(*at_.before);
  }

  template <execution Where>
  void inclusive(Where&& where, std::span<In const> in, std::span<Out> out) {
    scan("inclusive_scan", where, in, out, false);
  }
  template <execution Where>
  void exclusive(Where&& where, std::span<In const> in, std::span<Out> out) {
    scan("exclusive_scan", where, in, out, true);
  }
  // Other arrays, and what is computed while it is read: out[i] is written after in[i] is read, and
  // in[j] may be read later.
  template <execution Where, detail::readable X, detail::contiguous Y>
    requires(detail::gives<X, In> && detail::gives<Y, Out>)
  void inclusive(Where&& where, X const& in, Y&& out) {
    scan("inclusive_scan", where, in, out, false);
  }
  template <execution Where, detail::readable X, detail::contiguous Y>
    requires(detail::gives<X, In> && detail::gives<Y, Out>)
  void exclusive(Where&& where, X const& in, Y&& out) {
    scan("exclusive_scan", where, in, out, true);
  }

  // Elements that follow, whose results are not asked for: read, and no more.
  template <execution Where, detail::readable X>
    requires detail::gives<X, In>
  void skip(Where&& where, X const& in) {
    decltype(auto) elements = detail::as_elements<In>("skip", in);
    detail::settled_memory<detail::element_of<X>> const during;
    detail::calls_on<detail::scanners_on, Where>::skip(where, "skip", elements, op_, at_);
  }
  // What a scanner knows that began at the index 0, without init, goes in the same direction, and
  // has seen the elements that follow here: for aggregates whose lift does not look at the index.
  void append(carry_type const& next) {
    if (next.reverse() != at_.reverse)
      throw error(std::string("append: a scan ") + (at_.reverse ? "forward" : "in reverse") +
                  " to one " + (at_.reverse ? "in reverse" : "forward"));
    auto const other = detail::start_scan<In, Out>(op_);
    next.put_into(*other);
    at_.before->append(*other, at_.reverse);
    at_.next += next.next();
  }

  // Of everything so far; a default value if there was nothing, not even an identity.
  Out total() const { return at_.before->total(); }
  // The same, not rounded (scan_carry.hpp).
  carry_type carry() const { return carry_type(at_); }
  // What calls go on with, here and elsewhere.
  detail::scan_position<In, Out>& position() { return at_; }

 private:
  Op op_;
  detail::scan_position<In, Out> at_;

  template <class Where, class X, class Y>
  void scan(char const* call, Where& where, X const& in, Y& out, bool exclusive) {
    auto const to = detail::span_of(call, "out", out);
    std::span<Out> const results(reinterpret_cast<Out*>(to.data()), to.size());
    decltype(auto) elements = detail::as_elements<In>(call, in);
    detail::settled_memory<detail::element_of<X>, detail::value_of<Y>> const during;
    detail::calls_on<detail::scanners_on, Where>::scan(where, call, elements, results, op_, at_,
                                                       exclusive);
  }
};

namespace detail {

// Scans by what `Where` is.
template <class Where>
struct scans_on;

// Whether short rows are scanned without a state, where that is certain.
template <class Op, class In, class Out>
inline constexpr bool scans_short_rows = false;
template <class In, class Out>
inline constexpr bool scans_short_rows<sum, In, Out> =
    held_scan<sum, In, Out> &&
    (integer<In> || sizeof(In) < sizeof(double) || std::is_same_v<In, Out>);

// Throws unless each row of `in` has one of `out` for its results.
template <class In, class Out>
void require_rows_to_scan(char const* call, rows<In> const& in, rows<Out> const& out) {
  require_as_many(call, in, out);
  require_rows(call, "in", in);
  require_rows(call, "out", out);
}

template <>
struct scans_on<cpu> {
  template <readable R, class Out, class Op>
  static void run(cpu where, R const& in, std::span<Out> out, Op const& op,
                  scan_options<Out> const& options, bool exclusive) {
    static_assert(readable_here<R>, "a scan: cores do not see the elements of this array");
    scanner<element_of<R>, Out, Op> all(op, options, options.reverse ? out.size() : 0);
    exclusive ? all.exclusive(where, in, out) : all.inclusive(where, in, out);
    if (options.total) *options.total = all.total();
  }
  template <class In, class Out, class Op>
  static void run(cpu where, rows<In const> const& in, rows<Out> const& out, Op const& op,
                  scan_options<Out> const& options, bool exclusive) {
    char const* const call = exclusive ? "exclusive_scan" : "inclusive_scan";
    require_rows_to_scan(call, in, out);
    require_lengths(call, in);
    require_lengths(call, out);
    require_apart(call, in_memory(in), in_memory(out), true);
    auto const scan = [&](cpu with, std::uint64_t r) {
      row_here elements(in, r, in.size(r));
      elements.read();
      auto const row = elements.elements();
      row_here results(out, r, row.size());
      auto const to = results.elements();
      scanner<In, Out, Op> all(op, options, options.reverse ? row.size() : 0);
      exclusive ? all.exclusive(with, row, to) : all.inclusive(with, row, to);
      results.write();
      if (options.total) options.total[r] = all.total();
    };
    if constexpr (scans_short_rows<Op, In, Out>)
      if (in.length <= longest_short_row || are_columns_to_scan(in, out)) {
        short_row_scan<In, Out> const call{in,
                                           out,
                                           options.init.value_or(Out{}),
                                           options.total,
                                           {exclusive, options.reverse},
                                           options.nan};
        scan_short_rows(where, call, scan);
        return;
      }
    for_rows(where, in.count, scan);
  }

 private:
  // Some rows at a time; each that is not certain by scan(cores, row number).
  template <class In, class Out, class F>
  static void scan_short_rows(cpu where, short_row_scan<In, Out> const& call, F const& scan) {
    constexpr std::uint64_t most = 4096, alone = 32768;  // elements for one thread
    std::uint64_t const least = call.in.length <= longest_short_row ? 64 : 16;
    std::uint64_t const count = call.in.count;
    int const cores = thread_count(where), threads = count * call.in.length < alone ? 1 : cores;
    std::uint64_t const each = count / (8 * std::uint64_t(threads)) / least * least;
    std::uint64_t const some = each < least ? least : each < most ? each : most;
    parallel_for(threads, std::size_t((count + some - 1) / some), [&](std::size_t i) {
      std::uint64_t const first = i * some, end = first + some < count ? first + some : count;
      bool done[most];
      scan_short_rows_compiled(call, first, end, done);
      for (std::uint64_t r = first; r < end; ++r)
        if (!done[r - first]) scan(cpu{1}, r);
    });
  }
};

}  // namespace detail
}  // namespace tally
