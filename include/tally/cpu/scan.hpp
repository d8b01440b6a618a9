// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans on this machine's cores. Names no aggregate.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include "tally/cpu/path_counters.hpp"
#include "tally/cpu/prefix/prefix.hpp"
#include "tally/cpu/reduce.hpp"
#include "tally/cpu/running_scan.hpp"
#include "tally/cpu/stream_store.hpp"

namespace tally::detail {

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

// Scans tiles: one element at a time, or by a prefix.
template <class A>
class tile_scanner {
 public:
  tile_scanner(carry_of<A> const&, bool) {}
  template <class Tile>
  TALLY_CPU_FN void scan(A const& a, Tile const& t, bool reverse, carry_of<A>& carry,
                         typename A::result* out) {
    scan_elements(a, t, reverse, carry, out);
  }
  template <class Tile, class To>
  TALLY_CPU_FN bool stream(Tile const&, To) {
    return false;
  }
  void leave(carry_of<A>&) const {}
};

template <has_prefix A>
class tile_scanner<A> {
  using prefix = prefix_type<A>;
  static_assert(prefix_of<prefix, A>);

 public:
  tile_scanner(carry_of<A> const& carry, bool lazy) : lazy_(lazy && may_be_lazy<prefix>) {
    start(carry);
  }
  template <class Tile>
  TALLY_CPU_FN void scan(A const& a, Tile const& t, bool reverse, carry_of<A>& carry,
                         typename A::result* out) {
    if (prefix_->emit(t, in_caches<typename A::result>{out}))
      ++emitted_;
    else
      scan_slowly(a, t, reverse, carry, out);
  }
  // Does what scan() does, to results past the caches; or returns false, with nothing of use done.
  template <class Tile, class To>
  TALLY_CPU_FN bool stream(Tile const& t, To out) {
    bool done;
    if constexpr (streams_apart<prefix, Tile, To>)
      done = prefix_->stream(t, out);
    else
      done = prefix_->emit(t, out);
    emitted_ += done;
    return done;
  }
  void leave(carry_of<A>& carry) {
    if constexpr (may_be_lazy<prefix>)
      lazy_ ? prefix_->count_paths() : prefix_->store(carry.value);
    else
      prefix_->store(carry.value);
    count_path(path::scan_emit, emitted_);
  }

 private:
  std::optional<prefix> prefix_;
  bool lazy_;
  std::uint64_t emitted_ = 0;

  void start(carry_of<A> const& carry) {
    prefix_.emplace(carry.value);
    if constexpr (may_be_lazy<prefix>)
      if (lazy_) prefix_->be_lazy();
  }

  template <class Tile>
  TALLY_CPU_COLD void scan_slowly(A const& a, Tile const& t, bool reverse, carry_of<A>& carry,
                                  typename A::result* out) {
    prefix_->store(carry.value);
    scan_elements(a, t, reverse, carry, out);
    start(carry);
    count_path(path::scan_elements);
  }
};

// How many of Size elements from p on lie before the last cache line that begins there.
template <int Size, class T>
std::uint64_t up_to_line(T const* p) {
  return line_bytes % sizeof(T) != 0
             ? Size
             : Size - reinterpret_cast<std::uintptr_t>(p) % line_bytes / sizeof(T);
}

// Whether a cache line begins at p, and elements do not lie across two.
template <class T>
bool is_line(T const* p) {
  return line_bytes % sizeof(T) == 0 && reinterpret_cast<std::uintptr_t>(p) % line_bytes == 0;
}

// What a thread scans next, and where its total goes.
template <aggregate A>
struct scanned_next {
  typename A::element const* in = nullptr;
  std::uint64_t n = 0, first = 0;
  partial<A>* total = nullptr;
};

// Adds up what is scanned next, a tile at a time while others are scanned, so that memory does not
// wait for it.
template <aggregate A, nan_policy Nan, int Width>
class total_of_next {
  using element = typename A::element;
  using tile_type = tile<element, Nan, Width, reduced_at_once<element>>;
  static constexpr std::uint64_t behind = 4096 / sizeof(element);  // what is on its way
  scanned_next<A> const& next_;
  scan_accumulator_type<A> acc_;
  std::uint64_t done_ = 0;

 public:
  TALLY_CPU_FN total_of_next(A const& a, scanned_next<A> const& next)
      : next_(next), acc_(make_accumulator<A, scan_accumulator_type<A>>(a)) {}
  // Adds up a tile if it is among the elements that have been asked for, and some more have been.
  TALLY_CPU_FN void follow(std::uint64_t asked_for) {
    if (std::min(asked_for, next_.n) >= done_ + tile_type::size + behind) add(tile_type::size);
  }
  TALLY_CPU_FN void finish() {
    while (done_ < next_.n) add(int(std::min<std::uint64_t>(tile_type::size, next_.n - done_)));
    if (next_.n > 0) acc_.flush(next_.total->value);
  }

