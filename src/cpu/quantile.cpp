// SPDX-License-Identifier: Apache-2.0
#include "tally/quantile.hpp"

#include <cstdio>

#include "tally/compiled.hpp"
#include "tally/cpu/rows.hpp"
#include "tally/error.hpp"
#include "tally/exact/between.hpp"
#include "top_k/nth.hpp"
#include "top_k/searches.hpp"
#include "top_k/several.hpp"

namespace tally::detail::top_k {

TALLY_SEARCHES(extern)

}  // namespace tally::detail::top_k

namespace tally {
namespace {

using namespace detail::top_k;

template <class T>
nth<represent<T>> nth_of(cpu where, std::span<T const> in, top_k_options const& options) {
  using R = represent<T>;
  return {ranking<R>::of(std::type_identity<T>{}, options), reinterpret_cast<R const*>(in.data()),
          in.size(), detail::thread_count(where)};
}

template <class T>
kth_value_result<T> kth_of(cpu where, std::span<T const> in, std::uint64_t k,
                           kth_value_options const& options) {
  kth_value_result<T> const none{detail::missing<T>(), -1};
  if (k > in.size()) return none;
  auto const found = nth_of(where, in, {.order = options.order, .nan = options.nan}).element_at(k);
  T const value = from_bits<T>(to_bits(found.value));
  // Skipped NaNs come behind everything else.
  if (options.nan == skip && is_nan(value)) return none;
  return {value, found.index};
}

// In ascending order NaNs have the least key of all.
template <class T>
std::uint64_t count_nans(cpu where, std::span<T const> in) {
  if (!floating<T>) return 0;
  using R = represent<T>;
  int const threads = detail::thread_count(where);
  auto const rank = ranking<R>::of(std::type_identity<T>{}, {.order = smallest});
  auto const* const data = reinterpret_cast<R const*>(in.data());
  std::uint64_t count = 0;
  for (auto const& c : count_each(rank, split(data, in.size(), 0, threads), bits_of<R>(0), threads))
    count += c.inside;
  return count;
}

// Those between which a quantile lies.
template <class R>
std::pair<bits_of<R>, bits_of<R>> keys_around(nth<R> const& sorted,
                                              detail::sorted_place const& at) {
  return sorted.keys_at(at.index + 1, at.index + (at.is_between() ? 2 : 1));
}

// Each by a read of its own, or two.
template <class T, class Out>
void quantiles_one_by_one(cpu where, std::span<T const> in, detail::quantile_places const& qs,
                          Out* out, quantile_options const& options) {
  auto const nans = count_nans(where, in);
  auto const n = in.size() - nans;
  if (n == 0 || (nans && options.nan == propagate)) {
    std::fill_n(out, qs.size(), detail::missing<Out>());
    return;
  }
  auto const sorted = nth_of(where, in, {.order = smallest});
  for (std::size_t i = 0; i < qs.size(); ++i) {
    auto const at = detail::place_of(options.method, n, qs[i]);
    auto const [low, high] = keys_around(sorted, at);
    out[i] = detail::quantile_at<Out, T>(low, high, at);
  }
}

double nearly(detail::quantile_place q) {
  return q.is_fraction() ? double(q.numerator) / double(q.denominator) : q.as_double();
}

// As many as one read is for are far apart: each turn takes every so-manieth of them.
template <class T, class Out>
void quantiles_together(cpu where, std::span<T const> in, detail::quantile_places const& qs,
                        Out* out, quantile_options const& options) {
  using R = represent<T>;
  auto const sorted = nth_of(where, in, {.order = smallest});
  several<R> all(ranking<R>::of(std::type_identity<T>{}, {.order = smallest}),
                 reinterpret_cast<R const*>(in.data()), in.size(), qs.size(), floating<T>,
                 detail::thread_count(where));
  std::size_t const turns = (qs.size() + all.at_once() - 1) / all.at_once();
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::vector<double> places;
    for (std::size_t i = turn; i < qs.size(); i += turns) places.push_back(nearly(qs[i]));
    all.read(places);
    auto const n = in.size() - all.nans();
    if (n == 0 || (all.nans() && options.nan == propagate)) {
      std::fill_n(out, qs.size(), detail::missing<Out>());
      return;
    }
    for (std::size_t i = turn; i < qs.size(); i += turns) {
      auto const at = detail::place_of(options.method, n, qs[i]);
      auto const low = all.key_at(at.index + 1);
      auto const high = at.is_between() ? all.key_at(at.index + 2) : low;
      detail::count_path(low && high ? detail::path::top_k_filter
                                     : detail::path::top_k_filter_retry);
      auto const keys = low && high ? std::pair(*low, *high) : keys_around(sorted, at);
      out[i] = detail::quantile_at<Out, T>(keys.first, keys.second, at);
    }
  }
}

template <class T, class Out>
void quantiles_of_row(cpu where, std::span<T const> in, detail::quantile_places const& qs, Out* out,
                      quantile_options const& options) {
  bool const one_read_is_enough = !floating<T> && qs.size() < 2;
  if (in.size() < several<represent<T>>::from || one_read_is_enough)
    quantiles_one_by_one(where, in, qs, out, options);
  else
    quantiles_together(where, in, qs, out, options);
}

}  // namespace

