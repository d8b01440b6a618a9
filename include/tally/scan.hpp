// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans: each output is the reduction of all elements up to it.
#pragma once

#include <functional>
#include <optional>
#include <ranges>

#include "tally/aggregate/bits.hpp"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/cpu/compiled.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"
#include "tally/span.hpp"

namespace tally {

template <class T>
struct scan_options {
  std::optional<T> init = {};  // comes before the first element (reverse: after the last)
  bool reverse = false;        // out[i] is over the elements from i on instead of up to i
  T* total = nullptr;          // takes the result over everything, `init` included
  nan_policy nan = propagate;  // skip: a NaN adds nothing, and its output repeats the one before
};

// A scan in instalments; `reverse`: the chunks come from last to first.
//
//   tally::scan_stream<float, float, tally::sum> running;
//   while (...) running.inclusive(here, chunk, out);
//
// With sum{}, integers or any other any-order aggregate, the outputs are those of a single call
// over the whole array, bit for bit.
template <class In, class Out, class Op>
class scan_stream {
 public:
  using aggregate_type = decltype(detail::bind_scan<In, Out>(std::declval<Op const&>()));

  // `first` is the index of the first element to come or, in reverse, one past it: for aggregates
  // whose lift looks at the index.
  explicit scan_stream(Op const& op = {}, scan_options<Out> const& options = {},
                       std::uint64_t first = 0)
      : bound_(detail::bind_scan<In, Out>(op)),
        reverse_(options.reverse),
        nan_(options.nan),
        next_(first),
        carry_(detail::no_carry(bound_)) {
    if (options.init)
      detail::with_standard_arithmetic([&] { carry_ = {start(*options.init), true}; });
  }

  void inclusive(cpu where, std::span<In const> in, std::span<Out> out) {
    scan("inclusive_scan", where, in, out, false);
  }
  void exclusive(cpu where, std::span<In const> in, std::span<Out> out) {
    if (!carry_.present && !in.empty())
      throw error("exclusive_scan: init is missing, and the operator has no identity");
    scan("exclusive_scan", where, in, out, true);
  }

  // Of everything so far; a default value if there was nothing, not even an identity.
  Out total() const {
    Out out{};
    detail::with_standard_arithmetic([&] {
      if (carry_.present) out = bound_.lower(carry_.value);
    });
    return out;
  }

 private:
  aggregate_type bound_;
  bool reverse_;
  nan_policy nan_;
  std::uint64_t next_;
  detail::carry_of<aggregate_type> carry_;

  auto start(Out init) const {
    if constexpr (requires { bound_.start(init); })
      return bound_.start(init);
    else
      return bound_.lift(init, 0);
  }

  void scan(char const* name, cpu where, std::span<In const> in, std::span<Out> out,
            bool exclusive) {
    if (in.size() != out.size())
      throw error(std::string(name) + ": out has " + std::to_string(out.size()) +
                  " elements, in has " + std::to_string(in.size()));
    detail::require_aligned(name, "in", in);
    detail::require_aligned(name, "out", out);
    auto const* const in_begin = reinterpret_cast<char const*>(in.data());
    auto const* const out_begin = reinterpret_cast<char const*>(out.data());
    bool const apart = std::less_equal<>{}(in_begin + in.size_bytes(), out_begin) ||
                       std::less_equal<>{}(out_begin + out.size_bytes(), in_begin);
    if (!apart && !(in_begin == out_begin && sizeof(In) == sizeof(Out)))
      throw error(std::string(name) + ": out overlaps in without being the same array");
    if (reverse_) next_ -= in.size();
    detail::scan_span(bound_, where, in, out, next_, {exclusive, reverse_}, nan_, carry_);
    if (!reverse_) next_ += in.size();
  }
};

// out[i] = in[0] op ... op in[i]. `op` as for reduce; `out` may be `in`. A floating sum{} gives
// each prefix exactly, rounded once; integers are computed in out's type.
template <std::ranges::contiguous_range In, std::ranges::contiguous_range Out, class Op>
void inclusive_scan(cpu where, In const& in, Out&& out, Op const& op,
                    scan_options<std::type_identity_t<detail::value_of<Out>>> const& options = {}) {
  scan_stream<detail::value_of<In>, detail::value_of<Out>, Op> stream(
      op, options, options.reverse ? std::ranges::size(in) : 0);
  stream.inclusive(where, detail::span_of(in), detail::span_of(out));
  if (options.total) *options.total = stream.total();
}

// out[i] = init op in[0] op ... op in[i - 1]; without init, the operator's identity. An operator
// that has none needs init.
template <std::ranges::contiguous_range In, std::ranges::contiguous_range Out, class Op>
void exclusive_scan(cpu where, In const& in, Out&& out, Op const& op,
                    scan_options<std::type_identity_t<detail::value_of<Out>>> const& options = {}) {
  scan_stream<detail::value_of<In>, detail::value_of<Out>, Op> stream(
      op, options, options.reverse ? std::ranges::size(in) : 0);
  stream.exclusive(where, detail::span_of(in), detail::span_of(out));
  if (options.total) *options.total = stream.total();
}

}  // namespace tally