 private:
  TALLY_CPU_FN void add(int count) {
    acc_.add(tile_type{next_.in + done_, count, next_.first + done_, 1, true}, next_.total->value);
    done_ += std::uint64_t(count);
  }
};

// Adds up all of `part`, whose total is of nothing, now.
template <aggregate A, nan_policy Nan>
void add_up(A const& a, scanned_next<A> const& part) {
  if constexpr (takes_any_order<A>)
    run_vectorised([&](auto width) __attribute__((always_inline)) {
      total_of_next<A, Nan, width>(a, part).finish();
    });
  else
    *part.total = reduce_elements(a, 1, {part.in}, part.n, part.first, Nan);
}

// Stands for total_of_next where an aggregate's totals depend on how they are grouped.
template <aggregate A>
struct no_total {
  no_total(A const&, scanned_next<A> const&) {}
  void follow(std::uint64_t) const {}
  void finish() const {}
};

// Puts a tile's results in their place, and if they bypass the caches, asks for what comes `soon`.
template <class In, class Out>
TALLY_CPU_FN void put_results(Out const* from, Out* to, int length, bool reverse, bool large,
                              In const* soon) {
  if (reverse)
    std::reverse_copy(from, from + length, to);
  else if (large)
    stream_copy(reinterpret_cast<std::byte*>(to), reinterpret_cast<std::byte const*>(from),
                std::size_t(length) * sizeof(Out),
                soon ? prefetched{reinterpret_cast<std::byte const*>(soon),
                                  line_bytes * sizeof(In) / sizeof(Out)}
                     : prefetched{});
  else
    std::copy(from, from + length, to);
}

// Scans n elements on this thread, and updates `carry` if it is of `further` use. If `large`,
// results bypass the caches, what comes `next` is brought into them, and `out` must not be `in`.
// Meanwhile the total of what comes next is accumulated.
template <aggregate A, nan_policy Nan, int Width>
TALLY_CPU_FN void scan_tiles(A const& a, typename A::element const* in, typename A::result* out,
                             std::uint64_t n, std::uint64_t first, scan_shape shape, bool large,
                             scanned_next<A> const& next, bool further, carry_of<A>& carry) {
  typename A::element const* const soon = next.in;
  std::conditional_t<takes_any_order<A>, total_of_next<A, Nan, Width>, no_total<A>> total(a, next);
  using In = typename A::element;
  using Out = typename A::result;
  using tile_type = tile<In, Nan, Width>;
  constexpr int size = tile_type::size;
  // Results go where they belong at once, unless a failed attempt would overwrite the input.
  bool const apart = !has_prefix<A> || static_cast<void const*>(in) != out;
  bool const straight = !shape.exclusive && !shape.reverse && apart && !large;
  bool const streams = !shape.exclusive && !shape.reverse && large;
  bool const stay = !shape.reverse && static_cast<void const*>(in) != out;
  tile_scanner<A> scanner(carry, stay && !further);
  In turned[size];
  // The tile's results stand behind the result so far, where a cache line begins, as in `out` from
  // the second tile on. A vector that is stored across two lines and read again costs more than the
  // scan.
  constexpr int margin = std::max(1, line_bytes / int(sizeof(Out)));
  alignas(std::max<std::size_t>(line_bytes, alignof(Out))) Out buffer[margin + size];
  Out* const results = buffer + margin - 1;
  results[0] = carry.present ? a.lower(carry.value) : Out{};
  for (std::uint64_t done = 0; done < n;) {
    total.follow(done);
    std::uint64_t const whole = large && done == 0 ? up_to_line<size>(out) : size;
    int const length = int(std::min(whole, n - done));
    std::uint64_t const at = shape.reverse ? n - done - length : done;
    tile_type t{in + at, length, first + at};
    if (streams && length == size && is_line(out + at) &&
        scanner.stream(t, past_caches<In, Out>{out + at, soon ? soon + done : in + at})) {
      done += size;
      continue;
    }
    if (shape.reverse) {
      std::reverse_copy(t.data, t.data + length, turned);
      t = {turned, length, first + at + length - 1, -1};
    }
    scanner.scan(a, t, shape.reverse, carry, straight ? out + at : results + 1);
    if (!straight) {
      put_results(results + (shape.exclusive ? 0 : 1), out + at, length, shape.reverse, large,
                  soon ? soon + done : nullptr);
      results[0] = results[length];
    }
    done += length;
  }
  if (large) stream_fence();
  scanner.leave(carry);
  total.finish();
}

// What all of n elements come to.
template <aggregate A, nan_policy Nan>
carry_of<A> total_on_cpu(A const& a, int threads, typename A::element const* in, std::uint64_t n,
                         std::uint64_t first) {
  if constexpr (!takes_any_order<A>) {
    return reduce_elements(a, threads, {in}, n, first, Nan).total(a);
  } else {
    array_pieces const pieces(threads, n, n < grain_size);
    std::vector<partial<A>> parts(pieces.count, partial<A>(a));
    parallel_for(threads, pieces.count, [&](std::size_t i) {
      auto const begin = pieces.begin(i);
      add_up<A, Nan>(a, {in + begin, pieces.begin(i + 1) - begin, first + begin, &parts[i]});
    });
    partial<A> total(a);
    for (auto const& part : parts) total.append(a, part);
    return total.total(a);
  }
}

// What comes before each chunk, handed from one chunk to the next: chunk i takes it when chunk i -
// 1 has put it there, and puts there what comes before chunk i + 1. Who takes chunk i may wait for
// those who have taken the chunks before, and for nobody else.
template <aggregate A>
class carry_line {
 public:
  explicit carry_line(carry_of<A> const& first) : carry_(first) {}