namespace detail {

void require_kth(char const* call, std::uint64_t k, std::uint64_t n) {
  if (k == 0) throw error(std::string(call) + ": k = 0 is not from 1 on");
  if (k > n)
    throw error(std::string(call) + ": k = " + std::to_string(k) +
                " is larger than n = " + std::to_string(n));
}

void require_quantiles(char const* call, quantile_places const& qs) {
  auto const fail = [&](std::string const& q) {
    throw error(std::string(call) + ": q = " + q + " is not from 0 to 1");
  };
  for (double const q : qs.doubles()) {
    if (q >= 0 && q <= 1) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", q);
    fail(text);
  }
  for (auto const [numerator, denominator] : qs.fractions())
    if (denominator == 0 || numerator > denominator)
      fail(std::to_string(numerator) + "/" + std::to_string(denominator));
}

void require_elements(char const* call, std::uint64_t n) {
  if (n == 0) throw error(std::string(call) + ": the array is empty");
}

void require_room(char const* call, char const* argument, std::size_t size, std::uint64_t needed) {
  if (size < needed)
    throw error(std::string(call) + ": " + argument + " has room for " + std::to_string(size) +
                ", not for " + std::to_string(needed));
}

template <class T>
void kth_values_compiled(cpu where, rows<T const> const& in, std::uint64_t k, T* values,
                         std::int64_t* indices, kth_value_options const& options) {
  detail::for_rows(where, in, [&](cpu with, std::uint64_t r, std::span<T const> row) {
    auto const found = kth_of(with, row, k, options);
    values[r] = found.value, indices[r] = found.index;
  });
}

template <class T, class Out>
void quantiles_compiled(cpu where, rows<T const> const& in, quantile_places const& qs, Out* out,
                        quantile_options const& options) {
  detail::for_rows(where, in, [&](cpu with, std::uint64_t r, std::span<T const> row) {
    quantiles_of_row(with, row, qs, out + r * qs.size(), options);
  });
}

#define X(O, T)                                                                      \
  template void kth_values_compiled<T>(cpu, rows<T const> const&, std::uint64_t, T*, \
                                       std::int64_t*, kth_value_options const&);
TALLY_EACH_element(X, quantile)
#undef X
#define X(O, T)                                                                              \
  template void quantiles_compiled(cpu, rows<T const> const&, quantile_places const&, O<T>*, \
                                   quantile_options const&);
    TALLY_EACH_element(X, quantile_of) TALLY_EACH_integer(X, std::type_identity_t)
#undef X

}  // namespace detail
}  // namespace tally
