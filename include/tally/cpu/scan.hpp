// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans on this machine's cores. Names no aggregate.
#pragma once

#include <optional>

#include "tally/cpu/path_counters.hpp"
#include "tally/cpu/reduce.hpp"

namespace tally::detail {

// A reverse scan goes from the last element to the first; its operands keep index order all the
// same.
struct scan_shape {
  bool exclusive = false, reverse = false;
};

// What comes before the elements that follow; absent only without an identity.
template <class A>
using carry_of = maybe<typename A::state>;

template <aggregate A>
carry_of<A> no_carry(A const& a) {
  if constexpr (has_identity<A>)
    return {a.identity(), true};
  else
    return {{}, false};
}

template <class A>
concept has_prefix = requires { typename A::prefix; };

// The running results of a tile, one element at a time.
template <aggregate A, class Tile>
TALLY_CPU_FN void scan_elements(A const& a, Tile const& t, bool reverse, carry_of<A>& carry,
                                typename A::result* out) {
  int k = 0;
  for (; k < t.count && !carry.present; ++k) {
    if (t.live(k)) carry = {a.lift(t[k], t.index(k)), true};
    out[k] = carry.present ? a.lower(carry.value) : typename A::result{};
  }
  auto s = carry.value;
  for (; k < t.count; ++k) {
    if (t.live(k)) {
      auto const x = a.lift(t[k], t.index(k));
      s = reverse ? a.combine(x, s) : a.combine(s, x);
    }
    out[k] = a.lower(s);
  }
  carry.value = s;
}

template <has_prefix A>
class prefix_scanner {
 public:
  explicit prefix_scanner(carry_of<A> const& carry) : prefix_(carry.value) {}
  template <class Tile>
  TALLY_CPU_FN void scan(A const& a, Tile const& t, bool reverse, carry_of<A>& carry,
                         typename A::result* out) {
    if (prefix_.emit(t, out)) {
      ++emitted_;
    } else {
      scan_slowly(a, t, reverse, carry, out);
    }
  }
  void leave(carry_of<A>& carry) const {
    prefix_.store(carry.value);
    count_path(path::scan_emit, emitted_);
  }

 private:
  typename A::prefix prefix_;
  std::uint64_t emitted_ = 0;