  // Exchanges what comes before chunk i for next(that), and returns it; nothing once it is broken.
  template <class F>
  std::optional<carry_of<A>> pass(std::size_t i, F&& next) {
    for (int tries = 0; at_.load(std::memory_order_acquire) != i; ++tries) {
      if (broken_.load(std::memory_order_relaxed)) return std::nullopt;
      if (tries > 64) std::this_thread::yield();
    }
    auto const before = carry_;
    carry_ = next(before);
    at_.store(i + 1, std::memory_order_release);
    return before;
  }
  // Nobody waits any longer.
  void break_off() { broken_.store(true, std::memory_order_relaxed); }
  carry_of<A> const& last() const { return carry_; }

 private:
  std::atomic<std::size_t> at_ = 0;
  std::atomic<bool> broken_ = false;
  carry_of<A> carry_;
};

// The array is cut into chunks, in the direction of travel. A thread adds what comes before its
// chunk to the chunk's total and hands that on, takes the next chunk, and scans the present one,
// which is in its cache, while the next one comes there and is reduced: memory is read once and
// written once, both all the time, and nobody waits for the slowest.
// run(begin, end, what comes next, carry) scans a chunk; `ahead`: what comes next is reduced by it.
template <aggregate A, nan_policy Nan, class Run>
void scan_chunks(A const& a, int threads, typename A::element const* in, std::uint64_t n,
                 std::uint64_t first, std::uint64_t chunk, bool reverse, bool ahead,
                 carry_of<A>& carry, Run const& run) {
  std::size_t const chunks = std::size_t((n + chunk - 1) / chunk);
  std::atomic<std::size_t> next = 0;
  carry_line<A> line(carry);
  auto const bounds = [&](std::size_t i) {
    std::uint64_t const from = i * chunk, to = std::min(n, from + chunk);
    return std::pair(reverse ? n - to : from, reverse ? n - from : to);
  };
  parallel_for(threads, std::size_t(threads), [&](std::size_t) {
    try {
      auto const take = [&] { return next.fetch_add(1, std::memory_order_relaxed); };
      partial<A> part(a);
      bool known = false;  // the next chunk's total
      for (std::size_t i = take(); i < chunks;) {
        auto const [begin, end] = bounds(i);
        if (!known) add_up<A, Nan>(a, {in + begin, end - begin, first + begin, &part});
        auto const total = part.total(a);
        auto before = line.pass(i, [&](carry_of<A> const& c) {
          return reverse ? combine(a, total, c) : combine(a, c, total);
        });
        if (!before) return;
        part = partial<A>(a);
        scanned_next<A> soon;
        if ((i = take()) < chunks) {
          auto const [from, to] = bounds(i);
          known = ahead;
          soon = {in + from, known ? to - from : 0, first + from, &part};
        }
        run(begin, end, soon, *before);
      }
    } catch (...) {
      line.break_off();
      throw;
    }
  });
  carry = line.last();
}

template <aggregate A, nan_policy Nan>
void scan_on_cpu(A const& a, int threads, typename A::element const* in, typename A::result* out,
                 std::uint64_t n, std::uint64_t first, scan_shape shape, carry_of<A>& carry) {
  constexpr std::uint64_t caches = std::uint64_t(1) << 25;  // bytes
  bool const large = n * sizeof *out > caches && static_cast<void const*>(in) != out &&
                     std::is_trivially_copyable_v<typename A::result>;
  // Grouping may change the bits of an ordered aggregate; so it must not depend on `threads`.
  constexpr std::uint64_t chunk = takes_any_order<A> ? 262144 / sizeof(typename A::element) : 16384;
  bool const at_once = takes_any_order<A> ? threads == 1 || n < grain_size : n <= chunk;
  auto const run = [&](std::uint64_t begin, std::uint64_t end, scanned_next<A> const& next,
                       carry_of<A>& c) {
    run_vectorised([&](auto width) __attribute__((always_inline)) {
      scan_tiles<A, Nan, width>(a, in + begin, out + begin, end - begin, first + begin, shape,
                                large, next, at_once, c);
    });
  };
  if (at_once) return parallel_for(1, 1, [&](std::size_t) { run(0, n, {}, carry); });
  scan_chunks<A, Nan>(a, threads, in, n, first, chunk, shape.reverse,
                      takes_any_order<A> && large && !shape.reverse, carry, run);
}

}  // namespace tally::detail
