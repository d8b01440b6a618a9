// SPDX-License-Identifier: Apache-2.0
#include "gpu_reduction.hpp"

#include "count_nan.hpp"
#include "reduction_answers.hpp"
#include "tally/gpu/compiled.hpp"
#include "tally/gpu/copy.hpp"

namespace tally::cli {
namespace {

// Whether there is a kernel for it.
template <class Op, element T>
inline constexpr bool compiled = false;
template <class Op, element T>
  requires requires(Op const op) { op.template on<T>(); }
inline constexpr bool compiled<Op, T> =
    detail::compiled_on_gpu<detail::bound_to<Op, T>, array_input<T>>;

// With a result of type R.
template <class R, element T, class Op>
R result_as(gpu& there, std::span<T const> x, Op const& op, reduce_options options) {
  using as = decltype(op.template as<R>());
  if constexpr (compiled<as, T>) {
    return reduce(there, x, op.template as<R>(), options);
  } else {
    if constexpr (compiled<Op, T>)
      if constexpr (std::is_same_v<R, typename detail::bound_to<Op, T>::result>)
        return reduce(there, x, op, options);
    throw error("--device gpu: not on a GPU yet: --out-dtype " + std::string(name(dtype_of<R>)) +
                " of " + std::string(name(dtype_of<T>)));
  }
}

template <element T, class Op>
answer rounded_on(gpu& there, std::span<T const> x, reduction_settings const& s, Op const& op) {
  return answer_with(rounded<T>(s, [&]<class R>(std::type_identity<R>) {
    return result_as<R>(there, x, op, {.nan = s.nan()});
  }));
}

template <element T>
answer sum_on(gpu& there, std::span<T const> x, reduction_settings const& s) {
  if constexpr (integer<T>) {
    if (!s.out_type || !is_floating(*s.out_type))
      return answer_with(number(reduce(there, x, sum{}, reduce_options{.nan = s.nan()})));
  }
  return rounded_on(there, x, s, sum{});
}

template <class Value, class Index, element T>
answer end_on(gpu& there, std::span<T const> x, reduction_settings const& s) {
  reduce_options const options{.nan = s.nan()};
  auto a = answer_with(number(reduce(there, x, Value{}, options)));
  a.keys["index"] = reduce(there, x, Index{}, options);
  return a;
}

template <element T>
answer answer_on(gpu& there, std::span<T const> x, reduction_settings const& s) {
  if (s.command == "sum") return sum_on(there, x, s);
  if (s.command == "fast-sum")
    return answer_with(number(reduce(there, x, fast_sum{}, reduce_options{.nan = s.nan()})));
  if (s.command == "mean") return rounded_on(there, x, s, mean{});
  if (s.command == "variance") {
    auto a = rounded_on(there, x, s, variance{.ddof = s.ddof});
    a.keys["ddof"] = s.ddof;
    return a;
  }
  if (s.command == "describe")
    return description_of<T>(s, reduce(there, x, describe{s.ddof}, reduce_options{.nan = skip}),
                             x.size());
  if (s.command == "min") return end_on<minimum, arg_minimum>(there, x, s);
  return end_on<maximum, arg_maximum>(there, x, s);
}

// The least and the greatest need an element; so does a mean.
void require_one(input const& in, std::uint64_t count, std::uint64_t nan,
                 reduction_settings const& s) {
  bool const needs = s.command != "sum" && s.command != "fast-sum";
  if (needs && count == (s.skip_nan ? nan : 0))
    throw error(s.command + ": " + in.name() + " is empty" + (count ? " without its NaNs" : ""));
}

}  // namespace

std::optional<gpu_reduction> reduce_on_gpu(input& in, arguments const& options,
                                           reduction_settings const& settings) {
  require_possible_result(settings);
  gpu there{.device = *options.gpu};
  auto const bytes = in.count().value_or(0) * size_of(in.type());
  if (bytes > there.free_bytes()) return std::nullopt;
  return visit(in.type(), [&]<class T>(std::type_identity<T>) -> gpu_reduction {
    bool const counts_nan = options.json || settings.skip_nan;
    gpu_copy copy(there, bytes);
    std::uint64_t nan = 0;
    for (auto chunk = in.next(); !chunk.empty(); chunk = in.next()) {
      copy.append(chunk);
      if (counts_nan) nan += count_nan<T>(options.where, elements<T>(chunk));
    }
    auto const x = copy.as<T>();
    require_one(in, x.size(), nan, settings);
    return {answer_on<T>(there, x, settings), counts_nan ? std::optional(nan) : std::nullopt,
            "gpu:" + std::to_string(there.index())};
  });
}

}  // namespace tally::cli