  template <class Tile>
  TALLY_CPU_COLD void scan_slowly(A const& a, Tile const& t, bool reverse, carry_of<A>& carry,
                                  typename A::result* out) {
    prefix_.store(carry.value);
    scan_elements(a, t, reverse, carry, out);
    prefix_ = typename A::prefix(carry.value);
    count_path(path::scan_elements);
  }
};

template <aggregate A>
class element_scanner {
 public:
  explicit element_scanner(carry_of<A> const&) {}
  template <class Tile>
  TALLY_CPU_FN void scan(A const& a, Tile const& t, bool reverse, carry_of<A>& carry,
                         typename A::result* out) {
    scan_elements(a, t, reverse, carry, out);
  }
  void leave(carry_of<A>&) const {}
};

template <class A>
struct scanner_of {
  using type = element_scanner<A>;
};
template <has_prefix A>
struct scanner_of<A> {
  using type = prefix_scanner<A>;
};

// Scans n elements in this thread and moves `carry` past them. `out` may be `in`.
template <aggregate A, nan_policy Nan, int Width>
TALLY_CPU_FN void scan_tiles(A const& a, typename A::element const* in, typename A::result* out,
                             std::uint64_t n, std::uint64_t first, scan_shape shape,
                             carry_of<A>& carry) {
  using In = typename A::element;
  using Out = typename A::result;
  using tile_type = tile<In, Nan, Width>;
  constexpr int size = tile_type::size;
  typename scanner_of<A>::type scanner(carry);
  // Results go where they belong at once, unless a failed attempt would overwrite the input.
  bool const apart = !has_prefix<A> || static_cast<void const*>(in) != out;
  bool const straight = !shape.exclusive && !shape.reverse && apart;
  In turned[size];
  Out results[size + 1];  // behind the result so far, the tile's
  results[0] = carry.present ? a.lower(carry.value) : Out{};
  for (std::uint64_t done = 0; done < n;) {
    int const length = int(std::min<std::uint64_t>(size, n - done));
    std::uint64_t const at = shape.reverse ? n - done - length : done;
    tile_type t{in + at, length, first + at};
    if (shape.reverse) {
      std::reverse_copy(t.data, t.data + length, turned);
      t = {turned, length, first + at + length - 1, -1};
    }
    scanner.scan(a, t, shape.reverse, carry, straight ? out + at : results + 1);
    if (!straight) {
      Out const* const from = results + (shape.exclusive ? 0 : 1);
      if (shape.reverse)
        std::reverse_copy(from, from + length, out + at);
      else
        std::copy(from, from + length, out + at);
      results[0] = results[length];
    }
    done += length;
  }
  scanner.leave(carry);
}

// The array is cut into chunks, in the direction of travel; a group of chunks, small enough to stay
// in cache, is first reduced for its carries and then scanned, all its chunks at once.
template <aggregate A, nan_policy Nan>
void scan_on_cpu(A const& a, int threads, typename A::element const* in, typename A::result* out,
                 std::uint64_t n, std::uint64_t first, scan_shape shape, carry_of<A>& carry) {
  auto const run = [&](std::uint64_t begin, std::uint64_t length, carry_of<A>& c) {
    run_vectorised([&](auto width) __attribute__((always_inline)) {
      scan_tiles<A, Nan, width>(a, in + begin, out + begin, length, first + begin, shape, c);
    });
  };
  // Grouping may change the bits of an ordered aggregate; so it must not depend on `threads`.
  std::uint64_t const chunk = takes_any_order<A> ? 131072 : 16384;
  if (takes_any_order<A> ? threads == 1 || n < alone_below : n <= chunk)
    return parallel_for(1, 1, [&](std::size_t) { run(0, n, carry); });

  std::size_t const chunks = std::size_t((n + chunk - 1) / chunk);
  std::size_t const group = std::min(chunks, std::size_t(threads) * (takes_any_order<A> ? 1 : 8));
  std::vector<carry_of<A>> carries(group);
  auto const begin_of = [&](std::size_t i) {
    return shape.reverse ? n - std::min(n, (i + 1) * chunk) : i * chunk;
  };
  auto const end_of = [&](std::size_t i) {
    return shape.reverse ? n - i * chunk : std::min(n, (i + 1) * chunk);
  };
  for (std::size_t base = 0; base < chunks; base += group) {
    std::size_t const count = std::min(group, chunks - base);
    parallel_for(threads, count, [&](std::size_t i) {
      partial<A> part(a);
      reduce_run<A, Nan>(a, {in}, begin_of(base + i), end_of(base + i), first, part);
      carries[i] = part.total(a);
    });
    for (std::size_t i = 0; i < count; ++i) {
      auto const total = carries[i];
      carries[i] = carry;
      carry = shape.reverse ? combine(a, total, carry) : combine(a, carry, total);
    }
    parallel_for(threads, count, [&](std::size_t i) {
      run(begin_of(base + i), end_of(base + i) - begin_of(base + i), carries[i]);
    });
  }
}

// As compiled_reduce.
template <class A>
inline constexpr bool compiled_scan = false;

template <aggregate A, nan_policy Nan>
void compiled_scan_on_cpu(A const& a, int threads, typename A::element const* in,
                          typename A::result* out, std::uint64_t n, std::uint64_t first,
                          scan_shape shape, carry_of<A>& carry);

template <aggregate A>
void scan_span(A const& a, cpu where, std::span<typename A::element const> in,
               std::span<typename A::result> out, std::uint64_t first, scan_shape shape,
               nan_policy nan, carry_of<A>& carry) {
  int const threads = thread_count(where);
  auto const run = [&]<nan_policy Nan>() {
    with_standard_arithmetic([&] {
      auto const n = in.size();
      if constexpr (compiled_scan<A>)
        compiled_scan_on_cpu<A, Nan>(a, threads, in.data(), out.data(), n, first, shape, carry);
      else
        scan_on_cpu<A, Nan>(a, threads, in.data(), out.data(), n, first, shape, carry);
    });
  };
  if (nan == skip && floating<typename A::element>)
    run.template operator()<skip>();
  else
    run.template operator()<propagate>();
}

}  // namespace tally::detail
