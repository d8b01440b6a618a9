// SPDX-License-Identifier: Apache-2.0
//
// Every public call, of one array or of rows, with run-time types: the same function runs it on a
// GPU and on cores. Reductions and scans are those that the library's table has.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/gpu/cliffs_checks.hpp"
#include "tally/dynamic_rows.hpp"

namespace bench {

// Rows that lie side by side; an array is one.
struct matrix {
  tally::dtype type;
  void const* data;
  std::uint64_t rows, length;

  std::uint64_t size() const { return rows * length; }
  std::uint64_t bytes() const { return size() * size_of(type); }
  tally::row_layout layout() const {
    return {.count = rows, .length = length, .stride = std::int64_t(length)};
  }
  tally::any_rows all() const { return {type, data, layout()}; }
  // Its first half or its second: of the rows, or of an array's elements.
  matrix half(int which) const {
    auto const part =
        rows > 1 ? matrix{type, data, rows / 2, length} : matrix{type, data, 1, length / 2};
    return {type, static_cast<std::byte const*>(data) + which * part.bytes(), part.rows,
            part.length};
  }
};

// Calls f with the element type: one of those that are measured.
template <class F>
auto with_type(tally::dtype type, F f) {
  switch (type) {
    case tally::dtype::float32: return f(std::type_identity<float>());
    case tally::dtype::float64: return f(std::type_identity<double>());
    case tally::dtype::bfloat16: return f(std::type_identity<tally::bfloat16>());
    default: return f(std::type_identity<std::int8_t>());
  }
}

// An array that a call writes: so many results, of numbers with padding between.
struct results {
  std::size_t count, stride;
  struct number {
    std::size_t offset, bytes;
  };
  std::vector<number> numbers;

