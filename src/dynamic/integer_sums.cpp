// SPDX-License-Identifier: Apache-2.0
//
// The exact sums of integers and of their squares, beyond 2^64, too: as they are, or rounded once
// to a floating type. What is kept while elements come is the state of moments, of which both are
// parts.
#include "table.hpp"
#include "tally/cpu/implementations.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"

namespace tally::detail {
namespace {

template <int Digits>
wide_integer wide(fixed_point<Digits, 0> x) {
  static_assert(Digits < 8);
  x.carry();
  std::int64_t const top = x.digit[Digits - 1];
  wide_integer out;
  for (int i = 0; i < 8; ++i) {
    std::uint64_t const half =
        i < Digits ? std::uint64_t(x.digit[i]) : std::uint64_t(i == Digits ? top >> 32 : top >> 63);
    out.limb[i / 2] |= (half & 0xffffffff) << (i % 2 * 32);
  }
  return out;
}

// What is asked of the moments.
template <floating R>
struct rounded_sum {
  using op = sum;
  using result = R;
  static constexpr bool squares = false, wide = false;
  template <integer T>
  static void lower(moment_sums<T, false> const& s, any_result& out) {
    put(out, s.sum.template result<R>());
  }
};
struct wide_sum {
  using op = sum;
  using result = wide_integer;
  static constexpr bool squares = false, wide = true;
  template <integer T>
  static void lower(moment_sums<T, false> const& s, any_result& out) {
    put_wide<T>(out, detail::wide(s.sum.finite));
  }
};
struct wide_sum_of_squares {
  using op = sum_of_squares;
  using result = wide_integer;
  static constexpr bool squares = true, wide = true;
  template <integer T>
  static void lower(moment_sums<T, true> const& s, any_result& out) {
    put_wide<T>(out, detail::wide(s.squares.finite));
  }
};

template <integer T, class What>
struct of_moments {
  using parts = moments<T, What::squares>;
  using known_as = std::conditional_t<What::squares, sum_of_squares, mean>;

  static owner<running<T>> nothing_yet() { return start_compiled<known_as, T>({}); }
  static void append_on_gpu(aggregate_options const&, gpu& where, any_input const& in,
                            nan_policy nan, void* run) {
    if constexpr (gpu_calls)
      states_on<gpu>::append(where, *static_cast<known_run<T>*>(run), known_as{},
                             input_of(What::op::name, "in", arrays_of<T>::in(in)), nan);
  }
  static void lower(typename parts::state const& s, any_result& out) {
    with_standard_arithmetic([&] { What::lower(s, out); });
  }

  static any_result results() {
    any_result out;
    lower({}, out);
    return out;
  }
  static void at_once(aggregate_options const&, cpu where, any_input const& in, nan_policy nan,
                      any_result& out) {
    auto const x = input_of(What::op::name, "in", arrays_of<T>::in(in));
    auto const known = nothing_yet();
    known->add(thread_count(where), elements_of(x), x.size(), 0, nan);
    lower(total_of<parts>(*known).value, out);
  }
  static void lower_all(moment_sums<T, true> const& s, any_result& out) {
    if constexpr (What::squares)
      lower(s, out);
    else
      lower(moments<T, true>::template part<parts>(s), out);
  }
  static void on_gpu(aggregate_options const&, gpu& where, any_input const& in, nan_policy nan,
                     any_result& out) {
    if constexpr (gpu_calls)
      lower_all(reduce(where, arrays_of<T>::in(in), moments_state{}, reduce_options{nan}), out);
  }
  static void* start(aggregate_options const&) { return nothing_yet().release(); }
  static void finish(aggregate_options const&, void const* known, any_result& out) {
    lower(total_of<parts>(*static_cast<running<T> const*>(known)).value, out);
  }

  static constexpr std::size_t result_bytes = sizeof(typename What::result);
  static std::span<number_place const> numbers() {
    if constexpr (What::wide)
      return {};
    else
      return numbers_of<typename What::result>();
  }
  static void on_cores(aggregate_options const&, cpu where, cpu_rows const& in, nan_policy nan,
                       rows_places const& to) {
    for_rows(where, *static_cast<row_elements<T> const*>(in.elements),
             [&](cpu with, std::uint64_t r, elements<T> const& row, std::uint64_t size) {
               auto const known = nothing_yet();
               known->add(thread_count(with), row, size, 0, nan);
               any_result one;
               lower(total_of<parts>(*known).value, one);
               store(one, place_of(to, r, result_bytes));
             });
  }
  static void by_gpu(aggregate_options const&, gpu& where, gpu_rows const& in, nan_policy nan,
                     rows_places const& to) {
    if constexpr (gpu_calls)
      lower_rows(where,
                 reduce(where, arrays_of<T>::rows_in(in), moments_state{}, reduce_options{nan}),
                 result_bytes, to, lower_all);
  }
};

}  // namespace

#define TALLY_ENTRY(WHAT, T)                                                \
  entry_with<WHAT::op, T, of_moments<T, WHAT>>(of_moments<T, WHAT>::on_gpu, \
                                               of_moments<T, WHAT>::by_gpu, WHAT::wide),
#define TALLY_ENTRIES(WHAT) TALLY_EACH_integer(TALLY_ENTRY, WHAT)

std::span<aggregate_entry const> integer_sum_entries() {
  static constexpr aggregate_entry entries[] = {
      TALLY_ENTRIES(rounded_sum<float16>) TALLY_ENTRIES(rounded_sum<bfloat16>)
          TALLY_ENTRIES(rounded_sum<float>) TALLY_ENTRIES(rounded_sum<double>)
              TALLY_ENTRIES(wide_sum) TALLY_ENTRIES(wide_sum_of_squares)};
  return entries;
}

}  // namespace tally::detail
