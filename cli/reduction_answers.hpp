// SPDX-License-Identifier: Apache-2.0
//
// From what a reduction knows to what the commands print.
#pragma once

#include "reduction.hpp"
#include "tally/error.hpp"
#include "tally/reduce.hpp"

namespace tally::cli {

inline answer answer_with(number value) {
  return {.lines = {value.text()},
          .keys = {{"value", value.to_json()},
                   {"bits", value.hexadecimal()},
                   {"result_dtype", name(value.type())}}};
}

// Calls f with the floating type that --out-dtype names, or the one that comes without it.
template <element T, class F>
number rounded(reduction_settings const& s, F&& f) {
  constexpr auto natural = dtype_of<std::conditional_t<floating<T>, T, double>>;
  return visit(s.out_type.value_or(natural), [&]<class R>(std::type_identity<R>) -> number {
    if constexpr (floating<R>)
      return number(f(std::type_identity<R>{}));
    else
      throw error("--out-dtype: " + std::string(name(dtype_of<R>)));
  });
}

template <element T>
number sum_of(reduction_settings const& s, exact_state<T> const& sum) {
  if constexpr (integer<T>) {
    if (!s.out_type || !is_floating(*s.out_type))
      return number(widest<T>(sum.finite.modulo_2_64()));
  }
  return rounded<T>(s, [&]<class R>(std::type_identity<R>) { return sum.template result<R>(); });
}

template <element T>
number minimum_of(typename extrema<T>::state const& ends) {
  return number(minimum{}.on<T>().lower(ends));
}
template <element T>
number maximum_of(typename extrema<T>::state const& ends) {
  return number(maximum{}.on<T>().lower(ends));
}

inline void add_number(answer& to, std::string const& key, number value) {
  to.keys[key] = value.to_json();
  if (is_floating(value.type())) to.keys[key + "_bits"] = value.hexadecimal();
}

template <element T>
answer description_of(reduction_settings const& s, description<T> const& d, std::uint64_t count) {
  answer a;
  auto const line = [&](char const* name, std::string const& text) {
    a.names.emplace_back(name);
    a.lines.push_back(text);
  };
  number const sum(d.sum), mean(d.mean), deviation(d.standard_deviation), least(d.minimum),
      greatest(d.maximum);
  line("count", std::to_string(count));
  line("nan_count", std::to_string(d.nan_count));
  line("sum", sum.text());
  line("mean", mean.text());
  line("standard_deviation", deviation.text());
  line("minimum", least.text() + " at " + std::to_string(d.minimum_index));
  line("maximum", greatest.text() + " at " + std::to_string(d.maximum_index));
  add_number(a, "sum", sum);
  add_number(a, "mean", mean);
  add_number(a, "standard_deviation", deviation);
  a.keys["ddof"] = s.ddof;
  add_number(a, "minimum", least);
  a.keys["minimum_index"] = d.minimum_index;
  add_number(a, "maximum", greatest);
  a.keys["maximum_index"] = d.maximum_index;
  return a;
}

template <element T, class Op>
std::uint64_t nan_count_of(reduction_settings const& s, reduce_stream<T, Op> const& stream) {
  auto const state = stream.state().value;
  if constexpr (integer<T>)
    return 0;
  else if constexpr (std::is_same_v<Op, minimum>)
    return state.nan;
  else if constexpr (std::is_same_v<Op, describe>)
    return state.b.nan;
  else
    return s.skip_nan ? stream.count() - state.count : state.sum.nan;
}

template <element T, class Op>
answer answer_of(reduction_settings const& s, reduce_stream<T, Op> const& stream,
                 std::string const& array) {
  auto const state = stream.state().value;
  auto const bound = Op{}.template on<T>();
  if constexpr (requires { bound.empty(state); })
    if (s.command != "sum" && bound.empty(state))
      throw error(s.command + ": " + array + " is empty" +
                  (stream.count() ? " without its NaNs" : ""));

  if constexpr (std::is_same_v<Op, fast_sum>) {
    return answer_with(number(stream.result()));
  } else if constexpr (std::is_same_v<Op, mean>) {
    if (s.command == "sum") return answer_with(sum_of(s, state.sum));
    return answer_with(rounded<T>(s, [&]<class R>(std::type_identity<R>) {
      return basic_mean<R>{}.template on<T>().lower(state);
    }));
  } else if constexpr (std::is_same_v<Op, variance>) {
    auto a = answer_with(rounded<T>(s, [&]<class R>(std::type_identity<R>) {
      return basic_variance<R, false>{s.ddof}.template on<T>().lower(state);
    }));
    a.keys["ddof"] = s.ddof;
    return a;
  } else if constexpr (std::is_same_v<Op, minimum>) {
    bool const least = s.command == "min";
    auto a = answer_with(least ? minimum_of<T>(state) : maximum_of<T>(state));
    a.keys["index"] =
        least ? arg_minimum{}.on<T>().lower(state) : arg_maximum{}.on<T>().lower(state);
    return a;
  } else {
    return description_of<T>(s, describe{s.ddof}.on<T>().lower(state), stream.count());
  }
}

}  // namespace tally::cli