  results(std::size_t n, std::size_t bytes) : count(1), stride(n * bytes), numbers{{0, stride}} {}
  results(std::size_t n, tally::bound_aggregate const& op) : count(n), stride(op.result_bytes()) {
    for (auto const& each : op.numbers()) numbers.push_back({each.offset, size_of(each.type)});
  }
  std::size_t bytes() const { return count * stride; }
  bool same(std::byte const* a, std::byte const* b) const {
    for (std::size_t at = 0; at < bytes(); at += stride)
      for (auto const& each : numbers)
        if (std::memcmp(a + at + each.offset, b + at + each.offset, each.bytes) != 0) return false;
    return true;
  }
};

using places = std::vector<std::byte*>;  // of each of the arrays that a call writes

struct call {
  std::string name;
  std::vector<results> out;
  std::function<void(tally::any_where, matrix const&, places const&)> run;
  bool scans = false;
  // What cores make, where that is another call, and whether it is near; else the bits are the
  // same.
  decltype(run) exact = {};
  std::function<bool(matrix const&, std::byte const* got, std::byte const* exact)> near = {};
  // What of the first row's answer is seen without the library; by a loop, or by counts.
  char const* confirmed_by = nullptr;
  std::function<bool(matrix const&, ends const& of_first_row, places const& got)> confirm = {};
};

// ---- Reductions.

inline double as_double(tally::any_number const& x) {
  return tally::visit(x.type, [&]<class T>(std::type_identity<T>) { return double(x.as<T>()); });
}

// What a loop finds, of the aggregates of which that is easy.
inline std::optional<double> looped(std::string_view name, bool integers, ends const& all,
                                    std::uint64_t n) {
  if (name == "minimum") return all.least;
  if (name == "maximum") return all.greatest;
  if (name == "arg_minimum") return double(all.least_at);
  if (name == "arg_maximum") return double(all.greatest_at);
  if (name == "count_nonzero") return double(all.nonzero);
  if (name == "any_of") return double(all.nonzero > 0);
  if (name == "all_of") return double(all.nonzero == n);
  if (integers && (name == "sum" || name == "fast_sum")) return all.sum;
  return std::nullopt;
}

inline std::vector<call> reductions_of(matrix const& m) {
  std::vector<call> calls;
  for (auto const& info : tally::aggregates()) {
    if (std::ranges::find(info.elements, m.type) == info.elements.end()) continue;
    auto const op = tally::any_aggregate(info.name).on(m.type);
    auto const count = std::size_t(info.of_pairs ? m.half(0).rows : m.rows);
    call each{.name = std::string(info.name), .out = {results(count, op)}, .run = {}};
    each.run = [=](tally::any_where where, matrix const& in, places const& out) {
      tally::row_layout const places{.count = count, .length = 1, .stride = 1};
      if (info.of_pairs)
        reduce_into(where, in.half(0).all(), in.half(1).all(), out[0], places, op);
      else
        reduce_into(where, in.all(), out[0], places, op);
    };
    bool const integers = !is_floating(m.type);
    if (looped(info.name, integers, {}, m.length)) {
      each.confirmed_by = "a loop";
      each.confirm = [=](matrix const& in, ends const& all, places const& got) {
        auto const first = op.numbers()[0];
        return *looped(info.name, integers, all, in.length) ==
               as_double(tally::any_number::at(first.type, got[0] + first.offset));
      };
    }
    calls.push_back(std::move(each));
  }
  return calls;
}

// ---- Scans.

inline void scan(tally::any_where where, matrix const& in, std::byte* out, tally::dtype to,
                 tally::any_aggregate const& op, bool exclusive) {
  if (in.rows > 1) {
    tally::any_row_output const there{to, out, in.layout()};
    exclusive ? exclusive_scan(where, in.all(), there, op)
              : inclusive_scan(where, in.all(), there, op);
  } else {
    tally::any_array const array{in.type, in.data, in.length};
    tally::any_output const there{to, out, in.length};
    exclusive ? exclusive_scan(where, array, there, op) : inclusive_scan(where, array, there, op);
  }
}

// Those of floats that round at every step, on a GPU in another order than on cores.
inline void check_nearness(call& scanning, std::string_view name, tally::dtype type,
                           bool exclusive) {
  bool const sums = name == "fast_sum";
  if (!is_floating(type) || (!sums && name != "product")) return;
  scanning.exact = [=](tally::any_where where, matrix const& in, places const& out) {
    scan(where, in, out[0], type, tally::any_aggregate(sums ? "sum" : "product"), exclusive);
  };
  scanning.near = [=](matrix const& in, std::byte const* got, std::byte const* exact) {
    return with_type(type, [&]<class T>(std::type_identity<T>) {
      if constexpr (tally::floating<T>) {
        auto const at = [&](void const* array, std::uint64_t r) {
          return static_cast<T const*>(array) + r * in.length;
        };
        for (std::uint64_t r = 0; r < in.rows; ++r)
          if (!(sums ? are_near_sums(at(in.data, r), at(got, r), at(exact, r), in.length)
                     : are_near_products(at(got, r), at(exact, r), in.length)))
            return false;
      }
      return true;
    });
  };
}

inline std::vector<call> scans_of(matrix const& m) {
  std::vector<call> calls;
  for (auto const& info : tally::aggregates()) {
    tally::any_aggregate const op(info.name);
    for (auto const to : {tally::dtype::int8, tally::dtype::int64, tally::dtype::bfloat16,
                          tally::dtype::float32, tally::dtype::float64}) {
      // Of floats those of their own type; of integers also the widest.
      if ((to != m.type && is_floating(m.type)) || !can_scan_on_gpu(op, m.type, to)) continue;
      for (bool const exclusive : {false, true}) {
        call each{.name = std::string(exclusive ? "exclusive_" : "inclusive_") +
                          std::string(info.name) +
                          (to == m.type ? "" : "_to_" + std::string(tally::name(to))),
                  .out = {results(m.size(), size_of(to))},
                  .run = {},
                  .scans = true};
        each.run = [=](tally::any_where where, matrix const& in, places const& out) {
          scan(where, in, out[0], to, op, exclusive);
        };
        check_nearness(each, info.name, m.type, exclusive);
        calls.push_back(std::move(each));
      }
    }
  }
  return calls;
}

// ---- Selections.

inline call top_k_of(matrix const& m, std::uint64_t k, bool distinct) {
  auto const places_of_all = std::size_t(m.rows * k);
  call each{.name = std::string(distinct ? "top_k_distinct_" : "top_k_") + std::to_string(k),
            .out = {results(places_of_all, size_of(m.type)), results(places_of_all, 8)},
            .run = {}};
  each.run = [=](tally::any_where where, matrix const& in, places const& out) {
    top_k_into(where, in.all(), k, tally::any_output{in.type, out[0], places_of_all},
               std::span(reinterpret_cast<std::int64_t*>(out[1]), places_of_all), nullptr,
               {.distinct = distinct});
  };
  if (distinct) return each;
  each.confirmed_by = "counts";
  each.confirm = [=](matrix const& in, ends const&, places const& got) {
    return with_type(in.type, [&]<class T>(std::type_identity<T>) {
      return are_top_k(static_cast<T const*>(in.data), in.length, k,
                       reinterpret_cast<T const*>(got[0]),
                       reinterpret_cast<std::int64_t const*>(got[1]));
    });
  };
  return each;
}

inline call kth_value_of(matrix const& m) {
  std::uint64_t const k = m.length / 2;
  call each{.name = "kth_value",
            .out = {results(m.rows, size_of(m.type)), results(m.rows, 8)},
            .run = {},
            .confirmed_by = "counts"};
  each.run = [=](tally::any_where where, matrix const& in, places const& out) {
    kth_value_into(where, in.all(), k, tally::any_output{in.type, out[0], in.rows},
                   std::span(reinterpret_cast<std::int64_t*>(out[1]), in.rows));
  };
  each.confirm = [=](matrix const& in, ends const&, places const& got) {
    return with_type(in.type, [&]<class T>(std::type_identity<T>) {
      return is_kth(static_cast<T const*>(in.data), in.length, k,
                    as_double(tally::any_number::at(in.type, got[0])),
                    *reinterpret_cast<std::int64_t const*>(got[1]));
    });
  };
  return each;
}

inline call quantiles_of(matrix const& m, std::vector<double> const& qs) {
  auto const to = quantile_type(m.type, tally::interpolation::linear);
  auto const count = std::size_t(m.rows * qs.size());
  call each{.name = "quantiles_" + std::to_string(qs.size()),
            .out = {results(count, size_of(to))},
            .run = {},
            .confirmed_by = "counts"};
  each.run = [=](tally::any_where where, matrix const& in, places const& out) {
    quantile_into(where, in.all(), qs, tally::any_output{to, out[0], count});
  };
  each.confirm = [=](matrix const& in, ends const&, places const& got) {
    std::vector<double> values;
    for (std::size_t q = 0; q < qs.size(); ++q)
      values.push_back(as_double(tally::any_number::at(to, got[0] + q * size_of(to))));
    return with_type(in.type, [&]<class T>(std::type_identity<T>) {
      return are_quantiles(static_cast<T const*>(in.data), in.length, qs, values);
    });
  };
  return each;
}

inline std::vector<call> selections_of(matrix const& m) {
  std::vector<call> calls;
  if (m.rows > 1)
    calls = {top_k_of(m, 8, false), top_k_of(m, 8, true)};
  else
    calls = {top_k_of(m, 10, false), top_k_of(m, 64, false), top_k_of(m, 2048, false),
             top_k_of(m, 64, true)};
  calls.push_back(kth_value_of(m));
  for (auto const& qs : {std::vector{0.5}, std::vector{0.25, 0.5, 0.75},
                         std::vector{.05, .15, .25, .35, .45, .55, .65, .75, .85, .95}})
    calls.push_back(quantiles_of(m, qs));
  return calls;
}

}  // namespace bench
